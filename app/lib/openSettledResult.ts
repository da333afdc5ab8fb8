/**
 * Opens a result from the chain's settlement alone, for a device that was away when the receipt came: the settlement
 * names the sealed output and its commitment, the gateway still keeps the bytes.
 */
import { getBlob } from "@ngpu/client/gatewayClient";
import type { TimelineRow } from "@ngpu/client/chainTimeline";
import type { TaskSecrets } from "@ngpu/client/taskSecrets";
import { decodePayload } from "@ngpu/protocol/sealed/payload";
import { open } from "@ngpu/protocol/sealed/seal";
import { hexToBytes, type Address, type Hex } from "viem";

export async function openSettledResult(request: {
  gatewayUrl: string;
  chainId: number;
  taskEscrow: Address;
  secrets: TaskSecrets;
  settled: TimelineRow;
  nowMs: number;
}): Promise<unknown> {
  const { gatewayUrl, chainId, taskEscrow, secrets, nowMs } = request;
  const { taskId, taskKey, clientPrivateKey } = secrets;
  const { nodeId, assignment, attempt, outputCiphertext, outputCommitment } = request.settled.args as {
    nodeId: number;
    assignment: number;
    attempt: number;
    outputCiphertext: Hex;
    outputCommitment: Hex;
  };
  const context = { chainId, verifyingContract: taskEscrow };
  const sealed = await getBlob({ gatewayUrl, context, clientPrivateKey, taskId, blobHash: outputCiphertext, nowMs });
  const output = { kind: "output", taskId, nodeId, assignment, attempt } as const;
  const body = open({ taskKey: hexToBytes(taskKey), context: output, sealed, commitment: outputCommitment });
  const document = decodePayload(body).parts.find((part) => part.mediaType === "application/json");
  return document === undefined ? undefined : JSON.parse(new TextDecoder().decode(document.bytes));
}
