/**
 * Asks a gateway whether it holds a task's sealed output, by HEAD on the blob's address with the keeper's signature:
 * signed as for fetching it, but only the answer travels. A gateway that says nothing in time holds nothing.
 */
import { encodeBlobAuthorization } from "@ngpu/protocol/blobAuthorization";
import { gatewayLimits } from "@ngpu/protocol/limits";
import type { Clock } from "@ngpu/protocol/service/clock";
import { signMessage, type SigningContext, type TypedDataSigner } from "@ngpu/protocol/signed";
import { blobAction } from "@ngpu/protocol/typedData";
import type { Hex } from "viem";

const patienceMs = 5_000;

export async function holdsOutput(request: {
  gatewayUrl: string;
  taskId: Hex;
  blobHash: Hex;
  context: SigningContext;
  signer: TypedDataSigner;
  clock: Clock;
  signal: AbortSignal;
}): Promise<boolean> {
  const { gatewayUrl, taskId, blobHash, context, signer, clock, signal } = request;
  const expiry = BigInt(Math.floor(clock.nowMs() / 1_000) + gatewayLimits.blobAccessExpiryS - gatewayLimits.clockSkewS);
  const message = { action: blobAction.read, taskId, blobHash, expiry };
  const access = await signMessage({ kind: "blobAccess", message, context, signer });
  try {
    const { ok } = await fetch(`${gatewayUrl}/v1/blobs/${taskId}/${blobHash}`, {
      method: "HEAD",
      headers: { authorization: encodeBlobAuthorization(access) },
      signal: AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]),
    });
    return ok;
  } catch {
    // Not reached, or not in time: it is asked again as long as the demand stands.
    return false;
  }
}
