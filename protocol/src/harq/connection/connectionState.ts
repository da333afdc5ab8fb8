/** What a connection is made of, what goes into it and what comes out. */
import type { CongestionController, ControllerOptions, PathMemory } from "../congestion/controller.ts";
import type { LossMemory } from "../estimate/lossEstimate.ts";
import type { Inbox, ReceiveEvent } from "../message/inbox.ts";
import type { MessageSource } from "../message/outgoingMessage.ts";
import type { Outbox, SendEvent } from "../message/outbox.ts";
import type { MessagePorts } from "../message/ports.ts";
import type { Priority } from "../message/priority.ts";
import type { CloseFrame } from "../wire/frames.ts";
import type { AgreedLimits } from "./agreedLimits.ts";
import type { Path, PathKind, PathNumbers } from "./path.ts";
import type { Protection } from "./protection.ts";

/** What a path's next connection may begin with. */
export interface RememberedPath {
  readonly congestion: PathMemory;
  readonly loss: LossMemory;
}

export interface ConnectionOptions extends MessagePorts {
  readonly protection: Protection;
  readonly createController: (kind: PathKind, options: ControllerOptions) => CongestionController;
  /** Unpredictable bytes, for challenges. */
  readonly randomBytes: (count: number) => Uint8Array;
  /** Up to which size datagrams may be probed; 1,200 where it is not given. */
  readonly largestDatagramBytes?: number;
  /** Of the handshake; what this implementation takes where it is not given. */
  readonly agreed?: AgreedLimits;
}

export type ConnectionInput =
  | { readonly type: "tick" }
  | {
      readonly type: "datagram";
      readonly path: number;
      readonly bytes: Uint8Array;
      /** Of a path that this datagram opens; `datagram` where it is not given. */
      readonly kind?: PathKind;
    }
  | {
      readonly type: "openPath";
      readonly path: number;
      readonly kind: PathKind;
      /** Measured by whoever opened it. */
      readonly rttUs?: number;
      readonly memory?: RememberedPath;
      /** Of the peer's candidate, to be shown to it. */
      readonly token?: Uint8Array;
      /** A stream that began without a handshake: it proves itself before it carries symbols. */
      readonly joins?: boolean;
    }
  | { readonly type: "closePath"; readonly path: number }
  /** How much whoever carries the path's datagrams takes from now on; symbols wait where that is too little. */
  | { readonly type: "room"; readonly path: number; readonly bytes: number }
  /** The peer's address changed: it must prove itself again. */
  | { readonly type: "movePath"; readonly path: number }
  /** A new handshake with the same peer: what is under way goes on by what the receiver says it has. */
  | { readonly type: "reconnect"; readonly protection: Protection }
  | { readonly type: "send"; readonly handle: number; readonly source: MessageSource; readonly priority: Priority }
  | { readonly type: "cancel"; readonly handle: number; readonly code: number }
  /** The application is through with a message, or with its pieces before `offset`. */
  | { readonly type: "consumed"; readonly message: number; readonly offset?: number }
  | { readonly type: "close"; readonly code: number; readonly text: string };

export type ConnectionEvent =
  | ReceiveEvent
  | SendEvent
  | { readonly type: "pathValidated" | "pathSuspect" | "pathFailed"; readonly path: number }
  | { readonly type: "packetSize"; readonly path: number; readonly bytes: number }
  | { readonly type: "closed"; readonly code: number; readonly text: string; readonly byPeer: boolean };

export interface StepResult {
  readonly datagrams: readonly { readonly path: number; readonly bytes: Uint8Array }[];
  readonly events: readonly ConnectionEvent[];
  /** When to step again at the latest; Infinity: when something happens. */
  readonly nextUs: number;
}

/** Counted for tests and operators. */
export interface ConnectionCounts {
  sentBytes: number;
  sentPackets: number;
  receivedBytes: number;
  statusBytes: number;
  sourceBytes: number;
  repairBytes: number;
  /** Datagrams that were not for this connection, not authentic, repeated or malformed. */
  refused: number;
}

export interface Connection {
  readonly options: ConnectionOptions;
  protection: Protection;
  readonly paths: Map<number, Path>;
  /** Of paths that were closed under the keys in use: a packet number is never used or taken twice. */
  readonly closedPaths: Map<number, PathNumbers>;
  readonly inbox: Inbox;
  readonly outbox: Outbox;
  readonly counts: ConnectionCounts;
  readonly doneRepeats: Map<number, { tries: number; nextUs: number }>;
  /** Path on which the peer was last heard asking for a report. */
  replyPath: number | undefined;
  report: { lastUs: number; isUrgent: boolean; idle: number; turn: number };
  cancel: { tries: number; nextUs: number };
  /** How often the peer was asked for the next key phase. */
  keyAskings: number;
  /** Reconnected, and not yet told the peer what there is. */
  mustResume: boolean;
  /** All paths were lost: nothing is sent anew before the peer has said what arrived over them. */
  mustHear: boolean;
  /** When there last was a message under way. */
  busyUs: number;
  /** Something was heard or lost: what each block needs has to be looked at anew. */
  mustPlan: boolean;
  isClosed: boolean;
  /** Said three times, and again to a peer that still sends, at most ten times a second. */
  farewell: { readonly frame: CloseFrame; saidUs: number; left: number } | undefined;
  events: ConnectionEvent[];
  datagrams: { path: number; bytes: Uint8Array }[];
}
