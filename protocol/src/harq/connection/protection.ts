/** Seals what leaves under this direction's key and opens what comes under the other's. */
import { joinBytes } from "../../bytes.ts";
import { tagBytes, type Sealer } from "../security/sealer.ts";
import { encodeHeader, headerBytes, type DatagramHeader, type DatagramType } from "../wire/datagramHeader.ts";
import { nonceOf } from "../wire/nonce.ts";

export const overheadBytes = headerBytes + tagBytes;

export interface Outbound {
  readonly type: DatagramType;
  readonly path: number;
  readonly packetNumber: number;
  readonly body: Uint8Array;
}

export interface Protection {
  seal(outbound: Outbound): Uint8Array;
  /** The body; undefined when it is not authentic or for another connection. */
  open(header: DatagramHeader, datagram: Uint8Array): Uint8Array | undefined;
}

export interface DirectionKeys {
  readonly connectionId: bigint;
  readonly salt: Uint8Array;
  readonly sealer: Sealer;
  /** Those of the phase after; where there are none, the keys never change. */
  readonly next?: () => DirectionKeys;
}

/** One key for each direction; whoever changes keys brings a `Protection` of their own. */
export function createProtection({ send, receive }: { send: DirectionKeys; receive: DirectionKeys }): Protection {
  return {
    seal({ body, ...fields }) {
      const header = encodeHeader({ ...fields, keyPhase: 0, connectionId: send.connectionId });
      const sealed = send.sealer.seal(body, header, nonceOf(send.salt, fields));
      return joinBytes(header, sealed);
    },
    open(header, datagram) {
      if (header.connectionId !== receive.connectionId || header.keyPhase !== 0) return undefined;
      const associated = datagram.subarray(0, headerBytes);
      return receive.sealer.open(datagram.subarray(headerBytes), associated, nonceOf(receive.salt, header));
    },
  };
}
