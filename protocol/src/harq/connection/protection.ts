/** Seals what leaves under this direction's key and opens what comes under the other's. */
import { joinBytes } from "../../bytes.ts";
import { tagBytes, type Sealer } from "../security/sealer.ts";
import { encodeHeader, headerBytes, type DatagramHeader, type DatagramType } from "../wire/datagramHeader.ts";
import { nonceOf } from "../wire/nonce.ts";
import type { KeyLifetime, KeyPhases } from "./keyPhases.ts";
import { createReceiveKeys } from "./receiveKeys.ts";
import { createSendKeys } from "./sendKeys.ts";

export const overheadBytes = headerBytes + tagBytes;

export interface Outbound {
  readonly type: DatagramType;
  readonly path: number;
  readonly packetNumber: number;
  readonly body: Uint8Array;
  /** Asks the peer for the next phase: sealed in it, and nothing depends on its arrival. */
  readonly inNextPhase?: boolean;
}

export interface Protection {
  seal(outbound: Outbound): Uint8Array;
  /** The body; undefined when it is not authentic or for another connection. */
  open(header: DatagramHeader, datagram: Uint8Array): Uint8Array | undefined;
  /** Of what comes in; without one no RETRY is believed. */
  readonly connectionId?: bigint;
  /** Absent where keys never change. */
  readonly phases?: KeyPhases;
}

export interface DirectionKeys {
  readonly connectionId: bigint;
  readonly salt: Uint8Array;
  readonly sealer: Sealer;
  /** Those of the phase after; where there are none, the keys never change. */
  readonly next?: () => DirectionKeys;
}

export interface ProtectionOptions {
  readonly send: DirectionKeys;
  readonly receive: DirectionKeys;
  readonly lifetime?: KeyLifetime;
}

/** One key for each direction and phase. What a handshake gave may be given as it is. */
export function createProtection({ send, receive, lifetime = {} }: ProtectionOptions): Protection {
  const outgoing = createSendKeys(send, lifetime);
  const incoming = createReceiveKeys(receive);
  return {
    seal({ body, inNextPhase = false, ...fields }) {
      const { keys, keyPhase } = outgoing.take(inNextPhase);
      const header = encodeHeader({ ...fields, keyPhase, connectionId: keys.connectionId });
      const { sealer, salt } = keys;
      const nonce = nonceOf(salt, fields);
      return sealer.sealBehind?.(header, body, nonce) ?? joinBytes(header, sealer.seal(body, header, nonce));
    },
    open: incoming.open,
    connectionId: receive.connectionId,
    phases: {
      tick(nowUs, ptoUs) {
        outgoing.tick(nowUs, ptoUs);
        incoming.tick(nowUs, ptoUs);
      },
      takeAsking: outgoing.takeAsking,
      askingDueUs: outgoing.askingDueUs,
      onAcknowledged: outgoing.onAcknowledged,
      sending: outgoing.phase,
      receiving: incoming.phase,
    },
  };
}
