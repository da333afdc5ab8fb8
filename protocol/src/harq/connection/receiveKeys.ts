/** The keys of what comes in: the phase in use, the former one for a while, the next one to be tried. */
import { headerBytes, type DatagramHeader } from "../wire/datagramHeader.ts";
import { nonceOf } from "../wire/nonce.ts";
import { keptPtos } from "./keyPhases.ts";
import type { DirectionKeys } from "./protection.ts";
import { bitOf } from "./sendKeys.ts";

export interface ReceiveKeys {
  /** The body; undefined when no key of now opens it. A phase bit moves nothing unless the datagram is authentic. */
  open(header: DatagramHeader, datagram: Uint8Array): Uint8Array | undefined;
  tick(nowUs: number, ptoUs: () => number): void;
  phase(): number;
}

/** Begins with phase 0; costs a datagram of the other phase's bit at most two attempts. */
export function createReceiveKeys(first: DirectionKeys): ReceiveKeys {
  let phase = 0;
  let keys = first;
  /** Made when a header first asks for it. */
  let next: DirectionKeys | undefined;
  let former: { readonly keys: DirectionKeys; untilUs: number; wasUsed: boolean } | undefined;
  return {
    open(header, datagram) {
      if (header.connectionId !== first.connectionId) return undefined;
      if (header.keyPhase === bitOf(phase)) return openWith(keys, header, datagram);
      const late = former && openWith(former.keys, header, datagram);
      if (late !== undefined) {
        former!.wasUsed = true;
        return late;
      }
      next ??= keys.next?.();
      const body = next && openWith(next, header, datagram);
      if (body === undefined) return undefined;
      former = { keys, untilUs: Infinity, wasUsed: true };
      keys = next!;
      next = undefined;
      phase += 1;
      return body;
    },
    tick(nowUs, ptoUs) {
      if (former === undefined) return;
      if (former.wasUsed) {
        former.untilUs = nowUs + keptPtos * ptoUs();
        former.wasUsed = false;
      } else if (nowUs > former.untilUs) {
        former = undefined;
      }
    },
    phase: () => phase,
  };
}

function openWith({ sealer, salt }: DirectionKeys, header: DatagramHeader, datagram: Uint8Array) {
  const associated = datagram.subarray(0, headerBytes);
  return sealer.open(datagram.subarray(headerBytes), associated, nonceOf(salt, header));
}
