/**
 * Stands before the connections of a socket that anybody may send to, and is asked of every datagram from an address
 * that no connection has bound. It keeps nothing of such addresses: what it has to know comes back in a token.
 *
 *   admit   the address showed a token that is good for its prefix and this connection: give `datagram` to that
 *           connection, and bind the address once it proved authentic (`movePath`, or a path's first datagram)
 *   retry   send `reply` there; it is never larger than what came
 *   drop    nothing
 *
 * Whatever is admitted still has to prove itself: until a challenge is answered, three bytes go there for one that came.
 */
import { codeOf } from "../../errors.ts";
import { decodeHeader, headerBytes, type DatagramHeader } from "../wire/datagramHeader.ts";
import { addressPrefix } from "./addressPrefix.ts";
import type { PathTokens } from "./pathToken.ts";
import type { PrefixBudget } from "./prefixBudget.ts";
import { encodeRetry, retryBytes } from "./retry.ts";
import { tagBytes } from "./sealer.ts";
import { unwrapToken } from "./tokenEnvelope.ts";

export interface GateOptions {
  readonly tokens: PathTokens;
  /** For what is sent to addresses without a good token. */
  readonly budget: PrefixBudget;
  /**
   * The id that the peer of this connection chose for what it receives; undefined when no such connection is open here.
   * To whoever names none nothing is said at all.
   */
  readonly peerOf: (connectionId: bigint) => bigint | undefined;
}

export interface Arrival {
  /** IP address as text. */
  readonly address: string;
  readonly bytes: Uint8Array;
  readonly nowUs: number;
}

export type Admission =
  | { readonly verdict: "admit"; readonly connectionId: bigint; readonly datagram: Uint8Array }
  | { readonly verdict: "retry"; readonly reply: Uint8Array }
  | { readonly verdict: "drop" };

export interface Gate {
  judge(arrival: Arrival): Admission;
}

const drop: Admission = { verdict: "drop" };

/** Judges by the datagram, the clock and the budget alone; `nowUs` is the clock that the tokens are issued by. */
export function createGate({ tokens, budget, peerOf }: GateOptions): Gate {
  return {
    judge({ address, bytes, nowUs }) {
      const prefix = addressPrefix(address);
      const { token, datagram } = unwrapToken(bytes);
      const header = headerOf(datagram);
      const peerId = header && peerOf(header.connectionId);
      if (prefix === undefined || header === undefined || peerId === undefined) return drop;
      if (token !== undefined && tokens.check({ token, prefix, nowUs }) === header.connectionId) {
        return { verdict: "admit", connectionId: header.connectionId, datagram };
      }
      if (bytes.length < retryBytes || !budget.take(prefix, retryBytes, nowUs)) return drop;
      const fresh = tokens.issue({ prefix, connectionId: header.connectionId, nowUs });
      return { verdict: "retry", reply: encodeRetry({ ...header, connectionId: peerId }, fresh) };
    },
  };
}

/** Of what could be a sealed datagram. A RETRY is not answered, or two gates would talk for ever. */
function headerOf(datagram: Uint8Array): DatagramHeader | undefined {
  if (datagram.length < headerBytes + tagBytes) return undefined;
  try {
    const header = decodeHeader(datagram);
    return header.type === "retry" ? undefined : header;
  } catch (error) {
    if (codeOf(error) === "WIRE_MALFORMED") return undefined;
    throw error;
  }
}
