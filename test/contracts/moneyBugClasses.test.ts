/**
 * Bugs that audits found in other protocols' money, each tried on the session rail and its vault. A title names the
 * class and where it was found.
 */
import { after, before, beforeEach, describe, it } from "node:test";
import { billing, packBills } from "@ngpu/protocol/session/packedBills";
import { typedData } from "@ngpu/protocol/typedData";
import { expect } from "chai";
import { encodeFunctionData, maxUint256, parseAbi, type Address, type Hex } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { eventsOf } from "./support/chain.ts";
import { devKey } from "./support/devKey.ts";
import { noPermit, signPermit } from "./support/permit.ts";
import { codeOf } from "./support/revert.ts";
import {
  billOn,
  bookOf,
  createSessionWorld,
  exec,
  fault,
  PRICE_USD6,
  sessionReceipt,
  WINDOW_S,
  type SessionWorld,
} from "./support/sessions.ts";
import { hashOf } from "./support/tasks.ts";
import { keyOf, USD6 } from "./support/world.ts";

const hostile = parseAbi([
  "function approve(address spender, uint256 value) returns (bool)",
  "function balanceOf(address account) view returns (uint256)",
  "function arm(address target, bytes call)",
  "function setFee(uint256 feeBps)",
  "function setBlocked(address account, bool blocked)",
  "function callbacks() view returns (uint256)",
]);

describe("Bug classes of money", () => {
  let world: SessionWorld;
  before(async () => {
    world = await createSessionWorld();
  });
  beforeEach(() => world.restore());
  after(() => world.close());

  const creditOf = async (account: Hex) => (await world.accountOf(account)).creditUsd6;
  const balanceOf = (account: Address) =>
    world.publicClient.readContract({ ...world.usd, functionName: "balanceOf", args: [account] });
  const faults = async (...settlements: Parameters<SessionWorld["settle"]>[0][number][]) =>
    eventsOf(await world.settle(settlements), world.settlement, "VoucherRefused").map(({ code }) => code);

  /** The rail on a token of ours, with a payer that has approved and a lane on alpha. */
  async function onHostileToken() {
    const { payer, deployer } = world.actors;
    const token = await world.deploy("HostileToken", hostile, [payer, 1_000n * USD6]);
    const vault = await world.deploy("PaymentVault", world.vault.abi, [token.address, WINDOW_S, WINDOW_S]);
    const parts = { ...world.parts, paymentVault: vault.address };
    const settlement = await world.deploy("SessionSettlement", world.settlement.abi, [parts]);
    await world.send(deployer, vault, "fixRails", [[settlement.address]]);
    await world.send(deployer, world.locks, "setRail", [settlement.address]);
    await world.send(payer, token, "approve", [vault.address, maxUint256]);
    const open = async (nonce: string) =>
      world.send(payer, settlement, "open", [await world.anOpen({ clientNonce: hashOf(nonce) }), noPermit]);
    return { token, vault, settlement, open };
  }

  it("1 · credit without payment (Graph-OZ-24 C-01): every way in raises the vault's tokens by what it credits", async () => {
    const { payer, stranger } = world.actors;
    const { sessionId } = await world.open();
    const ways = [
      () => world.send(payer, world.vault, "deposit", [stranger, 7n]),
      () => world.send(payer, world.settlement, "topUp", [sessionId, 7n, noPermit]),
      () => world.open({ clientNonce: hashOf("another"), spendCapUsd6: 7n }),
    ];
    for (const way of ways) {
      const before = await balanceOf(world.vault.address);
      await way();
      expect((await balanceOf(world.vault.address)) - before).to.equal(7n);
    }
    expect(await codeOf(world.send(world.otherRail, world.vault, "payFromHeld", [stranger, 1n]))).to.equal(
      "PaymentHeldInsufficient",
    );
  });

  it("9 · colliding ids (Graph-T H-2): sessions, lanes and tasks of different parties never share one", async () => {
    const { payer, otherPayer } = world.actors;
    const { alpha, beta } = world.nodes;
    const mine = await world.open();
    const theirs = await world.open({}, otherPayer);
    const otherModel = await world.open({ modelId: hashOf("other") });
    expect(new Set([mine.sessionId, theirs.sessionId, otherModel.sessionId]).size).to.equal(3);
    for (const { sessionId } of [mine, theirs]) await world.assign(sessionId, alpha);
    await world.assign(mine.sessionId, beta);
    const { settlement } = await world.bill(bookOf(mine.sessionId, alpha), [exec(10)]);
    const moved = [{ ...settlement, sessionId: theirs.sessionId }, { ...settlement, nodeId: beta.nodeId }];
    expect(await faults(...moved)).to.deep.equal([fault.signatureInvalid, fault.signatureInvalid]);
    expect(payer).to.not.equal(otherPayer);
  });

  it("10 · payer drains its own escrow (Graph-T H-1, T25 H-3): an allotment goes to its node or, a window later, back", async () => {
    const { payer, stranger } = world.actors;
    const { alpha, beta } = world.nodes;
    const { sessionId, book } = await world.aLane(alpha, { spendCapUsd6: 100n }, 100n);
    const voucher = await world.bill(book, [exec(1_000)]);
    // Its own node, its own withdrawal, a close and a release: nothing reaches what alpha was allotted in time.
    expect(await codeOf(world.assign(sessionId, beta, { allotmentUsd6: 1n, from: payer }))).to.equal(
      "SessionInsufficientFree",
    );
    await world.send(payer, world.settlement, "releaseReplica", [sessionId, alpha.nodeId]);
    await world.send(payer, world.settlement, "close", [sessionId]);
    expect(await codeOf(world.send(payer, world.vault, "withdraw", [payer, 1n]))).to.equal("PaymentWithdrawalThaws");
    for (const name of ["reclaimLane", "finish"] as const) {
      const args = name === "finish" ? ([sessionId] as const) : ([sessionId, alpha.nodeId] as const);
      const act = world.send(payer, world.settlement, name, args as never);
      expect(await codeOf(act)).to.match(/^Session(LaneNotReclaimable|StillSettling)$/);
    }
    await world.settle([voucher.settlement]);
    expect((await creditOf(alpha.payout)) + (await creditOf(world.parts.treasury))).to.equal(100n);
    expect(stranger).to.not.equal(payer);
  });

  it("11 · a field that is not signed (Graph-OZ-24 H-07, H-08; T M-15): every field of a voucher and of a claim counts", async () => {
    const { alpha } = world.nodes;
    const { sessionId, book } = await world.aLane();
    const { settlement } = await world.bill(book, [exec(10, 20)]);
    const [segment] = settlement.segments;
    if (segment === undefined) throw new Error("there is one segment");
    const others = [
      { ...settlement, segments: [{ ...segment, bills: packBills(exec(20, 10)) }] },
      { ...settlement, segments: [{ ...segment, receiptsRoot: hashOf("other") }] },
      { ...settlement, segments: [{ ...segment, bills: packBills(exec(10)) }, { ...segment, bills: packBills(exec(20)) }] },
    ];
    expect(await faults(...others)).to.deep.equal(others.map(() => fault.signatureInvalid));
    const { message, signature } = await sessionReceipt(world, { sessionId, node: alpha, seq: 1n });
    expect(Object.keys(message)).to.deep.equal(typedData.receipt.types.Receipt.map(({ name }) => name));
    for (const field of typedData.receipt.types.Receipt) {
      const value = message[field.name];
      const changed = typeof value === "string" ? hashOf(field.name) : typeof value === "bigint" ? value + 1n : value + 1;
      const args = [sessionId, alpha.nodeId, [{ ...message, [field.name]: changed }], [signature]] as const;
      const act = world.send(world.actors.owner, world.settlement, "claimFloor", args);
      expect(await codeOf(act), field.name).to.equal("SessionReceiptInvalid");
    }
  });

  it("12 · a voucher collected under another key or again (Graph-T M-10): what is paid never exceeds the highest sum", async () => {
    const { payer } = world.actors;
    const { alpha } = world.nodes;
    const { sessionId, book } = await world.aLane();
    const first = await world.bill(book, [exec(1_000)]);
    const second = await world.bill(first.book, [exec(1_000)]);
    const both = { ...second.settlement, segments: [...first.settlement.segments, ...second.settlement.segments] };
    const next = keyOf("next signer");
    await world.settle([first.settlement, both]);
    await world.send(payer, world.settlement, "replaceSigner", [sessionId, next.address]);
    await world.settle([both, second.settlement, first.settlement, second.settlement]);
    const signedAnew = await world.bill(book, [exec(1_000)], { by: next });
    expect(await faults(signedAnew.settlement)).to.deep.equal([fault.signatureInvalid]);
    expect((await creditOf(alpha.payout)) + (await creditOf(world.parts.treasury))).to.equal(200n);
    const fork = await billOn({ settlement: world.settlement.address, book: second.book, segments: [exec(1)], chainId: 2 });
    expect(await faults(fork.settlement)).to.deep.equal([fault.signatureInvalid]);
  });

  it("13 · an old update after a newer one (Graph-T25 M-3): sequence and sum only rise", async () => {
    const { sessionId, book } = await world.aLane();
    const first = await world.bill(book, [exec(10)]);
    const newer = await world.bill(first.book, [exec(20)]);
    expect(await faults(newer.settlement, first.settlement)).to.deep.equal([fault.signatureInvalid]);
    expect((await world.laneOf(sessionId, book.nodeId)).money.seq).to.equal(1);
    expect(await faults(newer.settlement, newer.settlement)).to.deep.equal([fault.signatureInvalid]);
    expect((await world.laneOf(sessionId, book.nodeId)).money).to.include({ seq: 2, weight: 300_000n });
  });

  it("14 · another collects to itself (Graph-T25 H-2; OZ-24 H-09): whoever settles, the registered payout is paid", async () => {
    const { owner, stranger } = world.actors;
    const { alpha } = world.nodes;
    const { book } = await world.aLane();
    const { settlement } = await world.bill(book, [exec(1_000)]);
    const moved = keyOf("new payout").address;
    await world.send(owner, world.registry, "setPayout", [alpha.nodeId, moved]);
    await world.settle([settlement], stranger);
    expect([await creditOf(moved), await creditOf(alpha.payout), await creditOf(stranger)]).to.deep.equal([99n, 0n, 0n]);
  });

  it("15 · a voucher too large to collect (Graph-T M-5; OZ-25 L-13): it is paid in part and collected later", async () => {
    const { alpha } = world.nodes;
    const { sessionId, book } = await world.aLane(alpha, { spendCapUsd6: 1_000n }, 1n);
    const most = exec(...Array.from({ length: billing.maxRecords }, () => billing.maxMs));
    const huge = await world.bill(book, [most]);
    const receipt = await world.settle([huge.settlement]);
    const [event] = eventsOf(receipt, world.settlement, "BillsSettled");
    expect(event).to.include({ paidUsd6: 1n, cumulativeUsd6: huge.cumulativeUsd6, owedUsd6: huge.cumulativeUsd6 - 1n });
    await world.send(world.actors.stranger, world.settlement, "collect", [sessionId, alpha.nodeId]);
    expect((await world.laneOf(sessionId, alpha.nodeId)).money.paidUsd6).to.equal(1_000n);
  });

  it("17 · amounts that the relayer chooses, zero settlements, endless bytes (x402 3.1.1–3.1.3): none exists here", async () => {
    const { book, sessionId } = await world.aLane();
    const { settlement } = await world.bill(book, [exec(10)]);
    const [segment] = settlement.segments;
    if (segment === undefined) throw new Error("there is one segment");
    const endless = packBills(exec(...Array.from({ length: billing.maxRecords }, () => 1)));
    const tried = [
      { ...settlement, segments: [] },
      { ...settlement, segments: [{ ...segment, bills: "0x" as Hex }] },
      { ...settlement, segments: [{ ...segment, bills: `${endless}00000001` as Hex }] },
    ];
    expect(await faults(...tried)).to.deep.equal(tried.map(() => fault.billsMalformed));
    expect((await world.laneOf(sessionId, book.nodeId)).money.seq, "nothing was used up").to.equal(0);
    expect(await faults(settlement)).to.deep.equal([]);
  });

  it("18 · a token that calls back (CP 3.1.1; EL-Certora H-01): entering again from inside gains nothing", async () => {
    const { payer } = world.actors;
    const { token, vault, settlement, open } = await onHostileToken();
    const nested = [
      [settlement.address, encodeFunctionData({
        abi: world.settlement.abi,
        functionName: "open",
        args: [await world.anOpen({ clientNonce: hashOf("nested") }), noPermit],
      })],
      [settlement.address, encodeFunctionData({ abi: world.settlement.abi, functionName: "settle", args: [[]] })],
      [vault.address, encodeFunctionData({ abi: vault.abi, functionName: "withdraw", args: [payer, 1n] })],
    ] as const;
    for (const [index, [target, call]] of nested.entries()) {
      await world.send(payer, token, "arm", [target, call]);
      await open(`outer ${index}`);
    }
    const held = { ...vault, functionName: "heldBy", args: [settlement.address] } as const;
    const inVault = { ...token, functionName: "balanceOf", args: [vault.address] } as const;
    expect(await world.publicClient.readContract({ ...token, functionName: "callbacks" })).to.equal(0n);
    expect(await world.publicClient.readContract(held)).to.equal(300n * USD6);
    expect(await world.publicClient.readContract(inVault)).to.equal(300n * USD6);
  });

  it("19 · one blocked receiver blocks a batch (CP 3.2.1; elfi #107; sentiment #284): credits are pulled, so none does", async () => {
    const { payer, stranger } = world.actors;
    const { alpha, beta } = world.nodes;
    const { token, vault, settlement, open } = await onHostileToken();
    await open("batch");
    const sessionId = await world.publicClient.readContract({
      ...settlement,
      functionName: "sessionIdOf",
      args: [payer, hashOf("batch"), hashOf("model")],
    });
    const settlements = [];
    for (const node of [alpha, beta]) {
      await world.send(payer, settlement, "assignReplica", [sessionId, node.nodeId, 0, 1_000n]);
      const book = bookOf(sessionId, node);
      const signed = await billOn({ settlement: settlement.address, book, segments: [exec(1_000)] });
      settlements.push(signed.settlement);
      if (node === alpha) await world.send(payer, token, "setBlocked", [node.payout, true]);
    }
    await world.send(stranger, settlement, "settle", [settlements]);
    expect(await codeOf(world.send(stranger, vault, "payCredit", [alpha.payout]))).to.equal("TokenReceiverBlocked");
    await world.send(stranger, vault, "payCredit", [beta.payout]);
    const paid = { ...token, functionName: "balanceOf", args: [beta.payout] } as const;
    expect(await world.publicClient.readContract(paid)).to.equal(99n);
  });

  it("20 · a permit used by somebody else first (lido #803; zama #1682): the session still opens", async () => {
    const { payer, stranger } = world.actors;
    await world.send(payer, world.usd, "approve", [world.vault.address, 0n]);
    const owner = privateKeyToAccount(devKey(2));
    const permit = await signPermit(world, { owner, token: world.usd, spender: world.vault.address, value: 100n * USD6 });
    const { value, deadline, v, r, s } = permit;
    await world.send(stranger, world.usd, "permit", [payer, world.vault.address, value, deadline, v, r, s]);
    await world.open({}, payer, permit);
    expect(await world.heldUsd6()).to.equal(100n * USD6);
  });

  it("22 · casts that cut (EL-Cantina 3.1.1; EL-Certora C-01): type edges are refused, not cut", async () => {
    const { payer, deployer } = world.actors;
    const rich = await world.deploy("HostileToken", hostile, [payer, 2n ** 140n]);
    const vault = await world.deploy("PaymentVault", world.vault.abi, [rich.address, WINDOW_S, WINDOW_S]);
    const rail = world.otherRail;
    await world.send(deployer, vault, "fixRails", [[rail]]);
    await world.send(payer, rich, "approve", [vault.address, maxUint256]);
    const code = "SafeCastOverflowedUintDowncast";
    expect(await codeOf(world.send(rail, vault, "hold", [payer, 2n ** 128n, noPermit]))).to.equal(code);
    await world.send(rail, vault, "hold", [payer, 2n ** 128n - 1n, noPermit]);
    expect(await codeOf(world.send(rail, vault, "payFromHeld", [payer, 2n ** 96n]))).to.equal(code);
    expect(await codeOf(world.send(rail, vault, "returnFromHeld", [payer, 2n ** 96n]))).to.equal(code);
    const far = world.open({ expiresAt: 2 ** 32 + 100 });
    expect(await codeOf(far)).to.equal("SessionExpiryOutOfRange");
  });

  it("25 · a stale price (gfx #65, notional #2): no session opens, and nothing else stops", async () => {
    const { payer, stranger } = world.actors;
    const { alpha } = world.nodes;
    const { sessionId, book } = await world.aLane(alpha, { expiresAt: (await world.now()) + 20_000 });
    await world.increase(4_000);
    expect(await codeOf(world.open({ clientNonce: hashOf("stale") }))).to.equal("FeedStale");
    await world.settle([(await world.bill(book, [exec(1_000)])).settlement]);
    await world.send(payer, world.settlement, "topUp", [sessionId, 5n, noPermit]);
    await world.assign(sessionId, alpha, { allotmentUsd6: 11n * USD6 });
    await world.send(payer, world.settlement, "close", [sessionId]);
    await world.increase(WINDOW_S);
    await world.send(stranger, world.settlement, "reclaimLane", [sessionId, alpha.nodeId]);
    await world.send(stranger, world.settlement, "finish", [sessionId]);
    await world.send(payer, world.vault, "withdraw", [payer, 1n]);
    expect(await creditOf(alpha.payout)).to.equal(99n);
  });

  it("29 · parameters that change what is open (Graph-OZ-25 L-19, L-02): a session keeps the price it opened at", async () => {
    const { deployer } = world.actors;
    const { sessionId, book } = await world.aLane();
    await world.send(deployer, world.oracle, "setPrice", [PRICE_USD6 * 10n]);
    await world.send(deployer, world.feed, "push", [100_000_000n]);
    const strong = { minimumPowerCu: 9_000, minimumStakeWei: 1n, enabled: true };
    await world.send(deployer, world.registry, "setNodeClass", [0, "cpu", strong]);
    const [event] = eventsOf(
      await world.settle([(await world.bill(book, [exec(1_000)])).settlement]),
      world.settlement,
      "BillsSettled",
    );
    expect(event).to.include({ paidUsd6: 100n, powerCu: 1_000, priceUsd6PerGcums: PRICE_USD6 });
    expect((await world.sessionOf(sessionId)).terms.priceUsd6PerGcums).to.equal(PRICE_USD6);
  });

  it("32 · tokens that keep a fee (Morpho's ERC-20 mocks): what did not arrive opens nothing", async () => {
    const { payer } = world.actors;
    const { token, vault, settlement, open } = await onHostileToken();
    await world.send(payer, token, "setFee", [100n]);
    expect(await codeOf(open("short"))).to.equal("PaymentTokenShort");
    await world.send(payer, token, "setFee", [0n]);
    await open("whole");
    const held = { ...vault, functionName: "heldBy", args: [settlement.address] } as const;
    expect(await world.publicClient.readContract(held)).to.equal(100n * USD6);
  });
});
