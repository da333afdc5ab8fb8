/**
 * The session rail on a vault of its own, with the stake vault reduced to what a rail sees of it, and the acts that its
 * tests and benchmarks are made of: open, assign, bill, settle. The lane's book is kept here as a client keeps it.
 */
import { paymentVaultAbi } from "@ngpu/protocol/generated/abi/paymentVault";
import { sessionSettlementAbi } from "@ngpu/protocol/generated/abi/sessionSettlement";
import { packBills, weightOf, type BillRecord } from "@ngpu/protocol/session/packedBills";
import { dueUsd6 } from "@ngpu/protocol/session/sessionMoney";
import { billsHashOf, firstHeadOf, nextHeadOf, sessionIdOf, sessionTaskIdOf } from "@ngpu/protocol/session/voucherChain";
import { signMessage } from "@ngpu/protocol/signed";
import type { Receipt, Voucher } from "@ngpu/protocol/typedData";
import { maxUint256, parseAbi, type Account, type Address, type Hex } from "viem";
import type { PrivateKeyAccount } from "viem/accounts";
import { noPermit, type Permit } from "./permit.ts";
import { aReceipt, hashOf } from "./tasks.ts";
import { CHAIN_ID, createWorld, keyOf, NGPU_WEI, USD6, type NodeKeys } from "./world.ts";

export const WINDOW_S = 60;
/** Treasury fee of the session world, in basis points. */
export const FEE_BPS = 100;
export const PRICE_USD6 = 100_000n;
/** At 0.50 USD for an NGPU: a base unit is worth 2 × 10¹² wei. */
export const STAKE_WEI_PER_USD6 = 2_000_000_000_000n;

export const role = { primary: 0, backup: 1 } as const;
export const laneState = { none: 0, active: 1, releasing: 2, reclaimed: 3 } as const;
export const floorState = { unclaimed: 0, claimed: 1, burned: 2, covered: 3 } as const;
export const fault = {
  sessionUnknown: 1,
  windowOver: 2,
  laneUnknown: 3,
  billsMalformed: 4,
  signatureInvalid: 5,
  tooLarge: 6,
} as const;

export const feeLockAbi = parseAbi([
  "function setRail(address rail)",
  "function setStake(uint32 nodeId, uint128 stakedWei)",
  "function setReach(uint256 reachWei)",
  "function stakes(uint32 nodeId) view returns (uint128 stakedWei, uint128 thawingWei)",
  "function lockedOf(uint32 nodeId) view returns (uint256)",
  "function lastOrder() view returns (uint256 amountWei, bytes32 reason, bytes32 evidence, address compensated, uint256 compensationWei, address challenger, uint256 challengerWei)",
  "event StakeLockShort(uint32 indexed nodeId, uint256 askedWei, uint256 lockedWei)",
]);

export interface Open {
  clientNonce: Hex;
  modelId: Hex;
  signer: Address;
  maxPriceUsd6PerGcums: bigint;
  spendCapUsd6: bigint;
  minReplicas: number;
  maxReplicas: number;
  slaMs: number;
  expiresAt: number;
}

export interface Segment {
  bills: Hex;
  receiptsRoot: Hex;
}

export interface Settlement {
  sessionId: Hex;
  nodeId: number;
  segments: readonly Segment[];
  signature: Hex;
}

/** What a client knows of a lane: the chain so far and what it comes to. */
export interface LaneBook {
  readonly sessionId: Hex;
  readonly nodeId: number;
  readonly powerCu: number;
  readonly head: Hex;
  readonly seq: bigint;
  readonly weight: bigint;
}

export const signer = keyOf("session signer");
export const treasury = keyOf("treasury").address;
export const exec = (...ms: number[]): BillRecord[] => ms.map((each) => ({ kind: "execution", ms: each }));
export const standby = (...ms: number[]): BillRecord[] => ms.map((each) => ({ kind: "standby", ms: each }));

export type SessionWorld = Awaited<ReturnType<typeof createSessionWorld>>;

export async function createSessionWorld({ token }: { token?: Address } = {}) {
  const world = await createWorld();
  const { deployer, payer, otherPayer } = world.actors;
  const usd = { abi: world.usd.abi, address: token ?? world.usd.address };
  const vault = await world.deploy("PaymentVault", paymentVaultAbi, [usd.address, WINDOW_S, WINDOW_S]);
  const locks = await world.deploy("FeeLockVault", feeLockAbi, [WINDOW_S]);
  const parts = {
    authority: world.accessManager.address,
    registry: world.registry.address,
    paymentVault: vault.address,
    stakeVault: locks.address,
    priceOracle: world.oracle.address,
    taskEscrow: world.escrow.address,
    treasury,
    feeBps: FEE_BPS,
    settleWindow: WINDOW_S,
  };
  const settlement = await world.deploy("SessionSettlement", sessionSettlementAbi, [parts]);
  /** Plays a second rail. */
  const otherRail = world.accountAt(9);
  await world.send(deployer, vault, "fixRails", [[settlement.address, otherRail]]);
  await world.send(deployer, locks, "setRail", [settlement.address]);
  for (const node of Object.values(world.nodes)) {
    await world.send(deployer, locks, "setStake", [node.nodeId, 1_000n * NGPU_WEI]);
  }
  if (token === undefined) {
    for (const each of [payer, otherPayer]) await world.send(each, usd, "approve", [vault.address, maxUint256]);
  }
  await world.remember();

  const read = world.publicClient.readContract;
  const sessionOf = (sessionId: Hex) => read({ ...settlement, functionName: "session", args: [sessionId] });
  const laneOf = (sessionId: Hex, nodeId: number) =>
    read({ ...settlement, functionName: "lane", args: [sessionId, nodeId] });
  const accountOf = (account: Address) => read({ ...vault, functionName: "accountOf", args: [account] });
  const heldUsd6 = () => read({ ...vault, functionName: "heldBy", args: [settlement.address] });

  async function anOpen(change: Partial<Open> = {}): Promise<Open> {
    return {
      clientNonce: hashOf("session nonce"),
      modelId: hashOf("model"),
      signer: signer.address,
      maxPriceUsd6PerGcums: PRICE_USD6,
      spendCapUsd6: 100n * USD6,
      minReplicas: 1,
      maxReplicas: 3,
      slaMs: 500,
      expiresAt: (await world.now()) + 3_600,
      ...change,
    };
  }

  /** Opens a session that `payer` pays for from its wallet. */
  async function open(change: Partial<Open> = {}, by: Address | Account = payer, permit: Permit = noPermit) {
    const params = await anOpen(change);
    const receipt = await world.send(by, settlement, "open", [params, permit]);
    const address = typeof by === "string" ? by : by.address;
    const { clientNonce, modelId } = params;
    const id = { chainId: CHAIN_ID, settlement: settlement.address, payer: address, clientNonce, modelId };
    return { sessionId: sessionIdOf(id), params, receipt };
  }

  const assign = (
    sessionId: Hex,
    node: NodeKeys,
    { allotmentUsd6 = 10n * USD6, from = world.actors.keeper, as = role.primary as number } = {},
  ) => world.send(from, settlement, "assignReplica", [sessionId, node.nodeId, as, allotmentUsd6]);

  /** A session with one lane, and the lane's empty book. */
  async function aLane(node: NodeKeys = world.nodes.alpha, change: Partial<Open> = {}, allotmentUsd6 = 10n * USD6) {
    const { sessionId } = await open(change);
    await assign(sessionId, node, { allotmentUsd6 });
    return { sessionId, node, book: bookOf(sessionId, node) };
  }

  const settle = (settlements: readonly Settlement[], from: Address = world.actors.stranger) =>
    world.send(from, settlement, "settle", [settlements]);

  /** Signs one voucher a list of records, as `by`; one settlement that covers them all. */
  async function bill(book: LaneBook, segments: readonly (readonly BillRecord[])[], options: BillOptions = {}) {
    return billOn({ settlement: settlement.address, book, segments, ...options });
  }

  return {
    ...world,
    usd,
    vault,
    locks,
    settlement,
    parts,
    otherRail,
    sessionOf,
    laneOf,
    accountOf,
    heldUsd6,
    anOpen,
    open,
    assign,
    aLane,
    settle,
    bill,
  };
}

export interface BillOptions {
  by?: PrivateKeyAccount;
  priceUsd6PerGcums?: bigint;
  change?: Partial<Voucher>;
  chainId?: number;
}

/** As `SessionWorld.bill`, for any deployment. */
export async function billOn(
  request: { settlement: Address; book: LaneBook; segments: readonly (readonly BillRecord[])[] } & BillOptions,
): Promise<{ settlement: Settlement; book: LaneBook; voucher: Voucher; cumulativeUsd6: bigint }> {
  const { by = signer, priceUsd6PerGcums = PRICE_USD6, change = {}, chainId = CHAIN_ID } = request;
  let { head, seq, weight } = request.book;
  const { sessionId, nodeId, powerCu } = request.book;
  let voucher: Voucher | undefined;
  const segments: Segment[] = [];
  for (const records of request.segments) {
    const bills = packBills(records);
    seq += BigInt(records.length);
    weight += weightOf(records);
    const receiptsRoot = hashOf(`receipts of ${sessionId} ${nodeId} to ${seq}`);
    const cumulativeUsd6 = dueUsd6({ weight, powerCu, priceUsd6PerGcums });
    const billsHash = billsHashOf(bills);
    voucher = { sessionId, nodeId, seq, cumulativeUsd6, prevHead: head, billsHash, receiptsRoot };
    head = nextHeadOf(voucher);
    segments.push({ bills, receiptsRoot });
  }
  if (voucher === undefined) throw new RangeError("nothing to sign");
  const { message, signature } = await signMessage({
    kind: "voucher",
    message: { ...voucher, ...change },
    context: { chainId, verifyingContract: request.settlement },
    signer: by,
  });
  return {
    settlement: { sessionId, nodeId, segments, signature },
    book: { ...request.book, head, seq, weight },
    voucher: message,
    cumulativeUsd6: voucher.cumulativeUsd6,
  };
}

export function bookOf(sessionId: Hex, node: NodeKeys): LaneBook {
  const { nodeId, powerCu } = node;
  return { sessionId, nodeId, powerCu, head: firstHeadOf({ sessionId, nodeId }), seq: 0n, weight: 0n };
}

/** A node's signed receipt for record number `seq` of a lane. */
export async function sessionReceipt(
  world: SessionWorld,
  { sessionId, node, seq, durationMs = 1_000, change = {}, by = node.operator }: {
    sessionId: Hex;
    node: NodeKeys;
    seq: bigint;
    durationMs?: number;
    change?: Partial<Receipt>;
    by?: PrivateKeyAccount;
  },
) {
  const taskId = sessionTaskIdOf({ sessionId, nodeId: node.nodeId, seq });
  return signMessage({
    kind: "receipt",
    message: aReceipt(taskId, node, { durationMs, ...change }),
    context: { chainId: CHAIN_ID, verifyingContract: world.escrow.address },
    signer: by,
  });
}
