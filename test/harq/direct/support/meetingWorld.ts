/**
 * A chain, a real gateway and nodes with the agent's own link and desk for direct links; clients that meet them as the
 * client library does, or step by step.
 */
import type { Gateway, GatewayOptions } from "@ngpu/keeper/gateway/gateway";
import type { MetTask } from "@ngpu/node-agent/direct/answerBlobs";
import { createBlobShelf, type BlobShelf } from "@ngpu/node-agent/direct/blobShelf";
import { createDirectDesk, type DirectDesk } from "@ngpu/node-agent/direct/directDesk";
import { connectGateway } from "@ngpu/node-agent/agent/gatewayLink";
import { signBinding } from "@ngpu/node-agent/agent/transportKey";
import { fromBase64, toBase64 } from "@ngpu/protocol/base64";
import { createBlobAsker, type BlobAsker } from "@ngpu/protocol/blobExchange/asker";
import { encodeBlobAuthorization } from "@ngpu/protocol/blobAuthorization";
import { NgpuError, type ErrorCode } from "@ngpu/protocol/errors";
import type { DirectLink } from "@ngpu/protocol/harq/direct/directLink";
import { systemClock } from "@ngpu/protocol/service/clock";
import type { OpenUdp } from "@ngpu/protocol/service/harq/direct/directSocket";
import { createNodeMeeter } from "@ngpu/protocol/service/harq/direct/meetNode";
import { signMessage, type Signed, type SigningContext, type TypedDataSigner } from "@ngpu/protocol/signed";
import { blobAction, type BlobAccess } from "@ngpu/protocol/typedData";
import type { FrameOf } from "@ngpu/protocol/wire";
import { randomBytes } from "node:crypto";
import { keccak256, type Address, type Hex } from "viem";
import { startTestChain, type TestChain } from "../../../harness/chain.ts";
import { registerNode, type TestNode } from "../../../harness/nodes.ts";
import { connectPeer, type Peer } from "../../../harness/peer.ts";
import { startTestGateway, testLog } from "../../../harness/services.ts";
import { assignTask, postTask, type TestTask } from "../../../harness/tasks.ts";

export interface MeetingNode extends TestNode {
  desk: DirectDesk;
  shelf: BlobShelf;
  close(): Promise<void>;
}

export interface Met {
  link: DirectLink;
  put(hash: Hex, bytes: Uint8Array, signer?: TypedDataSigner): ReturnType<BlobAsker["ask"]>;
  get(hash: Hex, signer?: TypedDataSigner): ReturnType<BlobAsker["ask"]>;
}

export interface MeetOptions {
  usesUdp?: boolean;
  openUdp?: OpenUdp;
  /** Whom the client expects; the node's operator where it is not given. */
  operator?: Address;
  /** Who signs the meeting; the task's client where it is not given. */
  signer?: TypedDataSigner;
  change?: (message: BlobAccess) => BlobAccess;
  key?: Signed<"transportKey">;
}

export interface MeetingWorld {
  chain: TestChain;
  context: SigningContext;
  gateway: Gateway;
  aNode(options?: { openUdp?: OpenUdp }): Promise<MeetingNode>;
  /** Posted, and assigned to that node, which serves it unless `isServed` says otherwise. */
  aTask(node: MeetingNode, options?: { sealedInput?: Uint8Array; isServed?: boolean }): Promise<TestTask>;
  aClient(task: TestTask): Promise<Peer>;
  /** Rejects with the code that the other side, the gateway or the handshake refuses with. */
  meet(client: Peer, task: TestTask, node: TestNode, options?: MeetOptions): Promise<Met>;
  close(): Promise<void>;
}

export async function startMeetingWorld(options: Partial<GatewayOptions> = {}): Promise<MeetingWorld> {
  const chain = await startTestChain();
  const context = { chainId: chain.chainId, verifyingContract: chain.deployment.taskEscrow };
  const gateway = await startTestGateway(chain, { udp: { host: "127.0.0.1", port: 0 }, ...options });
  const nodes: MeetingNode[] = [];
  const peers: Peer[] = [];
  const links: DirectLink[] = [];
  const served = new Map<number, Map<Hex, MetTask>>();

  return {
    chain,
    context,
    gateway,
    async aNode({ openUdp } = {}) {
      const node = await registerNode(chain);
      const { nodeId, operator: signer } = node;
      const shelf = createBlobShelf({ clock: systemClock });
      const parts = { gatewayUrl: gateway.url, nodeId, signer, context, clock: systemClock, log: testLog };
      served.set(nodeId, new Map());
      const desk = createDirectDesk({
        ...parts,
        ...{ shelf, openUdp },
        taskOf: (taskId) => served.get(nodeId)?.get(taskId),
        send: (frame) => link.send(frame),
      });
      const welcomed = Promise.withResolvers<void>();
      const secret = new Uint8Array(randomBytes(32));
      const link = connectGateway({
        ...parts,
        announcement: async () => ({
          ...{ t: "announce", models: [], slots: 1, executionProvider: "cpu", agentVersion: "test", benchmarkCu: 0 },
          binding: await signBinding({ nodeId, secret, nowMs: Date.now(), context, signer }),
        }),
        load: () => ({ freeSlots: 1, queued: 0 }),
        onWelcome: () => void desk.announce().then(welcomed.resolve),
        onFrame(frame) {
          if (frame.t === "meeting") void desk.meeting(frame);
        },
        onLost: () => undefined,
        random: () => 0.5,
      });
      await welcomed.promise;
      const close = async (): Promise<void> => {
        await desk.close();
        await link.close();
      };
      const meetingNode = { ...node, desk, shelf, close };
      nodes.push(meetingNode);
      return meetingNode;
    },
    async aTask({ nodeId }, { sealedInput, isServed = true } = {}) {
      const task = await postTask(chain, { backups: 0, ...(sealedInput === undefined ? {} : { sealedInput }) });
      await assignTask(chain, { taskId: task.taskId, nodeIds: [nodeId] });
      const { taskId, inputCiphertext } = task;
      if (!isServed) return task;
      served.get(nodeId)?.set(taskId, { taskId, inputCiphertext, clientKey: task.clientKey.address });
      return task;
    },
    async aClient(task) {
      const who = { role: "client", taskId: task.taskId } as const;
      const peer = await connectPeer({ gatewayUrl: gateway.url, who, signer: task.clientKey, context });
      peers.push(peer);
      return peer;
    },
    async meet(client, task, { nodeId, operator }, meeting = {}) {
      const introduced: FrameOf<"direct"> =
        client.frames.find((frame) => frame.t === "direct") ?? (await client.next("direct"));
      const { usesUdp = true, openUdp, signer = task.clientKey, change = (message) => message } = meeting;
      const meetNode = createNodeMeeter({ usesUdp, ...(openUdp && { openUdp }) });
      let asker: BlobAsker | undefined;
      const link = await meetNode({
        ...{ gatewayUrl: gateway.url, context, observer: introduced.observer },
        key: meeting.key ?? introduced.key,
        operator: meeting.operator ?? operator.address,
        onMessage: (bytes) => asker?.take(bytes),
        async exchange(hello) {
          const hash = keccak256(hello);
          const access = await signAccess({ action: blobAction.meet, taskId: task.taskId, hash, signer, change });
          client.send({ t: "meet", nodeId, access, hello: toBase64(hello) });
          const answer = await Promise.race([
            client.next("met", (frame) => frame.meeting === hash),
            client.next("notMet", (frame) => frame.meeting === access.message.blobHash),
          ]);
          if (answer.t === "notMet") throw new NgpuError(answer.code as ErrorCode);
          return { reply: fromBase64(answer.reply), ticket: answer.ticket };
        },
      });
      links.push(link);
      const made = createBlobAsker(link);
      asker = made;
      const { signal } = new AbortController();
      const ask = async (kind: "get" | "put", hash: Hex, bytes: Uint8Array, by: TypedDataSigner) => {
        const { taskId } = task;
        const access = await signAccess({ action: blobAction[kind === "put" ? "write" : "read"], taskId, hash, signer: by });
        return made.ask({ kind, taskId, hash, authorization: encodeBlobAuthorization(access) }, bytes, signal);
      };
      return {
        link,
        put: (hash, bytes, by = task.clientKey) => ask("put", hash, bytes, by),
        get: (hash, by = task.clientKey) => ask("get", hash, new Uint8Array(0), by),
      };
    },
    async close() {
      for (const link of links) link.close();
      await Promise.all(links.map((link) => link.closed));
      for (const peer of peers) peer.close();
      await Promise.all(nodes.map((node) => node.close()));
      await gateway.close();
      await chain.close();
    },
  };

  function signAccess(request: {
    action: number;
    taskId: Hex;
    hash: Hex;
    signer: TypedDataSigner;
    change?: (message: BlobAccess) => BlobAccess;
  }): Promise<Signed<"blobAccess">> {
    const { action, taskId, hash, signer, change = (message) => message } = request;
    const expiry = BigInt(Math.floor(Date.now() / 1_000) + 60);
    const message = change({ action, taskId, blobHash: hash, expiry });
    return signMessage({ kind: "blobAccess", message, context, signer });
  }
}
