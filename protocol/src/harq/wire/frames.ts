/** What a datagram's body holds, as values; `encodeFrames` and `decodeFrames` turn it to bytes and back. */
export const frameCodes = {
  pad: 0x00,
  /** To the end of the datagram. */
  symbol: 0x01,
  /** The same with its own length, so that another frame may follow. */
  symbolWithLength: 0x02,
  end: 0x03,
  status: 0x04,
  done: 0x05,
  doneAck: 0x06,
  ping: 0x07,
  challenge: 0x08,
  response: 0x09,
  cancel: 0x0a,
  resume: 0x0b,
  close: 0x0c,
} as const;

/** What every symbol says of its message, so that any one of them begins it. */
export interface MessageShape {
  readonly message: number;
  readonly length: number;
  readonly kmax: number;
  /** A multiple of 64. */
  readonly symbolBytes: number;
}

export interface SymbolFrame extends MessageShape {
  readonly type: "symbol";
  readonly block: number;
  readonly esi: number;
  readonly priority: number;
  readonly codec: number;
  readonly symbol: Uint8Array;
}

export interface EndFrame {
  readonly type: "end";
  readonly message: number;
  readonly length: number;
  readonly sha256: Uint8Array;
}

/** Downwards from the largest packet number: `gap` numbers that did not arrive, then `run` that did. */
export interface PacketRange {
  readonly gap: number;
  readonly run: number;
}

/**
 * What a block still needs, 0 when it is complete; blocks of the message before the first that is named are complete.
 */
export interface Deficit {
  readonly message: number;
  readonly block: number;
  readonly deficit: number;
}

/** Source symbols of a block that did not arrive: bit i of the 128 is esi i, lowest bit of the first byte first. */
export interface MissingSymbols {
  readonly message: number;
  readonly block: number;
  readonly bitmap: Uint8Array;
}

export interface StatusFrame {
  readonly type: "status";
  readonly path: number;
  readonly largest: number;
  readonly ageUs: number;
  readonly received: number;
  readonly credit: number;
  readonly ranges: readonly PacketRange[];
  readonly deficits: readonly Deficit[];
  readonly missing: readonly MissingSymbols[];
}

export const verdicts = ["good", "hashDiffers", "refused", "cancelled"] as const;
export type Verdict = (typeof verdicts)[number];

export interface DoneFrame {
  readonly type: "done";
  readonly message: number;
  readonly verdict: Verdict;
}

export interface DoneAckFrame {
  readonly type: "doneAck";
  readonly message: number;
}

export interface PingFrame {
  readonly type: "ping";
}

export interface ChallengeFrame {
  readonly type: "challenge" | "response";
  readonly data: Uint8Array;
}

export interface CancelFrame {
  readonly type: "cancel";
  readonly message: number;
  readonly length: number;
  readonly code: number;
}

export interface ResumeFrame extends MessageShape {
  readonly type: "resume";
  /** Zeros while it is not known. */
  readonly sha256: Uint8Array;
  readonly firstBlock: number;
  /** Symbols there are of each block from `firstBlock` on; the blocks before are complete, those after untouched. */
  readonly received: Uint8Array;
}

export interface CloseFrame {
  readonly type: "close";
  readonly code: number;
  readonly text: string;
}

export type Frame =
  | SymbolFrame
  | EndFrame
  | StatusFrame
  | DoneFrame
  | DoneAckFrame
  | PingFrame
  | ChallengeFrame
  | CancelFrame
  | ResumeFrame
  | CloseFrame;
