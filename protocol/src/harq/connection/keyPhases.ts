/**
 * When the keys of a connection change. Each direction counts phases of its own, whose lowest bit is in every header.
 * A sender that wants the next phase asks with a packet sealed in it, which carries nothing, and seals everything else
 * as before until the peer has reported that packet. The receiver goes on to the next phase with the first packet that
 * is authentic in it, and keeps the former key for three probe timeouts after the last packet that needed it.
 */
export interface KeyPhases {
  /** Told before anything else is done at a time. `ptoUs`: what a packet and its report take on the slowest path. */
  tick(nowUs: number, ptoUs: () => number): void;
  /** The phase to be asked for now; undefined when it is not due. */
  takeAsking(nowUs: number): number | undefined;
  /** When to ask again; Infinity while nothing is asked for. */
  askingDueUs(): number;
  /** The peer reported a packet that was sealed in this phase. */
  onAcknowledged(phase: number, nowUs: number): void;
  /** Phases in use, from 0, for operators and tests. */
  sending(): number;
  receiving(): number;
}

export interface KeyLifetime {
  /** Packets sealed with one key; 2²⁴ where it is not given. */
  readonly packets?: number;
  /** Age of a key in use; an hour where it is not given. */
  readonly ageUs?: number;
}

export const keyLifetime: Required<KeyLifetime> = { packets: 2 ** 24, ageUs: 3_600_000_000 };

/** How long an old key is kept, and how long nothing new is asked for after a change, in probe timeouts. */
export const keptPtos = 3;
