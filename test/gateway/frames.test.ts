/** Which frames the gateway forwards to whom, what it refuses to forward, and what it tells those who come back. */
import type { Gateway } from "@ngpu/keeper/gateway/gateway";
import { signMessage, type Signed, type SigningContext, type TypedDataSigner } from "@ngpu/protocol/signed";
import { encodeFrame, type RosterEntry } from "@ngpu/protocol/wire";
import { expect } from "chai";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import { keccak256, stringToBytes, zeroHash } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { startTestChain, type TestChain } from "../harness/chain.ts";
import { registerNode, type TestNode } from "../harness/nodes.ts";
import { connectPeer, type Peer } from "../harness/peer.ts";
import { startTestGateway } from "../harness/services.ts";
import { assignTask, postTask, settleTask, type TestTask } from "../harness/tasks.ts";
import { connectNode, type NodePeer } from "../harness/testNode.ts";
import { until } from "../harness/until.ts";

const modelId = keccak256(stringToBytes("model"));

describe("gateway frames", () => {
  let chain: TestChain;
  let gateway: Gateway;
  let nodes: [TestNode, TestNode, TestNode];
  let context: SigningContext;
  let keeper: Peer;
  let primary: NodePeer;
  let task: TestTask;

  before(async () => {
    chain = await startTestChain();
    context = { chainId: chain.chainId, verifyingContract: chain.deployment.taskEscrow };
    nodes = [await registerNode(chain), await registerNode(chain), await registerNode(chain)];
  });

  after(() => chain.close());

  beforeEach(async () => {
    gateway = await startTestGateway(chain);
    keeper = await connectKeeper();
    primary = await connectNode({ chain, node: nodes[0], gatewayUrl: gateway.url });
    await primary.announce([modelId]);
    task = await postTask(chain);
    await assignTask(chain, { taskId: task.taskId, nodeIds: [nodes[0].nodeId, nodes[1].nodeId] });
  });

  afterEach(() => gateway.close());

  function connectKeeper(): Promise<Peer> {
    return connectPeer({ gatewayUrl: gateway.url, who: { role: "keeper" }, signer: chain.account(1), context });
  }

  function connectClient(): Promise<Peer> {
    const { taskId, clientKey: signer } = task;
    return connectPeer({ gatewayUrl: gateway.url, who: { role: "client", taskId }, signer, context });
  }

  async function wrapFor(nodeId: number, signer: TypedDataSigner = task.clientKey): Promise<Signed<"keyWrap">> {
    const { taskId } = task;
    const wrappedKey = `0x${"ab".repeat(48)}` as const;
    const message = { taskId, assignment: 1, nodeId, ephemeralPublicKey: zeroHash, wrappedKey };
    return signMessage({ kind: "keyWrap", message, context, signer });
  }

  async function rosterWith(matches: (nodes: RosterEntry[]) => boolean): Promise<RosterEntry[]> {
    return (await keeper.next("roster", ({ nodes: entries }) => matches(entries))).nodes;
  }

  it("shows keepers who is online, with how many free slots, and who left", async () => {
    const [entry] = await rosterWith((entries) => entries.length === 1);
    expect(entry).to.include({ nodeId: primary.nodeId, slots: 1, freeSlots: 1, operator: nodes[0].operator.address });
    await primary.heartbeat(0);
    await rosterWith((entries) => entries[0]?.freeSlots === 0);
    const listed = (await (await fetch(`${gateway.url}/v1/roster`)).json()) as { nodes: { nodeId: number }[] };
    expect(listed.nodes.map(({ nodeId }) => nodeId)).to.deep.equal([primary.nodeId]);
    primary.peer.close();
    await rosterWith((entries) => entries.length === 0);
  });

  it("says how long a node has been silent", async () => {
    await rosterWith((entries) => (entries[0]?.silentMs ?? 0) > 300);
    await primary.heartbeat(1);
    await rosterWith((entries) => (entries[0]?.silentMs ?? 1_000) < 300);
  });

  it("forwards accept, progress and receipt to keepers and to the task's client, and to no other client", async () => {
    const client = await connectClient();
    const other = await postTask(chain);
    const bystander = await connectPeer({
      gatewayUrl: gateway.url,
      who: { role: "client", taskId: other.taskId },
      signer: other.clientKey,
      context,
    });
    const accept = await primary.accept(task, 1);
    await primary.progress(task, { assignment: 1, attempt: 0, seq: 1 });
    const receipt = await primary.receipt(task, { assignment: 1, attempt: 0 });
    for (const peer of [keeper, client]) {
      expect((await peer.next("accept")).accept).to.deep.equal(accept);
      expect((await peer.next("progress")).progress.message.seq).to.equal(1);
      expect((await peer.next("receipt")).receipt).to.deep.equal(receipt);
    }
    expect(bystander.frames.map(({ t }) => t)).to.deep.equal(["challenge", "welcome"]);
  });

  it("tells the client the nodes of its task and brings its wrap to each", async () => {
    const client = await connectClient();
    const first = await client.next("nodes");
    expect(first.bindings.map(({ message }) => message.nodeId)).to.deep.equal([primary.nodeId]);
    const backup = await connectNode({ chain, node: nodes[1], gatewayUrl: gateway.url });
    await backup.announce([modelId]);
    const both = await client.next("nodes");
    expect(both.bindings.map(({ message }) => message.nodeId)).to.deep.equal([primary.nodeId, backup.nodeId]);
    for (const node of [primary, backup]) {
      const wrap = await wrapFor(node.nodeId);
      client.send({ t: "wrap", wrap });
      expect((await node.peer.next("wrap")).wrap).to.deep.equal(wrap);
    }
  });

  it("tells a waiting client when its task is assigned", async () => {
    task = await postTask(chain);
    const client = await connectClient();
    await assignTask(chain, { taskId: task.taskId, nodeIds: [nodes[1].nodeId, primary.nodeId] });
    expect(await client.next("nodes")).to.include({ taskId: task.taskId, assignment: 1 });
  });

  it("brings a keeper's dispatch to its node", async () => {
    const dispatch = {
      t: "dispatch",
      nodeId: primary.nodeId,
      taskId: task.taskId,
      assignment: 1,
      attempt: 0,
      role: "primary",
    } as const;
    keeper.send(dispatch);
    expect(await primary.peer.next("dispatch")).to.deep.equal(dispatch);
    keeper.send({ ...dispatch, nodeId: nodes[2].nodeId });
    expect((await keeper.next("error")).code).to.equal("NOT_ASSIGNED");
  });

  it("tells a node that comes back its dispatch and its wrap", async () => {
    const client = await connectClient();
    const wrap = await wrapFor(primary.nodeId);
    client.send({ t: "wrap", wrap });
    const at = { nodeId: primary.nodeId, taskId: task.taskId, assignment: 1 };
    keeper.send({ t: "dispatch", ...at, attempt: 1, role: "backup" });
    keeper.send({ t: "dispatch", ...at, attempt: 0, role: "primary" });
    await primary.peer.next("wrap");
    await primary.peer.next("dispatch");
    await primary.peer.next("dispatch");
    primary.peer.close();
    const again = await connectNode({ chain, node: nodes[0], gatewayUrl: gateway.url });
    expect((await again.peer.next("wrap")).wrap).to.deep.equal(wrap);
    expect((await again.peer.next("dispatch")).attempt).to.equal(1);
  });

  it("tells a keeper and a client that come late what nodes signed", async () => {
    const accept = await primary.accept(task, 1);
    const receipt = await primary.receipt(task, { assignment: 1, attempt: 0 });
    await keeper.next("receipt");
    for (const peer of [await connectKeeper(), await connectClient()]) {
      expect((await peer.next("accept")).accept).to.deep.equal(accept);
      expect((await peer.next("receipt")).receipt).to.deep.equal(receipt);
    }
  });

  it("forwards nothing that the node did not sign, or that is not its task", async () => {
    const forger = await connectNode({ chain, node: nodes[1], gatewayUrl: gateway.url });
    const { taskId, inputCommitment } = task;
    const message = { taskId, assignment: 1, nodeId: nodes[1].nodeId, inputCommitment, timeMs: 1n };
    const signer = privateKeyToAccount(generatePrivateKey());
    forger.peer.send({ t: "accept", accept: await signMessage({ kind: "accept", message, context, signer }) });
    expect((await forger.peer.next("error")).code).to.equal("AUTH_FORBIDDEN");
    const asAnother = { ...message, nodeId: nodes[0].nodeId };
    forger.peer.send({
      t: "accept",
      accept: await signMessage({ kind: "accept", message: asAnother, context, signer }),
    });
    expect((await forger.peer.next("error")).code).to.equal("AUTH_FORBIDDEN");

    const outsider = await connectNode({ chain, node: nodes[2], gatewayUrl: gateway.url });
    await outsider.accept(task, 1);
    expect((await outsider.peer.next("error")).code).to.equal("NOT_ASSIGNED");
    await primary.accept(task, 2);
    expect((await primary.peer.next("error")).code).to.equal("NOT_ASSIGNED");
    expect(keeper.frames.filter(({ t }) => t === "accept")).to.deep.equal([]);
  });

  it("refuses a wrap that the client key did not sign, or for a node that is not assigned", async () => {
    const client = await connectClient();
    client.send({ t: "wrap", wrap: await wrapFor(primary.nodeId, privateKeyToAccount(generatePrivateKey())) });
    expect((await client.next("error")).code).to.equal("AUTH_FORBIDDEN");
    client.send({ t: "wrap", wrap: await wrapFor(nodes[2].nodeId) });
    expect((await client.next("error")).code).to.equal("NOT_ASSIGNED");
    expect(primary.peer.frames.filter(({ t }) => t === "wrap")).to.deep.equal([]);
  });

  it("keeps the first of two receipts under one conflict key", async () => {
    const first = await primary.receipt(task, { assignment: 1, attempt: 0, durationMs: 10 });
    await primary.receipt(task, { assignment: 1, attempt: 0, durationMs: 20 });
    await primary.receipt(task, { assignment: 1, attempt: 0, durationMs: 10 });
    await primary.accept(task, 1);
    await keeper.next("accept");
    const signatures = keeper.frames.flatMap((frame) => (frame.t === "receipt" ? [frame.receipt.signature] : []));
    expect(new Set(signatures)).to.deep.equal(new Set([first.signature]));
  });

  it("passes on a node's receipt whatever its peer signed before", async () => {
    const spammer = await connectNode({ chain, node: nodes[1], gatewayUrl: gateway.url });
    for (let attempt = 0; attempt < 20; attempt += 1)
      await spammer.receipt(task, { assignment: 1, attempt, status: 2 });
    expect((await spammer.peer.next("error")).code).to.equal("BLOB_LIMIT");
    const honest = await primary.receipt(task, { assignment: 1, attempt: 0 });
    await keeper.next("receipt", ({ receipt }) => receipt.signature === honest.signature);
  });

  it("keeps back a success whose output is not stored here", async () => {
    const honest = await primary.receipt(task, { assignment: 1, attempt: 0 });
    await keeper.next("receipt");
    const message = { ...honest.message, attempt: 2, outputCiphertext: keccak256("0x01") };
    const receipt = await signMessage({ kind: "receipt", message, context, signer: nodes[0].operator });
    primary.peer.send({ t: "receipt", receipt, detail: "" });
    expect((await primary.peer.next("error")).code).to.equal("BLOB_UNKNOWN");
    expect(keeper.frames.filter(({ t }) => t === "receipt")).to.have.length(1);
  });

  it("tells the node when its task has ended, and again when it resends its receipt", async () => {
    const receipt = await primary.receipt(task, { assignment: 1, attempt: 0 });
    await keeper.next("receipt");
    await settleTask(chain, receipt);
    expect(await primary.peer.next("settled")).to.include({ taskId: task.taskId, nodeId: primary.nodeId });
    primary.peer.socket.send(encodeFrame({ t: "receipt", receipt, detail: "" }));
    await primary.peer.next("settled");
  });

  it("stops cleanly while peers are connected", async () => {
    await gateway.close();
    await Promise.all([keeper.closed, primary.peer.closed]);
    await until("port is free", () =>
      fetch(`${gateway.url}/v1/health`).then(
        () => false,
        () => true,
      ),
    );
    gateway = await startTestGateway(chain);
  });
});
