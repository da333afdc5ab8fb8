/**
 * The words behind a task's digest, from what its events say. The chain keeps one slot a task; whoever acts on a task,
 * or believes what somebody told of it, makes the words with these functions and compares them with the slot.
 */
import { hashStruct, type Address, type Hex } from "viem";
import { NgpuError } from "./errors.ts";
import { contentHashOf } from "./ids.ts";
import {
  assignedDigest,
  settlementDigest,
  termsDigest,
  type Assigned,
  type Settlement,
  type TaskTerms,
} from "./taskDigest.ts";
import { isSettled, taskStatus } from "./taskStatus.ts";
import { receiptStatus, typedData, type Receipt } from "./typedData.ts";

/** What TaskPosted says, as far as the words need it. */
export interface PostedFields {
  payer: Address;
  postedAt: number;
  deadline: number;
  backups: number;
  workCums: bigint;
  priceUsd6PerGcums: bigint;
  stakeWeiPerUsd6: bigint;
  modelId: Hex;
  inputCommitment: Hex;
}

/** What TaskAssigned says. */
export interface AssignedFields {
  assigner: Address;
  seats: readonly { nodeId: number; powerCu: number }[];
}

/** What TaskSettled says. */
export interface SettledFields {
  taskId: Hex;
  nodeId: number;
  payout: Address;
  assignment: number;
  attempt: number;
  slot: number;
  powerCu: number;
  durationMs: number;
  startMs: bigint;
  amountUsd6: bigint;
  outputCommitment: Hex;
  outputCiphertext: Hex;
}

/** What TaskEscrow.stateOf answers. */
export interface TaskState {
  status: number;
  assignment: number;
  acceptedMask: number;
  failedMask: number;
  changedAt: number;
  digest: Hex;
}

/** All that is known of a task; a part that was not told is undefined. */
export interface TaskWords {
  terms: TaskTerms;
  assigned?: Assigned | undefined;
  settlement?: Settlement | undefined;
}

export function termsOf(posted: PostedFields): TaskTerms {
  const { payer, postedAt, deadline, backups, workCums, priceUsd6PerGcums, stakeWeiPerUsd6 } = posted;
  const contentHash = contentHashOf(posted);
  return { payer, postedAt, deadline, backups, workCums, priceUsd6PerGcums, stakeWeiPerUsd6, contentHash };
}

export function assignedOf({ assigner, seats }: AssignedFields): Assigned {
  return { assigner, seats: seats.map(({ nodeId, powerCu }) => ({ nodeId, powerCu })) };
}

/** The receipt that was settled: the event has all of it but what the post said. */
export function settledReceipt(request: {
  posted: Pick<PostedFields, "modelId" | "inputCommitment">;
  settled: SettledFields;
}): Receipt {
  const { modelId, inputCommitment } = request.posted;
  const { taskId, assignment, attempt, nodeId, slot, powerCu, durationMs, startMs } = request.settled;
  const { outputCommitment, outputCiphertext } = request.settled;
  const content = { modelId, inputCommitment, outputCommitment, outputCiphertext };
  const execution = { slot, powerCu, startMs, durationMs, status: receiptStatus.succeeded };
  return { taskId, assignment, attempt, nodeId, ...content, ...execution };
}

export function settlementOf(request: {
  posted: Pick<PostedFields, "modelId" | "inputCommitment">;
  settled: SettledFields;
}): Settlement {
  const { nodeId, payout, amountUsd6, outputCiphertext } = request.settled;
  const receiptHash = receiptHashOf(settledReceipt(request));
  return { nodeId, payout, amountUsd6, receiptHash, outputCiphertext };
}

/** EIP-712 struct hash of a receipt: what contracts call it by. */
export function receiptHashOf(receipt: Receipt): Hex {
  const { primaryType, types } = typedData.receipt;
  return hashStruct({ primaryType, types, data: receipt });
}

/** True when these are the words that the chain's digest binds now. */
export function areWordsOf(words: TaskWords, state: Pick<TaskState, "status" | "assignment" | "digest">): boolean {
  return digestUnder(words, state)?.toLowerCase() === state.digest.toLowerCase();
}

/** Throws TASK_WORDS_MISMATCH for words that are not those of the task. */
export function requireWords(request: { taskId: Hex; words: TaskWords; state: TaskState }): void {
  const { taskId, words, state } = request;
  if (!areWordsOf(words, state)) throw new NgpuError("TASK_WORDS_MISMATCH", { taskId, status: state.status });
}

function digestUnder(words: TaskWords, state: Pick<TaskState, "status" | "assignment">): Hex | undefined {
  const { terms, assigned, settlement } = words;
  const { none, posted, cancelled, refunded } = taskStatus;
  if (state.status === none) return undefined;
  const wasNeverAssigned = state.status === refunded && state.assignment === 0;
  if (state.status === posted || state.status === cancelled || wasNeverAssigned) return termsDigest(terms);
  if (isSettled(state.status)) return settlement === undefined ? undefined : settlementDigest(terms, settlement);
  return assigned === undefined ? undefined : assignedDigest(terms, assigned);
}
