/** A world with the direct rail deployed, and the few calls that every test of TaskEscrow makes. */
import type { Address, Hex } from "viem";
import { moneyOf } from "./money.ts";
import { noPermit } from "./permit.ts";
import { aPost, assignTask, expireTask, readTask, type Post } from "./tasks.ts";
import { wordsOf } from "./taskWords.ts";
import { createWorld, type NodeKeys, type World } from "./world.ts";

export const reason = { expired: 0, failed: 1 } as const;
/** What the default post escrows and what the default receipt bills. */
export const ESCROWED = 137n;
export const BILLED = 100n;
/** What a backup that stood by earns of that bill. */
export const STANDBY = 10n;

/** What the deployed TaskEscrow was deployed with. */
export function escrowParts(world: World) {
  return {
    authority: world.accessManager.address,
    registry: world.registry.address,
    paymentVault: world.paymentVault.address,
    priceOracle: world.oracle.address,
    stakeVault: world.stakeVault.address,
    keeperBonds: world.keeperBonds.address,
    treasury: world.actors.deployer,
    answerWindow: 60,
    quorum: 1,
    minimumDemandBondUsd6: 10_000n,
  };
}

export async function createRail() {
  const world = await createWorld();

  const payerMoney = () => moneyOf(world, world.actors.payer);
  const payoutMoney = (node: NodeKeys) => moneyOf(world, node.payout);
  const statusOf = async (taskId: Hex) => (await readTask(world, taskId)).status;
  const expirableAt = async (taskId: Hex) => {
    const { terms } = await wordsOf(world, taskId);
    return world.publicClient.readContract({ ...world.escrow, functionName: "expirableAt", args: [taskId, terms] });
  };
  const expire = (taskId: Hex, at: number) => expireTask(world, taskId, { at });
  const cancel = async (taskId: Hex, from = world.actors.payer) => {
    const { terms } = await wordsOf(world, taskId);
    return world.send(from, world.escrow, "cancel", [taskId, terms]);
  };
  const assignNodes = (taskId: Hex, nodeIds: readonly number[], options: { from?: Address; at?: number } = {}) =>
    assignTask(world, taskId, { ...options, nodes: nodeIds.map((nodeId) => ({ nodeId })) });
  const tryPost = async (change: Partial<Post>) =>
    world.send(world.actors.payer, world.escrow, "post", [await aPost(world, change), noPermit]);
  return { world, ...world.nodes, payerMoney, payoutMoney, statusOf, expirableAt, expire, cancel, assignNodes, tryPost };
}
