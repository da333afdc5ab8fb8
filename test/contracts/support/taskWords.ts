/** The words of a task as any log reader has them: terms, standing assignment and settlement, out of the events. */
import { unassigned, type Assigned, type Settlement, type TaskTerms } from "@ngpu/protocol/taskDigest";
import { assignedOf, settlementOf, termsOf } from "@ngpu/protocol/taskWords";
import { zeroAddress, zeroHash, type Hex } from "viem";
import type { World } from "./world.ts";

export interface TaskWords {
  readonly terms: TaskTerms;
  readonly standing: Assigned;
  readonly settlement: Settlement;
}

/** Words that are nobody's. */
const noTerms: TaskTerms = {
  payer: zeroAddress,
  postedAt: 0,
  deadline: 0,
  backups: 0,
  workCums: 0n,
  priceUsd6PerGcums: 0n,
  stakeWeiPerUsd6: 0n,
  contentHash: zeroHash,
};
const noSettlement: Settlement = {
  nodeId: 0,
  payout: zeroAddress,
  amountUsd6: 0n,
  receiptHash: zeroHash,
  outputCiphertext: zeroHash,
};
/** Shows that nobody was harmed. */
export const noHarm = { terms: noTerms, settlement: noSettlement };

/** The newest words of a task; empty ones where there are none. */
export async function wordsOf(world: World, taskId: Hex): Promise<TaskWords> {
  const { publicClient, escrow } = world;
  const query = { ...escrow, args: { taskId }, fromBlock: 0n } as const;
  const [posted] = await publicClient.getContractEvents({ ...query, eventName: "TaskPosted", strict: true });
  const assigned = await publicClient.getContractEvents({ ...query, eventName: "TaskAssigned", strict: true });
  const [settled] = await publicClient.getContractEvents({ ...query, eventName: "TaskSettled", strict: true });
  const newest = assigned.at(-1)?.args;
  const terms = posted === undefined ? noTerms : termsOf(posted.args);
  const standing = newest === undefined ? unassigned : assignedOf(newest);
  if (posted === undefined || settled === undefined) return { terms, standing, settlement: noSettlement };
  return { terms, standing, settlement: settlementOf({ posted: posted.args, settled: settled.args }) };
}

/** Whom a receipt about the task harmed. */
export async function harmOf(world: World, taskId: Hex) {
  const { terms, settlement } = await wordsOf(world, taskId);
  return { terms, settlement };
}
