/**
 * Fetches and opens the output of a task: of a receipt, or of the settlement on chain, which names the same. Proves ciphertext,
 * context and commitment, so it does not matter who served the bytes.
 */
import { NgpuError } from "@ngpu/protocol/errors";
import { decodePayload, type Payload } from "@ngpu/protocol/sealed/payload";
import { open } from "@ngpu/protocol/sealed/seal";
import { hexToBytes, type Hex } from "viem";
import { taskBlobs, type TaskBlobsOptions } from "./taskBlobs.ts";
import type { TaskSecrets } from "./taskSecrets.ts";

/** What a receipt and TaskSettled both say. */
export interface OutputFacts {
  nodeId: number;
  assignment: number;
  attempt: number;
  outputCiphertext: Hex;
  outputCommitment: Hex;
}

export async function openOutput(
  request: TaskBlobsOptions & { secrets: TaskSecrets; output: OutputFacts; signal?: AbortSignal | undefined },
): Promise<{ payload: Payload; json: unknown }> {
  const { taskId, taskKey } = request.secrets;
  const { nodeId, assignment, attempt, outputCiphertext, outputCommitment } = request.output;
  const sealed = await taskBlobs(request).get({ taskId, hash: outputCiphertext, signal: request.signal });
  const place = { kind: "output", taskId, nodeId, assignment, attempt } as const;
  const body = open({ taskKey: hexToBytes(taskKey), context: place, sealed, commitment: outputCommitment });
  const payload = decodePayload(body);
  const document = payload.parts.find((part) => part.mediaType === "application/json");
  const json: unknown = document === undefined ? undefined : parsed(document.bytes);
  return { payload, json };
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch (cause) {
    throw new NgpuError("PAYLOAD_MALFORMED", { part: "document" }, { cause });
  }
}
