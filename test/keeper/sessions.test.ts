/** What a keeper does for sessions: planned by table, and acted out on a real chain by a keeper of its own. */
import { after, before, describe, it } from "node:test";
import type { Keeper } from "@ngpu/keeper/keeper/keeper";
import type { Gateway } from "@ngpu/keeper/gateway/gateway";
import { planSessions, sessionTiming } from "@ngpu/keeper/session/planSessions";
import type { LaneFacts, SessionFacts } from "@ngpu/keeper/session/sessionSnapshot";
import { createSessionReader } from "@ngpu/keeper/session/sessionSnapshot";
import { createVoucherShelf, type ShelvedVoucher } from "@ngpu/keeper/session/voucherShelf";
import { sessionSettlementAbi } from "@ngpu/protocol/generated/abi/sessionSettlement";
import { stakeVaultAbi } from "@ngpu/protocol/generated/abi/stakeVault";
import { localUsdAbi } from "@ngpu/protocol/generated/abi/localUsd";
import { floorRule } from "@ngpu/protocol/session/floorRule";
import { packBills, weightOf, type BillRecord } from "@ngpu/protocol/session/packedBills";
import { dueUsd6 } from "@ngpu/protocol/session/sessionMoney";
import { floorState, laneState, sessionState } from "@ngpu/protocol/session/sessionStates";
import { billsHashOf, firstHeadOf, nextHeadOf, sessionIdOf, sessionTaskIdOf } from "@ngpu/protocol/session/voucherChain";
import { signMessage } from "@ngpu/protocol/signed";
import type { FrameOf } from "@ngpu/protocol/wire";
import { expect } from "chai";
import { createPublicClient, custom, keccak256, toHex, zeroAddress, zeroHash, type Hex } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { startTestChain, type TestChain } from "../harness/chain.ts";
import { registerNode, type TestNode } from "../harness/nodes.ts";
import { startTestGateway, startTestKeeper } from "../harness/services.ts";
import { connectNode, type NodePeer } from "../harness/testNode.ts";
import { until } from "../harness/until.ts";
import { aReceipt, chainTimeS, modelId, nowMs, online } from "./world.ts";

const sessionId = keccak256("0x51");
const putInUsd6 = 10_000_000n;
const twoBatches: BillRecord[][] = [
  [
    { kind: "execution", ms: 700 },
    { kind: "standby", ms: 90 },
  ],
  [{ kind: "execution", ms: 1_300 }],
];
const signer = privateKeyToAccount(`0x${"51".repeat(32)}`);

function aLane(nodeId: number, change: Partial<LaneFacts> = {}): LaneFacts {
  const head = firstHeadOf({ sessionId, nodeId });
  const money = { allotmentUsd6: 1_000n, paidUsd6: 0n, powerCu: 1_000, seq: 0n, weight: 0n };
  const floor = { floor: floorState.unclaimed, claimSeq: 0n, burnableAtS: 0 };
  return { nodeId, isActive: true, isReclaimed: false, releasedAtS: 0, ...floor, ...money, head, ...change };
}

function aSession(change: Partial<SessionFacts> = {}): SessionFacts {
  return {
    ...{ sessionId, modelId, payer: zeroAddress, minReplicas: 2, maxReplicas: 2 },
    ...{ priceUsd6PerGcums: 0n, signer: signer.address, former: undefined },
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
    claims: { of: () => undefined },
    ...{ chainTimeS, nowMs, watchingSinceMs: nowMs - 60_000 },
    timing: { ...sessionTiming, settleMinUsd6: 0n },
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
    const draining = online(1, { slots: 0 });
    expect(kindsOf(aWorld({ sessions: [session], nodes: [draining, ...nodes] })), "one that stops, at once").to.deep.equal([
      "releaseReplica",
      "assignReplica",
    ]);
    const alone = aWorld({ sessions: [session], nodes: [draining, online(2)] });
    expect(kindsOf(alone), "it keeps its lane where nobody can take it").to.deep.equal([]);
    expect(kindsOf(aWorld({ sessions: [aSession()], nodes: [draining] })), "and gets none").to.deep.equal([]);
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
    const soon = aSession({ lanes, closesAtS: chainTimeS + sessionTiming.settleAheadS });
    expect(batchAt(soon, aShelved(zeroHash)), "before it expires").to.equal(1);
    expect(batchAt(aSession({ lanes: [aLane(1, { isActive: false, releasedAtS: chainTimeS + 9 })] }), aShelved(zeroHash))).to.equal(1);
  });

  it("lets a voucher wait that does not pay for its gas, until the session ends", () => {
    const timing = { ...sessionTiming, settleMinUsd6: 502n };
    const lanes = [aLane(1), aLane(2)];
    const isSettled = (session: SessionFacts, cumulativeUsd6: bigint, takenMs: number): boolean => {
      const waiting = new Map([[1, [aShelved(zeroHash, { cumulativeUsd6, takenMs })]]]);
      return kindsOf(aWorld({ sessions: [session], waiting, change: { timing } })).includes("settleSessions");
    };
    expect(isSettled(aSession({ lanes }), 501n, 0)).to.equal(false);
    expect(isSettled(aSession({ lanes }), 502n, 0)).to.equal(true);
    expect(isSettled(aSession({ lanes, closesAtS: chainTimeS }), 1n, nowMs)).to.equal(true);
  });

  it("claims and burns by the clock, and settles first what was signed after all", () => {
    const receipt = aReceipt(1, { startMs: BigInt(chainTimeS - floorRule.claimAfterS) * 1_000n - 1_000n, durationMs: 1_000 });
    const planned = (lane: Partial<LaneFacts>, given: { waiting?: ShelvedVoucher[]; claim?: bigint; late?: boolean } = {}) => {
      const receipts = [given.late ? { ...receipt, message: { ...receipt.message, startMs: receipt.message.startMs + 1n } } : receipt];
      const of = () => (given.claim === undefined ? undefined : { seq: given.claim, receipts, takenMs: nowMs });
      const sessions = [aSession({ lanes: [aLane(1, lane), aLane(2)] })];
      const waiting = new Map([[1, given.waiting ?? []]]);
      const change = { claims: { of: ({ nodeId }: { nodeId: number }) => (nodeId === 1 ? of() : undefined) } };
      return kindsOf(aWorld({ sessions, waiting, change }));
    };
    const voucher = aShelved(zeroHash);
    expect(planned({}, { claim: 1n })).to.deep.equal(["claimFloor"]);
    expect(planned({}, { claim: 1n, late: true }), "not before its time").to.deep.equal([]);
    expect(planned({}, { claim: 3n }), "not over a gap").to.deep.equal([]);
    expect(planned({}, { claim: 3n, waiting: [voucher] })).to.deep.equal(["settleSessions"]);
    expect(planned({ floor: floorState.burned }, { claim: 1n }), "once a lane").to.deep.equal([]);
    const claimed = { floor: floorState.claimed, claimSeq: 1n };
    expect(planned({ ...claimed, burnableAtS: chainTimeS + 1 })).to.deep.equal([]);
    expect(planned({ ...claimed, burnableAtS: chainTimeS })).to.deep.equal(["burnFloor"]);
    expect(planned({ ...claimed, burnableAtS: chainTimeS - 60 }), "it has lapsed").to.deep.equal([]);
    expect(planned({ ...claimed, burnableAtS: chainTimeS }, { waiting: [voucher] }), "a late voucher").to.deep.equal(["settleSessions"]);
  });

  it("frees a lane that was released when its time has come, but no voucher's money", () => {
    const freed = (lane: Partial<LaneFacts>, waiting: ShelvedVoucher[] = []): string[] => {
      const sessions = [aSession({ lanes: [aLane(1), aLane(2), aLane(3, { isActive: false, ...lane })] })];
      return kindsOf(aWorld({ sessions, waiting: new Map([[3, waiting]]) }));
    };
    expect(freed({ releasedAtS: chainTimeS })).to.deep.equal([]);
    expect(freed({ releasedAtS: chainTimeS - 1 })).to.deep.equal(["reclaimLane"]);
    expect(freed({ releasedAtS: chainTimeS - 1 }, [aShelved(zeroHash)])).to.deep.equal(["settleSessions"]);
    const claimed = { floor: floorState.claimed, claimSeq: 1n, burnableAtS: chainTimeS - 30 };
    expect(freed({ releasedAtS: chainTimeS - 1, ...claimed })).to.deep.equal(["burnFloor"]);
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
    // More than the least, so that what is burned leaves a node eligible.
    const stakeWei = 200n * 10n ** 18n;
    nodes = [await registerNode(chain, { stakeWei }), await registerNode(chain, { stakeWei })];
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

  /** A session of two lanes that its payer has put ten dollars in. */
  async function openSession(clientNonce: Hex): Promise<Hex> {
    const { deployment } = chain;
    const payer = chain.account(0);
    const token = { address: deployment.localUsd ?? zeroAddress, abi: localUsdAbi } as const;
    await chain.write({ account: payer, ...token, functionName: "approve", args: [deployment.paymentVault, putInUsd6] });
    const place = { chainId: chain.chainId, settlement: deployment.sessionSettlement };
    const opened = sessionIdOf({ ...place, payer: payer.address, clientNonce, modelId });
    const expiresAt = (await chain.nowS()) + 3_600;
    const params = {
      ...{ clientNonce, modelId, signer: signer.address, maxPriceUsd6PerGcums: 10n ** 9n },
      ...{ spendCapUsd6: putInUsd6, minReplicas: 2, maxReplicas: 2, slaMs: 1_000, expiresAt },
    };
    const noPermit = { value: 0n, deadline: 0n, v: 0, r: zeroHash, s: zeroHash };
    await chain.write({ account: payer, ...settlement(), functionName: "open", args: [params, noPermit] });
    await untilLanes(opened, "both nodes have a lane", ({ state }) => state === laneState.active);
    return opened;
  }

  const settlement = () => ({ address: chain.deployment.sessionSettlement, abi: sessionSettlementAbi }) as const;
  const laneOf = (opened: Hex, nodeId: number) =>
    chain.client.readContract({ ...settlement(), functionName: "lane", args: [opened, nodeId] });
  type ChainLane = Awaited<ReturnType<typeof laneOf>>;
  const untilLanes = (opened: Hex, what: string, is: (lane: ChainLane) => boolean) =>
    until(what, async () => (await Promise.all(nodes.map(({ nodeId }) => laneOf(opened, nodeId)))).every(is));
  const close = (opened: Hex) =>
    chain.write({ account: chain.account(0), ...settlement(), functionName: "close", args: [opened] });
  const sessionOf = (opened: Hex) =>
    chain.client.readContract({ ...settlement(), functionName: "session", args: [opened] });

  async function untilFinished(opened: Hex): Promise<void> {
    await chain.increaseTime(61);
    await until("the session is finished", async () => (await sessionOf(opened)).terms.state === sessionState.finished);
  }

  it("assigns lanes once, settles both at once when the session closes, again after a reorg, and gives the rest back", async () => {
    const opened = await openSession(zeroHash);
    const before = await chain.snapshot();
    for (const { nodeId, peer } of peers) for (const frame of await vouchersFor(chain, opened, nodeId)) peer.send(frame);
    const settled = async () => {
      await close(opened);
      await untilLanes(opened, "both lanes are settled", ({ money }) => money.seq === 3);
      const query = { ...settlement(), fromBlock: 0n, strict: true, args: { sessionId: opened } } as const;
      const bills = await chain.client.getContractEvents({ ...query, eventName: "BillsSettled" });
      expect(bills.length, "a segment for each voucher").to.equal(4);
      expect(new Set(bills.map(({ transactionHash }) => transactionHash)).size, "one transaction").to.equal(1);
      const assigned = await chain.client.getContractEvents({ ...query, eventName: "ReplicaAssigned" });
      expect(assigned.length, "no lane assigned twice").to.equal(2);
    };
    await settled();
    await chain.revert(before);
    await chain.mine(3);
    // No node sends anything again.
    await settled();
    await untilFinished(opened);
  });

  it("burns on both sides what a payer withholds its signature from, unless a late voucher covers it", async () => {
    const { stakeVault } = chain.deployment;
    const stakeOf = async (nodeId: number) =>
      (await chain.client.readContract({ address: stakeVault, abi: stakeVaultAbi, functionName: "stakeOf", args: [nodeId] })).stakedWei;
    const opened = await openSession(keccak256("0x02"));
    const [stakesBefore, frames] = [new Map<number, bigint>(), new Map<number, FrameOf<"voucher">[]>()];
    for (const { nodeId, node, peer } of peers) {
      stakesBefore.set(nodeId, await stakeOf(nodeId));
      const vouchers = await vouchersFor(chain, opened, nodeId, [[{ kind: "execution", ms: 600 }], [{ kind: "execution", ms: 800 }]]);
      frames.set(nodeId, vouchers);
      // The record of the second voucher is what is withheld: signed by the node, by nobody else.
      if (vouchers[0] !== undefined) peer.send(vouchers[0]);
      const startMs = BigInt((await chain.nowS()) - floorRule.claimAfterS - 5) * 1_000n;
      const message = {
        ...{ taskId: sessionTaskIdOf({ sessionId: opened, nodeId, seq: 2n }), assignment: 0, attempt: 0, nodeId, modelId },
        ...{ inputCommitment: zeroHash, outputCommitment: zeroHash, outputCiphertext: zeroHash, slot: 0, powerCu: 1_000 },
        ...{ startMs, durationMs: 800, status: 0 },
      };
      const context = { chainId: chain.chainId, verifyingContract: chain.deployment.taskEscrow };
      const receipt = await signMessage({ kind: "receipt", message, context, signer: node.operator });
      peer.send({ t: "claim", sessionId: opened, nodeId, seq: 2n, receipts: [receipt] });
    }
    await untilLanes(opened, "what was signed is settled, the rest claimed", ({ floor, money }) => floor === floorState.claimed && money.seq === 1);

    const [withheld, late] = peers;
    if (withheld === undefined || late === undefined) throw new Error("two nodes are needed");
    const lateVoucher = frames.get(late.nodeId)?.[1];
    if (lateVoucher === undefined) throw new Error("two vouchers are needed");
    late.peer.send(lateVoucher);
    await until("the late voucher is settled", async () => (await laneOf(opened, late.nodeId)).money.seq === 2);
    await chain.increaseTime(61);
    await untilLanes(opened, "both claims have ended", ({ floor }) => floor !== floorState.claimed);
    expect((await laneOf(opened, withheld.nodeId)).floor).to.equal(floorState.burned);
    expect((await laneOf(opened, late.nodeId)).floor).to.equal(floorState.covered);

    const { terms } = await sessionOf(opened);
    const amountUsd6 = (ms: bigint) =>
      dueUsd6({ weight: ms * 10_000n, powerCu: 1_000, priceUsd6PerGcums: terms.priceUsd6PerGcums });
    const burnedUsd6 = amountUsd6(1_400n) - amountUsd6(600n);
    expect(Number(burnedUsd6)).to.be.greaterThan(0);
    const lostWei = (stakesBefore.get(withheld.nodeId) ?? 0n) - (await stakeOf(withheld.nodeId));
    expect(lostWei, "the node lost as much").to.equal(burnedUsd6 * terms.stakeWeiPerUsd6);
    expect(await stakeOf(late.nodeId)).to.equal(stakesBefore.get(late.nodeId));

    await close(opened);
    await untilFinished(opened);
    const { purse } = await sessionOf(opened);
    const paid = await Promise.all(peers.map(async ({ nodeId }) => (await laneOf(opened, nodeId)).money.paidUsd6));
    expect(paid).to.deep.equal([amountUsd6(600n), amountUsd6(1_400n)]);
    expect(purse.putInUsd6, "the payer lost what it withheld").to.equal(putInUsd6 - burnedUsd6);
    expect(purse.returnedUsd6).to.equal(putInUsd6 - burnedUsd6 - amountUsd6(600n) - amountUsd6(1_400n));
  });

  it("asks the chain nothing about sessions while nothing happens to them", async () => {
    let asked: string[] = [];
    const counting = createPublicClient({
      transport: custom({
        request: async ({ method, params }) => {
          asked.push(method);
          return chain.client.request({ method, params } as Parameters<typeof chain.client.request>[0]);
        },
      }),
    });
    const reader = createSessionReader({ chain: counting, deployment: chain.deployment });
    const opened = await openSession(keccak256("0x03"));
    const headNow = async () => {
      const { number, hash, timestamp } = await chain.client.getBlock();
      return { number, hash, timestampS: Number(timestamp) };
    };
    const facts = await reader.read(await headNow());
    expect(facts.map(({ sessionId, lanes }) => [sessionId, lanes.length])).to.deep.equal([[opened, 2]]);
    await chain.mine(20);
    await reader.read(await headNow());
    asked = [];
    const head = await headNow();
    expect(await reader.read(head)).to.equal(await reader.read(head));
    expect(asked, "no new block").to.deep.equal([]);
    for (let block = 0; block < 20; block += 1) {
      await chain.mine(1);
      expect(await reader.read(await headNow())).to.deep.equal(facts);
    }
    expect(asked.filter((method) => method === "eth_call"), "new blocks without events").to.deep.equal([]);
    await close(opened);
    const [closed] = await reader.read(await headNow());
    expect(closed?.closesAtS).to.be.lessThan(facts[0]?.closesAtS ?? 0);
  });

  it("keeps no voucher that its bills do not fit, and chains those that came in any order", async () => {
    const context = { chainId: chain.chainId, verifyingContract: chain.deployment.sessionSettlement };
    let nowOfShelf = 0;
    const shelf = createVoucherShelf({ context, nowMs: () => nowOfShelf });
    const frames = await vouchersFor(chain, sessionId, 7);
    const [first, second] = frames;
    if (first === undefined || second === undefined) throw new Error("two vouchers are needed");
    expect(await shelf.take({ ...first, bills: second.bills })).to.equal(false);
    expect(await shelf.take(second)).to.equal(true);
    const lane = { ...aLane(7), sessionId, priceUsd6PerGcums: 0n, signers: [signer.address] };
    expect(shelf.following(lane), "one is missing before it").to.deep.equal([]);
    expect(await shelf.take(first)).to.equal(true);
    expect(await shelf.take(first), "known already").to.equal(false);
    expect(shelf.following(lane).map(({ seq }) => seq)).to.deep.equal([2n, 3n]);
    expect(shelf.following({ ...lane, signers: [zeroAddress] }), "signed by no key of the session").to.deep.equal([]);
    expect(shelf.following({ ...lane, priceUsd6PerGcums: 10n ** 9n }), "with too low a sum").to.deep.equal([]);
    expect(shelf.following({ ...lane, seq: 1n }), "with a number that does not follow").to.deep.equal([]);
    const settled = [aSession({ lanes: [aLane(7, { seq: 3n })] })];
    shelf.keepOnly(settled);
    expect(shelf.following(lane).length, "the chain may take its settlement back").to.equal(2);
    nowOfShelf = 15 * 60_000 + 1;
    shelf.keepOnly(settled);
    expect(shelf.following(lane), "what is settled long since is forgotten").to.deep.equal([]);
  });
});

/** Vouchers of a lane as its payer signs them, one for each batch. */
async function vouchersFor(
  chain: TestChain,
  session: Hex,
  nodeId: number,
  batches: BillRecord[][] = twoBatches,
): Promise<FrameOf<"voucher">[]> {
  const settlement = { address: chain.deployment.sessionSettlement, abi: sessionSettlementAbi } as const;
  const { terms } = await chain.client.readContract({ ...settlement, functionName: "session", args: [session] });
  const context = { chainId: chain.chainId, verifyingContract: settlement.address };
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
