/** Who signed a request of a blob or of a model's file, and whether it is this one that was signed, for now. */
import { decodeBlobAuthorization } from "@ngpu/protocol/blobAuthorization";
import { NgpuError } from "@ngpu/protocol/errors";
import { gatewayLimits } from "@ngpu/protocol/limits";
import type { Clock } from "@ngpu/protocol/service/clock";
import { recoverSigner, type SigningContext } from "@ngpu/protocol/signed";
import type { Address, Hex } from "viem";

export interface AccessRequest {
  taskId: Hex;
  hash: Hex;
  authorization: string | undefined;
  /** Of `blobAction`. */
  action: number;
}

/** Throws AUTH_REQUIRED, AUTH_FORBIDDEN or AUTH_EXPIRED. */
export async function signerOf(
  request: AccessRequest,
  { context, clock }: { context: SigningContext; clock: Clock },
): Promise<Address> {
  const access = decodeBlobAuthorization(request.authorization);
  const { action, taskId, blobHash, expiry } = access.message;
  const fits = action === request.action && taskId === request.taskId && blobHash === request.hash;
  if (!fits) throw new NgpuError("AUTH_FORBIDDEN", { part: "blob access" });
  const nowS = Math.floor(clock.nowMs() / 1_000);
  const { clockSkewS, blobAccessExpiryS } = gatewayLimits;
  const inTime = expiry >= BigInt(nowS - clockSkewS) && expiry <= BigInt(nowS + blobAccessExpiryS + clockSkewS);
  if (!inTime) throw new NgpuError("AUTH_EXPIRED", { part: "blob access" });
  const signer = await recoverSigner({ kind: "blobAccess", signed: access, context });
  if (signer === undefined) throw new NgpuError("AUTH_REQUIRED");
  return signer;
}
