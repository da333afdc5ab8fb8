/** What a link tells of itself to those who operate it. */
import type { Connection, ConnectionCounts } from "../connection/connectionState.ts";
import type { PathKind } from "../connection/path.ts";

export interface LinkMetrics extends Readonly<ConnectionCounts> {
  readonly steps: number;
  /** Bytes of the peer's messages that are held, those included whose handler has not resolved. */
  readonly heldBytes: number;
  readonly queuedBytes: number;
  readonly paths: readonly LinkPathMetrics[];
}

export interface LinkPathMetrics {
  readonly id: number;
  readonly kind: PathKind;
  readonly isValidated: boolean;
  readonly isSuspect: boolean;
  /** Of a stream: how often it delivered nothing for much longer than a round trip. */
  readonly stalls: number;
  readonly rttUs: number;
  readonly loss: number;
  readonly bytesPerSecond: number;
  readonly inFlightBytes: number;
  readonly packetBytes: number;
  readonly sentBytes: number;
  readonly receivedBytes: number;
}

/** `handedBytes`: what handlers are not through with. */
export function metricsOf(
  connection: Connection,
  { steps, handedBytes }: { readonly steps: number; readonly handedBytes: number },
): LinkMetrics {
  return {
    ...connection.counts,
    steps,
    heldBytes: connection.inbox.heldBytes() + handedBytes,
    queuedBytes: connection.outbox.queuedBytes(),
    paths: [...connection.paths.values()].map((path) => ({
      id: path.id,
      kind: path.kind,
      isValidated: path.isValidated,
      isSuspect: path.isSuspect,
      stalls: path.stalls,
      rttUs: path.roundTrip.smoothedUs(),
      loss: path.loss.bound(),
      bytesPerSecond: path.controller.bytesPerSecond(),
      inFlightBytes: path.book.inFlightBytes(),
      packetBytes: path.size.packetBytes(),
      sentBytes: path.sentBytes,
      receivedBytes: path.receivedBytes,
    })),
  };
}
