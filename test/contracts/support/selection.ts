/** A world in which nodes serve a model, keepers have bonded, and epochs of selection can be opened. */
import { signMessage } from "@ngpu/protocol/signed";
import type { BusyCertificate, ScoreTranscript, Suspicion } from "@ngpu/protocol/typedData";
import type { Address, Hex } from "viem";
import { privateKeyToAccount, type PrivateKeyAccount } from "viem/accounts";
import { devKey } from "./devKey.ts";
import { hashOf } from "./tasks.ts";
import { CHAIN_ID, createWorld, NGPU_WEI } from "./world.ts";

/** Roles.SLASHER, which may suspend, and Roles.AUDIT, which may set a quality. */
const FAULT_ROLES = [3n, 9n];

export const phase = { open: 0, update: 1, seeding: 2 } as const;
export const skipKind = { busy: 0, suspected: 1, ineligible: 2 } as const;
export const KEEPER_POOL: Hex = `0x${"00".repeat(32)}`;
export const MODEL = hashOf("model");
export const NEWCOMER_QUALITY_BPS = 2_500;
/** As deployed locally. */
export const seconds = { open: 300, update: 30, seedTimeout: 60, challenge: 60, keeperExit: 300, freshness: 3_600 };
export const BOND = 100n * NGPU_WEI;
export const POST_BOND = 30n * NGPU_WEI;

export interface KeeperKeys {
  keeperId: number;
  account: PrivateKeyAccount;
}
export type SelectionWorld = Awaited<ReturnType<typeof createSelectionWorld>>;

export async function createSelectionWorld() {
  const world = await createWorld();
  const { selection, keeperBonds, registry, ngpu, scoreBoard, assignment, publicClient } = world;

  const keepers: KeeperKeys[] = [];
  for (let index = 6; index < 11; index++) {
    const account = privateKeyToAccount(devKey(index));
    await world.send(world.actors.deployer, ngpu, "transfer", [account.address, 10_000n * NGPU_WEI]);
    await world.send(account.address, ngpu, "approve", [keeperBonds.address, 2n ** 256n - 1n]);
    await world.send(account.address, keeperBonds, "bond", [BOND * BigInt(index - 5)]);
    keepers.push({ keeperId: index - 5, account });
  }
  for (const { nodeId, owner } of Object.values(world.nodes)) {
    await world.send(owner, registry, "declareModel", [nodeId, MODEL, true]);
  }
  for (const role of FAULT_ROLES) {
    await world.send(world.actors.deployer, world.accessManager, "grantRole", [role, world.actors.deployer, 0]);
  }

  const refresh = (pool: Hex, member: number) =>
    world.send(world.actors.stranger, selection, "refresh", [pool, member]);
  const advance = (options: { at?: number } = {}) =>
    world.send(world.actors.stranger, selection, "advance", [], options);

  async function refreshAll() {
    for (const { nodeId } of Object.values(world.nodes)) await refresh(MODEL, nodeId);
    for (const { keeperId } of keepers) await refresh(KEEPER_POOL, keeperId);
  }
  const phaseNow = () => publicClient.readContract({ ...selection, functionName: "phase" });

  async function toUpdate() {
    if ((await phaseNow()) !== phase.open) return;
    await world.increase(seconds.open);
    await advance();
  }

  /** From wherever the epoch stands to the next one that is open, with every weight up to date. */
  async function openEpoch() {
    await toUpdate();
    await refreshAll();
    await world.increase(seconds.update);
    await advance();
    await world.connection.networkHelpers.mine(1);
    await advance();
  }

  const draw = (subject: Hex, count: number, pool: Hex = MODEL) =>
    publicClient.readContract({ ...selection, functionName: "draw", args: [pool, subject, BigInt(count)] });
  const weightOf = (pool: Hex, member: number) =>
    publicClient.readContract({ ...selection, functionName: "weightOf", args: [pool, member] });
  const context = { chainId: CHAIN_ID, verifyingContract: world.escrow.address };

  async function transcriptBy(keeper: KeeperKeys, nodeId: number, change: Partial<ScoreTranscript> = {}) {
    const epoch = await publicClient.readContract({ ...selection, functionName: "epoch" });
    const seed = await publicClient.readContract({ ...scoreBoard, functionName: "seedFor", args: [nodeId] });
    const message = {
      nodeId,
      epoch: BigInt(epoch),
      seed,
      scoreCu: 1_100,
      transcriptHash: hashOf("transcript"),
      ...change,
    };
    return signMessage({ kind: "scoreTranscript", message, context, signer: keeper.account });
  }
  const busyBy = (signer: PrivateKeyAccount, message: BusyCertificate) =>
    signMessage({ kind: "busyCertificate", message, context, signer });
  const suspicionBy = (signer: PrivateKeyAccount, message: Suspicion) =>
    signMessage({ kind: "suspicion", message, context, signer });

  /** Measured powers of one node, one for each of the first keepers. */
  async function submitScores(nodeId: number, scoresCu: readonly number[], from: Address = world.actors.stranger) {
    const signed = await Promise.all(
      scoresCu.map((scoreCu, index) => transcriptBy(keepers[index] ?? missing(), nodeId, { scoreCu })),
    );
    const args = [signed.map(({ message }) => message), signed.map(({ signature }) => signature)] as const;
    return world.send(from, scoreBoard, "submit", args);
  }

  const balanceOf = (account: Address) =>
    publicClient.readContract({ ...ngpu, functionName: "balanceOf", args: [account] });

  await world.remember();
  return {
    ...world,
    keepers,
    assignment,
    refresh,
    refreshAll,
    advance,
    phaseNow,
    toUpdate,
    openEpoch,
    draw,
    weightOf,
    transcriptBy,
    busyBy,
    suspicionBy,
    submitScores,
    balanceOf,
  };
}

function missing(): never {
  throw new RangeError("there are five keepers");
}
