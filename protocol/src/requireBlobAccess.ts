/** Whether a `BlobAccess` is what somebody has to show for one act, signed by the one key that may do it. */
import { isAddressEqual, type Address, type Hex } from "viem";
import { NgpuError } from "./errors.ts";
import { gatewayLimits } from "./limits.ts";
import { recoverSigner, type Signed, type SigningContext } from "./signed.ts";
import { blobAction } from "./typedData.ts";

/** Throws AUTH_FORBIDDEN or AUTH_EXPIRED; what costs a signature's check comes last. */
export async function requireBlobAccess(request: {
  access: Signed<"blobAccess">;
  action: keyof typeof blobAction;
  taskId: Hex;
  hash: Hex;
  signer: Address;
  context: SigningContext;
  nowMs: number;
}): Promise<void> {
  const { access, action, taskId, hash, signer, context, nowMs } = request;
  const { message } = access;
  const fits = message.action === blobAction[action] && message.taskId === taskId && message.blobHash === hash;
  if (!fits) throw new NgpuError("AUTH_FORBIDDEN", { part: "blob access" });
  const nowS = Math.floor(nowMs / 1_000);
  const { clockSkewS, blobAccessExpiryS } = gatewayLimits;
  const inTime =
    message.expiry >= BigInt(nowS - clockSkewS) && message.expiry <= BigInt(nowS + blobAccessExpiryS + clockSkewS);
  if (!inTime) throw new NgpuError("AUTH_EXPIRED", { part: "blob access" });
  const found = await recoverSigner({ kind: "blobAccess", signed: access, context });
  if (found === undefined || !isAddressEqual(found, signer)) throw new NgpuError("AUTH_FORBIDDEN", { action });
}
