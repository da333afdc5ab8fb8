/**
 * One way to the peer, as the connection sees it: what was sent and what became of it, what arrived, how fast it may
 * go. A `datagram` path loses packets; a `stream` path (a WebSocket) stalls instead.
 */
import type { CongestionController, PacketStamp } from "../congestion/controller.ts";
import { createArrivalBook, type ArrivalBook } from "../estimate/arrivalBook.ts";
import { createLossEstimate, type LossEstimate, type LossMemory } from "../estimate/lossEstimate.ts";
import { createPacketBook, type PacketBook } from "../estimate/packetBook.ts";
import { createReorderWindow, type ReorderWindow } from "../estimate/reorderWindow.ts";
import { createRoundTrip, type RoundTrip } from "../estimate/roundTrip.ts";
import type { OutgoingMessage, SentSymbol } from "../message/outgoingMessage.ts";
import type { Frame } from "../wire/frames.ts";
import { createPacketSize, type PacketSize } from "./packetSize.ts";
import { createStreamWindow, type StreamWindow } from "./streamWindow.ts";

export type PathKind = "datagram" | "stream";

/** What a packet carried that its fate matters to. */
export interface PacketContent {
  readonly symbols: readonly SentSymbol[];
  readonly ends: readonly OutgoingMessage[];
  /** Larger than the path is known to carry; its loss says nothing of the path's loss. */
  readonly isSizeProbe: boolean;
  /** Sealed in this phase, to ask the peer for it. */
  readonly keyPhase?: number;
  /** Stands behind a stall: its messages no longer count on it, though it may arrive. */
  isLate?: boolean;
}

export interface PathChallenge {
  readonly data: Uint8Array;
  tries: number;
  sentUs: number;
  nextUs: number;
}

export interface PathNumbers {
  readonly nextNumber: number;
  readonly arrivals: ArrivalBook;
}

export interface Path {
  readonly id: number;
  readonly kind: PathKind;
  /** Opened from here: the first to speak on it, and not bound by what came in before. */
  isOurs: boolean;
  readonly controller: CongestionController;
  readonly book: PacketBook<PacketContent>;
  readonly arrivals: ArrivalBook;
  readonly roundTrip: RoundTrip;
  readonly reorder: ReorderWindow;
  readonly loss: LossEstimate;
  readonly size: PacketSize;
  /** Of a stream, beside congestion control. */
  readonly stream: StreamWindow;
  isValidated: boolean;
  /** Silent for three probes: another path carries on where there is one. */
  isSuspect: boolean;
  challenge: PathChallenge | undefined;
  /** To be shown with challenges until one is answered; when it came. */
  token: Uint8Array | undefined;
  tokenUs: number;
  /** Suspect because it was idle for long: it is tried again once it is needed. */
  hasLapsed: boolean;
  /** When a suspect path is tried again, and how long after that the next time. */
  retryUs: number;
  retryEveryUs: number;
  nextNumber: number;
  /** What its carrier still takes; Infinity where it never said. */
  roomBytes: number;
  sentBytes: number;
  receivedBytes: number;
  /** Last packet that asks for a report. */
  askedUs: number;
  silentProbes: number;
  /** Arrivals that ask for a report and have not had one. */
  hasUnreported: boolean;
  /** Earliest time of the next packet. */
  releaseUs: number;
  /** When something could last have been sent the next packet had only its time to wait for. */
  isPaced: boolean;
  deliveredBytes: number;
  deliveredUs: number;
  flightStartUs: number;
  /** Times that nothing of what was under way arrived for much longer than a round trip. */
  stalls: number;
  isStalled: boolean;
  /** Packets that leave before this much is delivered leave without enough to send behind them. */
  appLimitedUntilBytes: number;
  /** Frames that go with the next packet. */
  control: Frame[];
}

export interface PathOptions {
  readonly id: number;
  readonly kind: PathKind;
  readonly isOurs: boolean;
  readonly isValidated: boolean;
  readonly nowUs: number;
  readonly controller: CongestionController;
  readonly assumedRttUs: number;
  readonly smallestPacketBytes: number;
  readonly largestPacketBytes: number;
  readonly lossMemory?: LossMemory;
  readonly token?: Uint8Array;
  /** Of the same path earlier, under the same keys. */
  readonly numbers?: PathNumbers;
}

const firstRetryUs = 30_000_000;

export function createPath(options: PathOptions): Path {
  const { id, kind, isOurs, isValidated, nowUs, controller, assumedRttUs, lossMemory } = options;
  return {
    id,
    kind,
    isOurs,
    controller,
    book: createPacketBook(),
    arrivals: options.numbers?.arrivals ?? createArrivalBook(),
    roundTrip: createRoundTrip(assumedRttUs),
    reorder: createReorderWindow(),
    loss: createLossEstimate(lossMemory),
    size: createPacketSize({
      smallestBytes: options.smallestPacketBytes,
      largestBytes: options.largestPacketBytes,
      nowUs,
    }),
    stream: createStreamWindow(),
    isValidated,
    isSuspect: false,
    hasLapsed: false,
    challenge: undefined,
    token: options.token,
    tokenUs: -Infinity,
    retryUs: Infinity,
    retryEveryUs: firstRetryUs,
    nextNumber: options.numbers?.nextNumber ?? 0,
    roomBytes: Infinity,
    sentBytes: 0,
    receivedBytes: 0,
    askedUs: nowUs,
    silentProbes: 0,
    hasUnreported: false,
    releaseUs: nowUs,
    isPaced: false,
    deliveredBytes: 0,
    deliveredUs: nowUs,
    flightStartUs: nowUs,
    stalls: 0,
    isStalled: false,
    appLimitedUntilBytes: 0,
    control: [],
  };
}

const amplification = 3;

/** To an address that has not proved itself goes at most three times what came from it. */
export function maySend(path: Path, bytes: number): boolean {
  return path.isValidated || path.isOurs || path.sentBytes + bytes <= amplification * path.receivedBytes;
}

export function hasWindow(path: Path, bytes: number, nowUs: number): boolean {
  const { kind, roomBytes, book, controller } = path;
  const inFlightBytes = book.inFlightBytes();
  if (kind === "stream" && inFlightBytes >= streamWindowBytes(path, nowUs)) return false;
  return bytes <= roomBytes && inFlightBytes + bytes <= controller.windowBytes();
}

/** How much is bound to a stream at most. */
export function streamWindowBytes({ stream, roundTrip }: Path, nowUs: number): number {
  return stream.bytes(roundTrip.smallestUs(), nowUs);
}

const burstPackets = 16;
const burstUs = 2_000;
const longestLateUs = 25_000;

/**
 * Takes the packet's time from the path's pace. After a pause a burst may leave at once. A packet that waited for its
 * time alone and was sent late makes up for a quarter of a round trip: a busy machine would slow the path to its own
 * pace otherwise.
 */
export function pace(path: Path, bytes: number, nowUs: number): void {
  const perByteUs = 1e6 / path.controller.bytesPerSecond();
  const burst = Math.max(burstUs, burstPackets * path.size.packetBytes() * perByteUs);
  const late = Math.max(burst, Math.min(longestLateUs, path.roundTrip.smoothedUs() / 4));
  path.releaseUs = Math.max(path.releaseUs, nowUs - (path.isPaced ? late : burst)) + bytes * perByteUs;
}

export function stampOf(
  path: Path,
  { number, bytes, nowUs }: { number: number; bytes: number; nowUs: number },
): PacketStamp {
  if (path.book.inFlightBytes() === 0) {
    path.flightStartUs = nowUs;
    path.deliveredUs = nowUs;
  }
  return {
    number,
    bytes,
    sentUs: nowUs,
    deliveredBytes: path.deliveredBytes,
    deliveredUs: path.deliveredUs,
    flightStartUs: path.flightStartUs,
    isAppLimited: path.deliveredBytes < path.appLimitedUntilBytes,
  };
}
