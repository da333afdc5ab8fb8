/**
 * What a peer shows to be answered at an address it has not proved: sealed by the one who gave it, good for one address
 * prefix, one connection and thirty seconds. Whoever checks it keeps nothing.
 *
 *     nonce 12, at random | sealed( expires u64 in microseconds | connection id u64 ), associated data = prefix
 */
import { joinBytes } from "../../bytes.ts";
import { tagBytes, type Sealer } from "./sealer.ts";

export interface PathTokens {
  issue(bound: { readonly prefix: Uint8Array; readonly connectionId: bigint; readonly nowUs: number }): Uint8Array;
  /** The connection it is good for; undefined when it is not good here and now. */
  check(shown: { readonly token: Uint8Array; readonly prefix: Uint8Array; readonly nowUs: number }): bigint | undefined;
}

export interface PathTokenOptions {
  /** Of a key that nothing else is sealed with. */
  readonly sealer: Sealer;
  readonly randomBytes: (count: number) => Uint8Array;
}

const nonceBytes = 12;
const bodyBytes = 16;
const goodForUs = 30_000_000;
export const pathTokenBytes = nonceBytes + bodyBytes + tagBytes;

export function createPathTokens({ sealer, randomBytes }: PathTokenOptions): PathTokens {
  return {
    issue({ prefix, connectionId, nowUs }) {
      const body = new Uint8Array(bodyBytes);
      const view = new DataView(body.buffer);
      view.setBigUint64(0, BigInt(Math.floor(nowUs) + goodForUs));
      view.setBigUint64(8, connectionId);
      const nonce = randomBytes(nonceBytes);
      return joinBytes(nonce, sealer.seal(body, prefix, nonce));
    },
    check({ token, prefix, nowUs }) {
      if (token.length !== pathTokenBytes) return undefined;
      const body = sealer.open(token.subarray(nonceBytes), prefix, token.subarray(0, nonceBytes));
      if (body === undefined) return undefined;
      const view = new DataView(body.buffer, body.byteOffset, body.length);
      return Number(view.getBigUint64(0)) < nowUs ? undefined : view.getBigUint64(8);
    },
  };
}
