/**
 * Opens a result from the chain's settlement alone, for a device that was away when the receipt came: the settlement
 * names the sealed output and its commitment, the gateway still keeps the bytes.
 */
import type { TimelineRow } from "@ngpu/client/chainTimeline";
import { openOutput, type OutputFacts } from "@ngpu/client/openOutput";
import type { TaskSecrets } from "@ngpu/client/taskSecrets";
import type { OpenBlobs } from "@ngpu/protocol/blobExchange/blobs";
import type { Address } from "viem";

export async function openSettledResult(request: {
  gatewayUrl: string;
  chainId: number;
  taskEscrow: Address;
  secrets: TaskSecrets;
  settled: TimelineRow;
  nowMs: number;
  openBlobs: OpenBlobs;
}): Promise<unknown> {
  const { gatewayUrl, chainId, taskEscrow, secrets, settled, nowMs, openBlobs } = request;
  const context = { chainId, verifyingContract: taskEscrow };
  const output = settled.args as unknown as OutputFacts;
  const { json } = await openOutput({ gatewayUrl, context, secrets, output, nowMs: () => nowMs, openBlobs });
  return json;
}
