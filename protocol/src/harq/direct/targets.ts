/**
 * To which of a peer's addresses challenges go. A peer is not believed: it could name somebody else, or a machine in
 * this side's own network. So public addresses count, private ones only where this side was seen at a private address
 * itself, and loopback only on the local chain; and never more than a few.
 */
import type { Candidate } from "../security/handshakePayload.ts";
import { addressScope } from "./addressScope.ts";

export type Target = Pick<Candidate, "address" | "port">;

const mostTargets = 4;
const localChainId = 31_337;
/** Below are services of machines, not sockets of links. */
const smallestPort = 1_024;

/** `seenAt`: where this side was seen by the gateway; its version of IP is the only one that its socket speaks. */
export function targetsOf(request: {
  candidates: readonly Candidate[];
  seenAt: string;
  chainId: number;
}): readonly Target[] {
  const { candidates, seenAt, chainId } = request;
  const own = addressScope(seenAt);
  const isSix = seenAt.includes(":");
  const counts = ({ address, port }: Candidate): boolean => {
    const scope = addressScope(address);
    if (address.includes(":") !== isSix || port < smallestPort || scope === "none") return false;
    if (scope === "loopback") return own === "loopback" && chainId === localChainId;
    return scope === "public" || own === "private" || (own === "loopback" && chainId === localChainId);
  };
  return candidates
    .filter(counts)
    .slice(0, mostTargets)
    .map(({ address, port }) => ({ address, port }));
}
