/** Receipts for tests of the journal. Signatures are any 65 bytes: the journal does not judge them. */
import type { JournalEntry } from "@ngpu/node-agent/agent/journal";
import { zeroHash, type Hex } from "viem";

export function aTaskId(number: number): Hex {
  return `0x${number.toString(16).padStart(64, "0")}`;
}

export function anEntry(options: { taskId: Hex; attempt?: number; durationMs?: number }): JournalEntry {
  const { taskId, attempt = 0, durationMs = 100 } = options;
  const message = {
    taskId,
    assignment: 1,
    attempt,
    nodeId: 7,
    modelId: zeroHash,
    inputCommitment: zeroHash,
    outputCommitment: zeroHash,
    outputCiphertext: zeroHash,
    slot: 0,
    powerCu: 1_000,
    startMs: 1_700_000_000_000n,
    durationMs,
    status: 0,
  };
  return {
    receipt: { message, signature: `0x${taskId.slice(2)}${taskId.slice(2)}1b` },
    detail: "",
    writtenMs: 1_700_000_000_100,
  };
}
