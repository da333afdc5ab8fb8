/** A world with the direct rail deployed, and the few calls that every test of TaskEscrow makes. */
import type { Hex } from "viem";
import { moneyOf } from "./money.ts";
import { noPermit } from "./permit.ts";
import { aPost, readTask, type Post } from "./tasks.ts";
import { createWorld, type NodeKeys } from "./world.ts";

export const reason = { expired: 0, failed: 1 } as const;
/** What the default post escrows and what the default receipt bills. */
export const ESCROWED = 125n;
export const BILLED = 100n;

export async function createRail() {
  const world = await createWorld();

  const payerMoney = () => moneyOf(world, world.actors.payer);
  const payoutMoney = (node: NodeKeys) => moneyOf(world, node.payout);
  const statusOf = async (taskId: Hex) => (await readTask(world, taskId)).status;
  const expirableAt = (taskId: Hex) =>
    world.publicClient.readContract({ ...world.escrow, functionName: "expirableAt", args: [taskId] });
  const expire = (taskId: Hex, at: number) =>
    world.send(world.actors.stranger, world.escrow, "expire", [taskId], { at });
  const cancel = (taskId: Hex, from = world.actors.payer) => world.send(from, world.escrow, "cancel", [taskId]);
  const assignPair = (taskId: Hex, primary: number, backup: number, options: { from?: Hex; at?: number } = {}) =>
    world.send(
      options.from ?? world.actors.keeper,
      world.escrow,
      "assign",
      [taskId, primary, backup],
      options.at === undefined ? {} : { at: options.at },
    );
  const tryPost = async (change: Partial<Post>) =>
    world.send(world.actors.payer, world.escrow, "post", [await aPost(world, change), noPermit]);
  return { world, ...world.nodes, payerMoney, payoutMoney, statusOf, expirableAt, expire, cancel, assignPair, tryPost };
}
