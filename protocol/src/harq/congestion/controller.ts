/**
 * What a path asks of whoever decides how fast it sends: told what left and what became of it, answers with a rate and
 * a bound of bytes in flight. Pure: time comes with every call.
 */

/** What a packet tells about the moment it left; kept by the path and given back with its fate. */
export interface PacketStamp {
  readonly number: number;
  readonly bytes: number;
  readonly sentUs: number;
  /** Bytes that had arrived, and when the last of them was reported, as this packet left. */
  readonly deliveredBytes: number;
  readonly deliveredUs: number;
  /** When the first packet left of the flight whose end `deliveredUs` marks. */
  readonly flightStartUs: number;
  /** Less was queued than could have been sent: such a packet says nothing of the path's limit. */
  readonly isAppLimited: boolean;
}

/** One report of the peer, digested by the path. */
export interface Feedback {
  readonly nowUs: number;
  /** Newly known to have arrived, oldest first. */
  readonly arrived: readonly PacketStamp[];
  /** Newly given up, oldest first: also those that repair symbols have replaced. */
  readonly lost: readonly PacketStamp[];
  /** Of the newest arrival, the peer's hold time deducted. */
  readonly rttUs: number | undefined;
  readonly smallestRttUs: number;
  readonly inFlightBytes: number;
  /** Of all that arrived so far on this path. */
  readonly deliveredBytes: number;
}

/** What a path remembers of a peer, for the next connection's first flight. */
export interface PathMemory {
  readonly bytesPerSecond: number;
  readonly smallestRttUs: number;
}

export interface CongestionController {
  onSent(stamp: PacketStamp, inFlightBytes: number): void;
  onFeedback(feedback: Feedback): void;
  /** Pacing, repair symbols included. */
  bytesPerSecond(): number;
  windowBytes(): number;
  /** True while loss is taken for congestion: nothing is repaired in advance for the time being. */
  isCongested(): boolean;
  remember(): PathMemory;
}

/** `interactive` and `bulk` share fairly with a TCP flow; `background` yields to whoever builds a queue. */
export type CongestionClass = "fair" | "background";

export interface ControllerOptions {
  readonly nowUs: number;
  readonly packetBytes: number;
  /** Round trip until one is measured. */
  readonly assumedRttUs?: number;
  /** What an earlier connection learned; entered at half the rate and checked within one round trip. */
  readonly memory?: PathMemory;
}
