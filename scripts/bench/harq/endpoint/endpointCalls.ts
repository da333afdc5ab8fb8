/**
 * What an end of a bad network can be asked. Times are microseconds of the machine's monotonic clock, the same in all
 * processes, so that one end's sending and the other's receiving can be compared.
 */
import type { LinkMetrics } from "@ngpu/protocol/harq/link/linkMetrics";

export type Congestion = "cubic" | "bbr";

export interface Arrival {
  readonly atUs: number;
  readonly bytes: number;
  readonly sha256: string;
  /** For messages that begin with the time at which they were sent. */
  readonly delayUs: number;
}

export interface TcpTarget {
  readonly host: string;
  readonly congestion: Congestion;
  /** Until it must be open; half a minute where it is not given. */
  readonly withinMs?: number;
}

/** What each direction is sealed with, as a handshake would give it. */
export interface LinkSecrets {
  readonly toFar: DirectionSecret;
  readonly toNear: DirectionSecret;
}

export interface DirectionSecret {
  readonly connectionId: bigint;
  readonly key: Uint8Array;
  readonly salt: Uint8Array;
}

export interface HarqTarget {
  readonly host: string;
  readonly port: number;
  readonly secrets: LinkSecrets;
  /** As the handshake over the WebSocket measured it. */
  readonly rttUs: number;
  /** Until the path must be validated; half a minute where it is not given. */
  readonly withinMs?: number;
}

export interface StripesTarget extends Omit<HarqTarget, "port"> {
  readonly congestion: Congestion;
  /** Undefined: one, and others as a dialled link opens them. */
  readonly count: number | undefined;
}

export interface SentMessage {
  readonly startUs: number;
  readonly sha256: string;
}

export interface EndpointCalls {
  /** Echoes datagrams, and counts those that are not to be echoed. */
  echoListen(given: { host: string }): void;
  echoCounted(): number;
  /** Round trips of `count` datagrams, one after the other. */
  echoTimes(given: { host: string; count: number }): Promise<number[]>;
  /** Sends datagrams that are counted only, at that rate. */
  echoFlood(given: { host: string; count: number; bytes: number; bytesPerSecond: number }): Promise<void>;

  webSocketListen(given: { host: string }): Promise<void>;
  webSocketOpen(given: TcpTarget): Promise<void>;
  webSocketSend(given: { bytes: number }): SentMessage;
  /** Messages one every so often, whatever became of those before. */
  webSocketSendEvery(given: { bytes: number; count: number; everyMs: number }): Promise<void>;
  webSocketClose(): void;

  streamListen(given: { host: string }): Promise<void>;
  /** Sends as much as TCP takes until it is stopped. */
  streamOpen(given: TcpTarget): Promise<void>;
  streamStop(): void;

  harqListen(given: { host: string; port: number; secrets: LinkSecrets }): Promise<void>;
  /** Resolves when the path is validated: the link knows a round trip, and nothing of rate or loss. */
  harqOpen(given: HarqTarget): Promise<void>;
  /** The same over several WebSockets of one link, and no UDP. */
  harqListenStripes(given: { host: string; secrets: LinkSecrets }): Promise<void>;
  /** Resolves when every path is validated; each a TCP connection under `congestion` from its first byte. */
  harqOpenStripes(given: StripesTarget): Promise<void>;
  /** Begins one message; what became of it is told by the other end. */
  harqSend(given: { bytes: number }): SentMessage;
  /** Messages one every so often, whatever became of those before. */
  harqSendEvery(given: { bytes: number; count: number; everyMs: number }): Promise<void>;
  /** Messages without an end for the bench, one after the other. */
  harqStream(): void;
  harqMetrics(): LinkMetrics;
  harqClose(): Promise<void>;

  /** The next whole message of this end, of any kind; undefined after `withinMs`. */
  nextArrival(given: { withinMs: number }): Promise<Arrival | undefined>;
  /** All since the last time this was asked. */
  takeArrivals(): Arrival[];
  /** Bytes of streams that arrived from `fromUs` on for `forUs`; resolves when that time is over. */
  bytesDuring(given: { fromUs: number; forUs: number }): Promise<number>;
}

export interface EndpointRequest {
  readonly id: number;
  readonly name: keyof EndpointCalls;
  readonly given: unknown;
}

export type EndpointAnswer =
  | { readonly id: number; readonly result: unknown; readonly error?: undefined }
  | { readonly id: number; readonly error: string };
