/** Whether a `BlobAccess` is what somebody has to show for one act, and who signed it. */
import { isAddressEqual, type Address, type Hex } from "viem";
import { NgpuError } from "./errors.ts";
import { gatewayLimits } from "./limits.ts";
import { recoverSigner, type Signed, type SigningContext } from "./signed.ts";
import { blobAction } from "./typedData.ts";

export interface BlobAct {
  access: Signed<"blobAccess">;
  action: keyof typeof blobAction;
  taskId: Hex;
  hash: Hex;
  context: SigningContext;
  nowMs: number;
}

/** Throws AUTH_FORBIDDEN, AUTH_EXPIRED or AUTH_REQUIRED; what costs a signature's check comes last. */
export async function blobAccessSigner({ access, action, taskId, hash, context, nowMs }: BlobAct): Promise<Address> {
  const { message } = access;
  const fits = message.action === blobAction[action] && message.taskId === taskId && message.blobHash === hash;
  if (!fits) throw new NgpuError("AUTH_FORBIDDEN", { part: "blob access" });
  const nowS = Math.floor(nowMs / 1_000);
  const { clockSkewS, blobAccessExpiryS } = gatewayLimits;
  const inTime =
    message.expiry >= BigInt(nowS - clockSkewS) && message.expiry <= BigInt(nowS + blobAccessExpiryS + clockSkewS);
  if (!inTime) throw new NgpuError("AUTH_EXPIRED", { part: "blob access" });
  const signer = await recoverSigner({ kind: "blobAccess", signed: access, context });
  if (signer === undefined) throw new NgpuError("AUTH_REQUIRED");
  return signer;
}

/** The same, where one key alone may do it. Throws AUTH_FORBIDDEN for another's. */
export async function requireBlobAccess({ signer, ...act }: BlobAct & { signer: Address }): Promise<void> {
  const found = await blobAccessSigner(act);
  if (!isAddressEqual(found, signer)) throw new NgpuError("AUTH_FORBIDDEN", { action: act.action });
}
