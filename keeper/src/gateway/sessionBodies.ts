/**
 * Who may leave and fetch bodies on a session's shelf: the keys whose vouchers count, and the nodes that hold a lane in
 * it, while its client is connected here.
 */
import { NgpuError } from "@ngpu/protocol/errors";
import type { Clock } from "@ngpu/protocol/service/clock";
import { isAddressEqual, type Address, type Hex } from "viem";
import type { Authority } from "../chain/authority.ts";
import type { SessionAuthority } from "../session/sessionAuthority.ts";
import type { BodyShelf } from "./bodyShelf.ts";

export interface SessionBodies {
  /** True for the id of a session whose client is connected. */
  serves(sessionId: Hex): boolean;
  /** Throws AUTH_FORBIDDEN for who is no party of the session, or as the shelf does. */
  put(request: BodyRequest & { body: AsyncIterable<Uint8Array> }): Promise<"stored" | "present">;
  get(request: BodyRequest): Promise<Uint8Array>;
}

export interface BodyRequest {
  sessionId: Hex;
  hash: Hex;
  signer: Address;
}

/** A key that was changed is taken for so long; one that is not remembered is asked for, but not more often than this. */
const rememberMs = 10_000;
const askAgainMs = 500;
const mostRemembered = 10_000;

export function createSessionBodies(options: {
  shelf: BodyShelf;
  sessions: Pick<SessionAuthority, "signersOf" | "hasLane">;
  authority: Pick<Authority, "nodeOfOperator">;
  isConnected: (sessionId: Hex) => boolean;
  clock: Clock;
}): SessionBodies {
  const { shelf, sessions, authority, isConnected, clock } = options;
  const remembered = new Map<Hex, { signers: readonly Address[]; sinceMs: number }>();

  /** What it may fill the shelf as; the client's own key first, because that needs no further question. */
  async function partyOf({ sessionId, signer }: BodyRequest): Promise<string> {
    if (await isSigner(sessionId, signer)) return sessionId;
    const nodeId = await authority.nodeOfOperator(signer);
    if (nodeId !== 0 && (await sessions.hasLane({ sessionId, nodeId }))) return String(nodeId);
    throw new NgpuError("AUTH_FORBIDDEN", { sessionId, part: "body" });
  }

  async function isSigner(sessionId: Hex, signer: Address): Promise<boolean> {
    const isAmong = (signers: readonly Address[]): boolean => signers.some((known) => isAddressEqual(known, signer));
    const known = remembered.get(sessionId);
    const ageMs = known === undefined ? Infinity : clock.monotonicMs() - known.sinceMs;
    if (known !== undefined && ageMs < rememberMs && (isAmong(known.signers) || ageMs < askAgainMs)) {
      return isAmong(known.signers);
    }
    const signers = await sessions.signersOf(sessionId);
    if (remembered.size >= mostRemembered) remembered.clear();
    remembered.set(sessionId, { signers, sinceMs: clock.monotonicMs() });
    return isAmong(signers);
  }

  return {
    serves: isConnected,
    async put({ body, ...request }) {
      const { sessionId, hash } = request;
      return shelf.put({ sessionId, hash, by: await partyOf(request), body });
    },
    async get(request) {
      await partyOf(request);
      return shelf.get(request.sessionId, request.hash);
    },
  };
}
