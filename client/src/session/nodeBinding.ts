/** A node's transport key, by the gateway's roster and the operator's signature: to no other key is a lane's key wrapped. */
import { NgpuError } from "@ngpu/protocol/errors";
import { recoverSigner, type Signed, type SigningContext } from "@ngpu/protocol/signed";
import { decodeFrame, type RosterEntry } from "@ngpu/protocol/wire";
import { isAddressEqual, type Address } from "viem";

const requestTimeoutMs = 10_000;
const skewS = 30n;

/** Everyone that the gateway lists now. Throws GATEWAY_UNREACHABLE. */
export async function fetchRoster({ gatewayUrl, signal }: { gatewayUrl: string; signal: AbortSignal }): Promise<RosterEntry[]> {
  try {
    const until = AbortSignal.any([signal, AbortSignal.timeout(requestTimeoutMs)]);
    const response = await fetch(`${gatewayUrl}/v1/roster`, { signal: until });
    const { nodes } = (await response.json()) as { nodes: unknown };
    const frame = decodeFrame(JSON.stringify({ v: 1, t: "roster", nodes }));
    return frame.t === "roster" ? frame.nodes : [];
  } catch (cause) {
    throw new NgpuError("GATEWAY_UNREACHABLE", { gatewayUrl }, { cause });
  }
}

/** True when the operator of now signed it and it is valid now. */
export async function isGoodBinding(request: {
  binding: Signed<"transportBinding">;
  operator: Address;
  context: SigningContext;
  nowMs: number;
}): Promise<boolean> {
  const { binding, operator, context, nowMs } = request;
  const nowS = BigInt(Math.floor(nowMs / 1_000));
  const isCurrent = binding.message.expiry > nowS && binding.message.notBefore <= nowS + skewS;
  const signer = await recoverSigner({ kind: "transportBinding", signed: binding, context });
  return isCurrent && signer !== undefined && isAddressEqual(signer, operator);
}
