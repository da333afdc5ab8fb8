/**
 * The system as Ignition deploys it, real vaults and all, with parties that do not trust each other: two payers, honest
 * nodes, a node of the payer's own, a keeper, a stranger. The acts are those of the session rail.
 */
import { sessionIdOf, sessionTaskIdOf } from "@ngpu/protocol/session/voucherChain";
import { maxUint256, type Account, type Address, type Hex } from "viem";
import { noPermit } from "./permit.ts";
import {
  billOn,
  bookOf,
  PRICE_USD6,
  role,
  signer,
  type BillOptions,
  type LaneBook,
  type Open,
  type Settlement,
} from "./sessions.ts";
import { aReceipt, hashOf, signReceipt } from "./tasks.ts";
import { CHAIN_ID, createWorld, FAR_EXPIRY, keyOf, NGPU_WEI, USD6, type NodeKeys, type World } from "./world.ts";

/** As deployed locally. */
export const WINDOW_S = 60;
export const CAP_USD6 = 100n * USD6;
export const BURNED: Address = "0x000000000000000000000000000000000000dEaD";

type LaneAct = "burnFloor" | "reclaimLane" | "releaseReplica" | "collect";
type SessionAct = "close" | "finish";
type Segments = Parameters<typeof billOn>[0]["segments"];
export type Parties = Awaited<ReturnType<typeof createParties>>;

/** In a world of its own, or in one that was prepared further. */
export async function createParties(prepared?: World) {
  const world = prepared ?? (await createWorld());
  const { settlement, paymentVault, stakeVault, actors } = world;
  const read = world.publicClient.readContract;
  for (const each of [actors.payer, actors.otherPayer]) {
    await world.send(each, world.usd, "approve", [paymentVault.address, maxUint256]);
  }
  const treasury = await read({ ...settlement, functionName: "treasury" });

  /** A staked node that `owner` has registered for itself. */
  async function nodeOf(owner: Address, label: string): Promise<NodeKeys> {
    const operator = keyOf(`${label} operator`);
    const payout = keyOf(`${label} payout`).address;
    const signature = await world.bind(owner, operator);
    await world.send(owner, world.registry, "register", [operator.address, payout, 0, FAR_EXPIRY, signature]);
    const nodeId = await read({ ...world.registry, functionName: "nodeCount" });
    await world.send(actors.deployer, world.ngpu, "transfer", [owner, 1_000n * NGPU_WEI]);
    await world.send(owner, world.ngpu, "approve", [stakeVault.address, maxUint256]);
    await world.send(owner, stakeVault, "stake", [nodeId, 1_000n * NGPU_WEI]);
    const powerCu = await read({ ...world.registry, functionName: "powerOf", args: [nodeId] });
    return { nodeId, owner, operator, payout, powerCu };
  }
  const own = await nodeOf(actors.payer, "payer's own");

  async function anOpen(change: Partial<Open> = {}): Promise<Open> {
    return {
      clientNonce: hashOf("session nonce"),
      modelId: hashOf("model"),
      signer: signer.address,
      maxPriceUsd6PerGcums: PRICE_USD6,
      spendCapUsd6: CAP_USD6,
      minReplicas: 1,
      maxReplicas: 3,
      slaMs: 500,
      expiresAt: (await world.now()) + 3_600,
      ...change,
    };
  }
  const idOf = (payer: Address, { clientNonce, modelId }: Open): Hex =>
    sessionIdOf({ chainId: CHAIN_ID, settlement: settlement.address, payer, clientNonce, modelId });

  async function open(change: Partial<Open> = {}, payer: Address | Account = actors.payer): Promise<Hex> {
    const params = await anOpen(change);
    await world.send(payer, settlement, "open", [params, noPermit]);
    return idOf(typeof payer === "string" ? payer : payer.address, params);
  }
  const assign = (
    sessionId: Hex,
    node: NodeKeys,
    { allotmentUsd6 = 10n * USD6, from = actors.payer }: { allotmentUsd6?: bigint; from?: Address | Account } = {},
  ) => world.send(from, settlement, "assignReplica", [sessionId, node.nodeId, role.primary, allotmentUsd6]);

  async function aLane(node: NodeKeys, change: Partial<Open> = {}, allotmentUsd6 = 10n * USD6) {
    const sessionId = await open(change);
    await assign(sessionId, node, { allotmentUsd6 });
    return { sessionId, book: bookOf(sessionId, node) };
  }
  const bill = (book: LaneBook, segments: Segments, options: BillOptions = {}) =>
    billOn({ settlement: settlement.address, book, segments, ...options });
  const settle = (settlements: readonly Settlement[], options: { from?: Address; at?: number } = {}) => {
    const { from = actors.stranger, at } = options;
    return world.send(from, settlement, "settle", [settlements], at === undefined ? {} : { at });
  };
  const onLane = (name: LaneAct, sessionId: Hex, node: NodeKeys, { from = actors.stranger, at }: Act = {}) =>
    world.send(from, settlement, name, [sessionId, node.nodeId], at === undefined ? {} : { at });
  const onSession = (name: SessionAct, sessionId: Hex, { from = actors.payer, at }: Act = {}) =>
    world.send(from, settlement, name, [sessionId], at === undefined ? {} : { at });

  /** Claims the floor of a lane with receipts of these durations that follow record `after`. */
  async function claim(sessionId: Hex, node: NodeKeys, durationsMs: readonly number[], options: ClaimOptions = {}) {
    const { from = node.owner, by = node.operator, after = 0n, at } = options;
    const receipts = durationsMs.map((durationMs, index) => {
      const taskId = sessionTaskIdOf({ sessionId, nodeId: node.nodeId, seq: after + 1n + BigInt(index) });
      return aReceipt(taskId, node, { durationMs });
    });
    const signatures = await Promise.all(receipts.map(async (each) => (await signReceipt(world, each, by)).signature));
    const args = [sessionId, node.nodeId, receipts, signatures] as const;
    return world.send(from, settlement, "claimFloor", args, at === undefined ? {} : { at });
  }

  /** Reclaims every lane that is left, finishes the session, and takes all that the payer has out of the vault. */
  async function endSession(sessionId: Hex, nodes: readonly NodeKeys[], payer: Address = actors.payer): Promise<void> {
    for (const node of nodes) await onLane("reclaimLane", sessionId, node);
    await onSession("finish", sessionId);
    const { availableUsd6 } = await accountOf(payer);
    if (availableUsd6 !== 0n) await world.send(payer, paymentVault, "withdraw", [payer, availableUsd6]);
  }
  const accountOf = (account: Address) => read({ ...paymentVault, functionName: "accountOf", args: [account] });
  const sessionOf = (sessionId: Hex) => read({ ...settlement, functionName: "session", args: [sessionId] });
  const laneOf = (sessionId: Hex, node: NodeKeys) =>
    read({ ...settlement, functionName: "lane", args: [sessionId, node.nodeId] });

  await world.remember();
  return {
    ...world,
    treasury,
    own,
    nodeOf,
    anOpen,
    idOf,
    open,
    assign,
    aLane,
    bill,
    settle,
    onLane,
    onSession,
    claim,
    endSession,
    accountOf,
    sessionOf,
    laneOf,
    creditOf: async (account: Address) => (await accountOf(account)).creditUsd6,
    walletOf: (account: Address) => read({ ...world.usd, functionName: "balanceOf", args: [account] }),
    stakeOf: async (node: NodeKeys) =>
      (await read({ ...stakeVault, functionName: "stakeOf", args: [node.nodeId] })).stakedWei,
    lockedOf: (node: NodeKeys) => read({ ...stakeVault, functionName: "lockedOf", args: [node.nodeId] }),
    potUsd6: () => read({ ...paymentVault, functionName: "heldBy", args: [settlement.address] }),
  };
}

interface Act {
  from?: Address;
  at?: number;
}

interface ClaimOptions extends Act {
  by?: NodeKeys["operator"];
  after?: bigint;
}
