/** What a keeper does for sessions: planned by table, and acted out on a real chain by a keeper of its own. */
import { after, before, describe, it } from "node:test";
import type { Keeper } from "@ngpu/keeper/keeper/keeper";
import type { Gateway } from "@ngpu/keeper/gateway/gateway";
import { planSessions, sessionTiming } from "@ngpu/keeper/session/planSessions";
import type { LaneFacts, SessionFacts } from "@ngpu/keeper/session/sessionSnapshot";
import { createVoucherShelf, type ShelvedVoucher } from "@ngpu/keeper/session/voucherShelf";
import { sessionSettlementAbi } from "@ngpu/protocol/generated/abi/sessionSettlement";
import { localUsdAbi } from "@ngpu/protocol/generated/abi/localUsd";
import { packBills, weightOf, type BillRecord } from "@ngpu/protocol/session/packedBills";
import { dueUsd6 } from "@ngpu/protocol/session/sessionMoney";
import { laneState, sessionState } from "@ngpu/protocol/session/sessionStates";
import { billsHashOf, firstHeadOf, nextHeadOf, sessionIdOf } from "@ngpu/protocol/session/voucherChain";
import { signMessage } from "@ngpu/protocol/signed";
import type { FrameOf } from "@ngpu/protocol/wire";
import { expect } from "chai";
import { keccak256, toHex, zeroAddress, zeroHash, type Hex } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { startTestChain, type TestChain } from "../harness/chain.ts";
import { registerNode, type TestNode } from "../harness/nodes.ts";
import { startTestGateway, startTestKeeper } from "../harness/services.ts";
import { connectNode, type NodePeer } from "../harness/testNode.ts";
import { until } from "../harness/until.ts";
import { chainTimeS, modelId, nowMs, online } from "./world.ts";

const sessionId = keccak256("0x51");
const signer = privateKeyToAccount(`0x${"51".repeat(32)}`);

function aLane(nodeId: number, change: Partial<LaneFacts> = {}): LaneFacts {
  const head = firstHeadOf({ sessionId, nodeId });
  const money = { allotmentUsd6: 1_000n, paidUsd6: 0n, powerCu: 1_000, seq: 0n };
  return { nodeId, isActive: true, isReclaimed: false, ...money, head, ...change };
}

function aSession(change: Partial<SessionFacts> = {}): SessionFacts {
  return {
    ...{ sessionId, modelId, payer: zeroAddress, signers: [signer.address], minReplicas: 2, maxReplicas: 2 },
    ...{ putInUsd6: 8_000n, freeUsd6: 8_000n, closesAtS: chainTimeS + 600, settleUntilS: chainTimeS + 660 },
    lanes: [],
    ...change,
  };
}

/** A voucher over one record that follows `prevHead`. */
function aShelved(prevHead: Hex, change: Partial<ShelvedVoucher> = {}): ShelvedVoucher {
  const bills = packBills([{ kind: "execution", ms: 1_000 }]);
  const signed = { prevHead, bills, receiptsRoot: zeroHash, signature: "0x01", signer: signer.address } as const;
  return { seq: 1n, cumulativeUsd6: 100n, ...signed, takenMs: nowMs, ...change };
}

function aWorld(given: {
  sessions: SessionFacts[];
  nodes?: ReturnType<typeof online>[];
  waiting?: Map<number, ShelvedVoucher[]>;
  change?: Partial<Parameters<typeof planSessions>[0]>;
}): Parameters<typeof planSessions>[0] {
  const { sessions, nodes = [online(1), online(2), online(3)], waiting = new Map() } = given;
  return {
    sessions,
    nodes: new Map(nodes.map((node) => [node.nodeId, node])),
    facts: new Map(
      [1, 2, 3].map((nodeId) => [
        nodeId,
        { nodeId, owner: toHex(nodeId, { size: 20 }), isEligible: true, powerCu: 1_000, stakeWei: 10n ** 20n, lastAssignedBlock: 0n },
      ]),
    ),
    vouchers: { following: ({ nodeId }) => waiting.get(nodeId) ?? [] },
    ...{ chainTimeS, nowMs, watchingSinceMs: nowMs - 60_000 },
    ...given.change,
  };
}

const kindsOf = (world: Parameters<typeof planSessions>[0]): string[] => planSessions(world).map(({ kind }) => kind);

describe("plan of sessions", () => {
  it("gives as many nodes a lane as the payer wants, the first as primary, with money left for who runs short", () => {
    const actions = planSessions(aWorld({ sessions: [aSession()] }));
    expect(actions.map((action) => (action.kind === "assignReplica" ? [action.role, action.allotmentUsd6] : action.kind))).to.deep.equal([
      [0, 2_000n],
      [1, 2_000n],
    ]);
    expect(new Set(actions.flatMap((action) => ("nodeId" in action ? [action.nodeId] : []))).size).to.equal(2);
  });

  it("chooses the same nodes for the same view, and none that is silent, not eligible or without the model", () => {
    const world = aWorld({ sessions: [aSession()] });
    expect(planSessions(world)).to.deep.equal(planSessions({ ...world, nodes: new Map([...world.nodes].reverse()) }));
    const silent = online(1, { heardMs: nowMs - sessionTiming.silentMs - 1 });
    const other = online(2, { models: [zeroHash] });
    const facts = new Map([
      [3, { nodeId: 3, owner: zeroAddress, isEligible: false, powerCu: 0, stakeWei: 0n, lastAssignedBlock: 0n }],
    ]);
    expect(kindsOf(aWorld({ sessions: [aSession()], nodes: [silent, other, online(3)], change: { facts } }))).to.deep.equal([]);
  });

  it("leaves a session alone that has its lanes, and one that has no money left", () => {
    expect(kindsOf(aWorld({ sessions: [aSession({ lanes: [aLane(1), aLane(2)] })] }))).to.deep.equal([]);
    expect(kindsOf(aWorld({ sessions: [aSession({ freeUsd6: 0n })] }))).to.deep.equal([]);
  });

  it("replaces a node that is gone, but not before it was watched long enough, nor where nobody else is there", () => {
    const session = aSession({ freeUsd6: 4_000n, lanes: [aLane(1), aLane(2)] });
    const nodes = [online(2), online(3)];
    expect(kindsOf(aWorld({ sessions: [session], nodes }))).to.deep.equal(["releaseReplica", "assignReplica"]);
    expect(kindsOf(aWorld({ sessions: [session], nodes, change: { watchingSinceMs: nowMs } }))).to.deep.equal([]);
    expect(kindsOf(aWorld({ sessions: [session], nodes: [online(2)] }))).to.deep.equal([]);
  });

  it("gives a lane more once three quarters of its allotment are signed away", () => {
    const session = aSession({ freeUsd6: 4_000n, lanes: [aLane(1), aLane(2)] });
    const at = (cumulativeUsd6: bigint) => {
      const waiting = new Map([[1, [aShelved(zeroHash, { cumulativeUsd6 })]]]);
      return planSessions(aWorld({ sessions: [session], waiting })).find(({ kind }) => kind === "assignReplica");
    };
    expect(at(750n)).to.equal(undefined);
    expect(at(751n)).to.include({ nodeId: 1, role: 0, allotmentUsd6: 3_000n });
  });

  it("settles when a session closes, when much is owed or when a voucher has waited long, and not before", () => {
    const lanes = [aLane(1), aLane(2)];
    const batchAt = (session: SessionFacts, voucher: ShelvedVoucher) => {
      const waiting = new Map([[1, [voucher]]]);
      return planSessions(aWorld({ sessions: [session], waiting })).filter(({ kind }) => kind === "settleSessions").length;
    };
    const open = aSession({ lanes });
    expect(batchAt(open, aShelved(zeroHash))).to.equal(0);
    expect(batchAt(aSession({ lanes, closesAtS: chainTimeS }), aShelved(zeroHash))).to.equal(1);
    expect(batchAt(open, aShelved(zeroHash, { cumulativeUsd6: 501n }))).to.equal(1);
    expect(batchAt(open, aShelved(zeroHash, { takenMs: nowMs - sessionTiming.settleAfterMs - 1 }))).to.equal(1);
    const over = aSession({ lanes, closesAtS: chainTimeS - 61, settleUntilS: chainTimeS - 1 });
    expect(batchAt(over, aShelved(zeroHash))).to.equal(0);
  });

  it("puts all lanes that are due into one batch, by node, within what one transaction takes", () => {
    const sessions = [1, 2, 3].map((number) =>
      aSession({ sessionId: keccak256(toHex(number)), lanes: [aLane(2), aLane(1)], closesAtS: chainTimeS }),
    );
    const many = Array.from({ length: 100 }, () => aShelved(zeroHash));
    const waiting = new Map([
      [1, many],
      [2, many],
    ]);
    const [batch, ...rest] = planSessions(aWorld({ sessions, waiting }));
    expect(rest).to.deep.equal([]);
    if (batch?.kind !== "settleSessions") throw new Error("no batch");
    expect(batch.settlements.map(({ nodeId, segments }) => [nodeId, segments.length])).to.deep.equal([
      [1, 100],
      [1, 100],
      [1, 56],
    ]);
  });

  it("frees lanes and then finishes a session whose settle window is over", () => {
    const over = { closesAtS: chainTimeS - 61, settleUntilS: chainTimeS - 1 };
    const lanes = [aLane(1, { isActive: false, isReclaimed: true }), aLane(2)];
    expect(planSessions(aWorld({ sessions: [aSession({ ...over, lanes })] }))).to.deep.equal([{ kind: "reclaimLane", sessionId, nodeId: 2 }]);
    const reclaimed = lanes.map((lane) => ({ ...lane, isReclaimed: true }));
    expect(kindsOf(aWorld({ sessions: [aSession({ ...over, lanes: reclaimed })] }))).to.deep.equal(["finishSession"]);
  });
});

describe("sessions on a chain", () => {
  let chain: TestChain;
  let gateway: Gateway;
  let keeper: Keeper;
  let nodes: TestNode[];
  let peers: NodePeer[];

  before(async () => {
    chain = await startTestChain();
    gateway = await startTestGateway(chain);
    nodes = [await registerNode(chain), await registerNode(chain)];
    peers = await Promise.all(nodes.map((node) => connectNode({ chain, node, gatewayUrl: gateway.url })));
    for (const peer of peers) {
      await peer.announce([modelId]);
      peer.keepAlive(200);
    }
    keeper = startTestKeeper(chain, [gateway.url]);
  });
  after(async () => {
    await keeper?.stop();
    for (const { peer } of peers ?? []) peer.close();
    await gateway?.close();
    await chain?.close();
  });

  it("assigns lanes once, settles both in one transaction when the session closes, and gives the rest back", async () => {
    const { deployment } = chain;
    const settlement = { address: deployment.sessionSettlement, abi: sessionSettlementAbi } as const;
    const payer = chain.account(0);
    const token = { address: deployment.localUsd ?? zeroAddress, abi: localUsdAbi } as const;
    await chain.write({ account: payer, ...token, functionName: "approve", args: [deployment.paymentVault, 10_000_000n] });
    const place = { chainId: chain.chainId, settlement: deployment.sessionSettlement };
    const opened = sessionIdOf({ ...place, payer: payer.address, clientNonce: zeroHash, modelId });
    const expiresAt = (await chain.nowS()) + 3_600;
    const params = {
      ...{ clientNonce: zeroHash, modelId, signer: signer.address, maxPriceUsd6PerGcums: 10n ** 9n },
      ...{ spendCapUsd6: 10_000_000n, minReplicas: 2, maxReplicas: 2, slaMs: 1_000, expiresAt },
    };
    const noPermit = { value: 0n, deadline: 0n, v: 0, r: zeroHash, s: zeroHash };
    await chain.write({ account: payer, ...settlement, functionName: "open", args: [params, noPermit] });
    const laneOf = (nodeId: number) => chain.client.readContract({ ...settlement, functionName: "lane", args: [opened, nodeId] });
    await until("both nodes have a lane", async () =>
      (await Promise.all(nodes.map(({ nodeId }) => laneOf(nodeId)))).every(({ state }) => state === laneState.active),
    );

    for (const peer of peers) {
      for (const frame of await vouchersFor(chain, opened, peer.nodeId)) peer.peer.send(frame);
    }
    await chain.write({ account: payer, ...settlement, functionName: "close", args: [opened] });
    await until("both lanes are settled", async () =>
      (await Promise.all(nodes.map(({ nodeId }) => laneOf(nodeId)))).every(({ money }) => money.seq === 3),
    );
    const query = { ...settlement, fromBlock: 0n, strict: true, args: { sessionId: opened } } as const;
    const settled = await chain.client.getContractEvents({ ...query, eventName: "BillsSettled" });
    expect(settled.length, "a segment for each voucher").to.equal(4);
    expect(new Set(settled.map(({ transactionHash }) => transactionHash)).size, "one transaction").to.equal(1);
    const assigned = await chain.client.getContractEvents({ ...query, eventName: "ReplicaAssigned" });
    expect(assigned.length, "no lane assigned twice").to.equal(2);

    await chain.increaseTime(61);
    await until("the session is finished", async () => {
      const { terms } = await chain.client.readContract({ ...settlement, functionName: "session", args: [opened] });
      return terms.state === sessionState.finished;
    });
  });

  it("keeps no voucher that its bills do not fit, and chains those that came in any order", async () => {
    const context = { chainId: chain.chainId, verifyingContract: chain.deployment.sessionSettlement };
    const shelf = createVoucherShelf({ context, nowMs: () => 0 });
    const frames = await vouchersFor(chain, sessionId, 7);
    const [first, second] = frames;
    if (first === undefined || second === undefined) throw new Error("two vouchers are needed");
    expect(await shelf.take({ ...first, bills: second.bills })).to.equal(false);
    expect(await shelf.take(second)).to.equal(true);
    const lane = { sessionId, nodeId: 7, head: firstHeadOf({ sessionId, nodeId: 7 }), signers: [signer.address] };
    expect(shelf.following(lane), "one is missing before it").to.deep.equal([]);
    expect(await shelf.take(first)).to.equal(true);
    expect(await shelf.take(first), "known already").to.equal(false);
    expect(shelf.following(lane).map(({ seq }) => seq)).to.deep.equal([2n, 3n]);
    expect(shelf.following({ ...lane, signers: [zeroAddress] }), "signed by no key of the session").to.deep.equal([]);
    shelf.keepOnly([aSession({ lanes: [aLane(7, { seq: 2n })] })]);
    expect(shelf.following(lane), "what is settled is forgotten").to.deep.equal([]);
  });
});

/** Two vouchers of a lane as its payer signs them: two records, then one more. */
async function vouchersFor(chain: TestChain, session: Hex, nodeId: number): Promise<FrameOf<"voucher">[]> {
  const settlement = { address: chain.deployment.sessionSettlement, abi: sessionSettlementAbi } as const;
  const { terms } = await chain.client.readContract({ ...settlement, functionName: "session", args: [session] });
  const context = { chainId: chain.chainId, verifyingContract: settlement.address };
  const batches: BillRecord[][] = [
    [
      { kind: "execution", ms: 700 },
      { kind: "standby", ms: 90 },
    ],
    [{ kind: "execution", ms: 1_300 }],
  ];
  const frames: FrameOf<"voucher">[] = [];
  let head = firstHeadOf({ sessionId: session, nodeId });
  let weight = 0n;
  let seq = 0n;
  for (const records of batches) {
    const bills = packBills(records);
    weight += weightOf(records);
    seq += BigInt(records.length);
    const message = {
      ...{ sessionId: session, nodeId, seq, prevHead: head, billsHash: billsHashOf(bills), receiptsRoot: keccak256(bills) },
      cumulativeUsd6: dueUsd6({ weight, powerCu: 1_000, priceUsd6PerGcums: terms.priceUsd6PerGcums }),
    };
    frames.push({ t: "voucher", bills, voucher: await signMessage({ kind: "voucher", message, context, signer }) });
    head = nextHeadOf(message);
  }
  return frames;
}
