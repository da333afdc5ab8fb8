/**
 * Fetches and opens the output of a task: of a receipt, or of the settlement on chain, which names the same. Proves ciphertext,
 * context and commitment, so it does not matter who served the bytes.
 */
import { NgpuError } from "@ngpu/protocol/errors";
import { decodePayload, type Payload } from "@ngpu/protocol/sealed/payload";
import { open } from "@ngpu/protocol/sealed/seal";
import type { SigningContext } from "@ngpu/protocol/signed";
import { hexToBytes, type Hex } from "viem";
import { getBlob } from "./gatewayClient.ts";
import type { TaskSecrets } from "./taskSecrets.ts";

/** What a receipt and TaskSettled both say. */
export interface OutputFacts {
  nodeId: number;
  assignment: number;
  attempt: number;
  outputCiphertext: Hex;
  outputCommitment: Hex;
}

export async function openOutput(request: {
  gatewayUrl: string;
  context: SigningContext;
  secrets: TaskSecrets;
  output: OutputFacts;
  nowMs: number;
  signal?: AbortSignal;
}): Promise<{ payload: Payload; json: unknown }> {
  const { gatewayUrl, context, secrets, nowMs, signal } = request;
  const { taskId, taskKey, clientPrivateKey } = secrets;
  const { nodeId, assignment, attempt, outputCiphertext, outputCommitment } = request.output;
  const blob = { gatewayUrl, context, clientPrivateKey, taskId, blobHash: outputCiphertext, nowMs };
  const sealed = await getBlob(signal === undefined ? blob : { ...blob, signal });
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
