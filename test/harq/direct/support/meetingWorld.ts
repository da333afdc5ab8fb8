/** A chain, a real gateway, nodes that can be met and clients that meet them, all in one process. */
import type { Gateway, GatewayOptions } from "@ngpu/keeper/gateway/gateway";
import type { DirectLink } from "@ngpu/protocol/harq/direct/directLink";
import type { OpenUdp } from "@ngpu/protocol/service/harq/direct/directSocket";
import type { SigningContext } from "@ngpu/protocol/signed";
import { startTestChain, type TestChain } from "../../../harness/chain.ts";
import { registerNode } from "../../../harness/nodes.ts";
import { connectPeer, type Peer } from "../../../harness/peer.ts";
import { startTestGateway } from "../../../harness/services.ts";
import { assignTask, postTask, type TestTask } from "../../../harness/tasks.ts";
import { meet, type MeetOptions, type Met } from "./meet.ts";
import { startMeetingNode, type MeetingNode } from "./meetingNode.ts";

export interface MeetingWorld {
  chain: TestChain;
  context: SigningContext;
  gateway: Gateway;
  aNode(options?: { openUdp?: OpenUdp }): Promise<MeetingNode>;
  /** Posted, and assigned to that node, which serves it unless `isServed` says otherwise. */
  aTask(node: MeetingNode, options?: { sealedInput?: Uint8Array; isServed?: boolean }): Promise<TestTask>;
  aClient(task: TestTask): Promise<Peer>;
  meet(client: Peer, task: TestTask, node: MeetingNode, options?: MeetOptions): Promise<Met>;
  close(): Promise<void>;
}

export async function startMeetingWorld(options: Partial<GatewayOptions> = {}): Promise<MeetingWorld> {
  const chain = await startTestChain();
  const context = { chainId: chain.chainId, verifyingContract: chain.deployment.taskEscrow };
  const gateway = await startTestGateway(chain, { udp: { host: "127.0.0.1", port: 0 }, ...options });
  const place = { gatewayUrl: gateway.url, context };
  const nodes: MeetingNode[] = [];
  const peers: Peer[] = [];
  const links: DirectLink[] = [];

  return {
    ...{ chain, context, gateway },
    async aNode({ openUdp } = {}) {
      const node = await startMeetingNode({ ...place, ...(await registerNode(chain)), openUdp });
      nodes.push(node);
      return node;
    },
    async aTask(node, { sealedInput, isServed = true } = {}) {
      const task = await postTask(chain, { backups: 0, ...(sealedInput === undefined ? {} : { sealedInput }) });
      await assignTask(chain, { taskId: task.taskId, nodeIds: [node.nodeId] });
      if (isServed) node.serves({ ...task, clientKey: task.clientKey.address });
      return task;
    },
    async aClient(task) {
      const who = { role: "client", taskId: task.taskId } as const;
      const peer = await connectPeer({ ...place, who, signer: task.clientKey });
      peers.push(peer);
      return peer;
    },
    async meet(client, task, node, meeting = {}) {
      const met = await meet({ ...place, client }, task, node, meeting);
      links.push(met.link);
      return met;
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
}
