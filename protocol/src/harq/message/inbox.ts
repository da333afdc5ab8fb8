/**
 * All messages that are being received: each begun once, within the credit, delivered once when its hash fits, and
 * said to be done until the sender has heard it. Ids that are finished are refused from then on.
 */
import { partition } from "../redundancy/partition.ts";
import type {
  CancelFrame,
  Deficit,
  EndFrame,
  MissingSymbols,
  ResumeFrame,
  SymbolFrame,
  Verdict,
} from "../wire/frames.ts";
import { createIdSet } from "./idSet.ts";
import { createIncomingMessage, type IncomingMessage } from "./incomingMessage.ts";
import { creditOf, messageLimits } from "./messageLimits.ts";
import { cauchyCodec, type MessagePorts } from "./ports.ts";
import { priorities, type Priority } from "./priority.ts";

export type ReceiveEvent =
  | { readonly type: "piece"; readonly message: number; readonly offset: number; readonly bytes: Uint8Array }
  | {
      readonly type: "message";
      readonly message: number;
      readonly length: number;
      readonly priority: Priority;
      /** Undefined where it came in pieces. */
      readonly bytes: Uint8Array | undefined;
    }
  | { readonly type: "messageFailed"; readonly message: number; readonly verdict: Verdict };

export interface Received {
  readonly events: readonly ReceiveEvent[];
  /** A block or message became complete: worth a report at once. */
  readonly isProgress: boolean;
}

export interface Inbox {
  onSymbol(frame: SymbolFrame): Received;
  onEnd(frame: EndFrame): Received;
  onCancel(frame: CancelFrame): Received;
  onDoneAck(message: number): void;
  /** The application is through with a message: its credit is given back. */
  consumed(message: number): void;
  /** It is through with the pieces of a message before this offset: no more than a window of them is handed over. */
  consumedPieces(message: number, offset: number): void;
  credit(): number;
  /** Of messages in turn, so that each is told sooner or later. */
  deficits(most: number): Deficit[];
  missing(most: number): MissingSymbols[];
  isIncomplete(): boolean;
  /** Verdicts the sender has not confirmed. */
  dones(): ReadonlyMap<number, Verdict>;
  resumes(): ResumeFrame[];
  heldBytes(): number;
  heldIds(): number;
}

const nothing: Received = { events: [], isProgress: false };

/** `creditBytes`: what the sender was told that it may begin. */
export function createInbox(ports: MessagePorts, creditBytes: number = messageLimits.initialCreditBytes): Inbox {
  const open = new Map<number, IncomingMessage>();
  /** ENDs that came before any symbol of their message. */
  const earlyEnds = new Map<number, EndFrame>();
  const finished = createIdSet();
  const unconfirmed = new Map<number, Verdict>();
  /** Delivered, and its credit not given back. */
  const unconsumed = new Map<number, number>();
  let begunCredit = 0;
  let returnedCredit = 0;
  let turn = 0;

  const finish = (id: number, verdict: Verdict): void => {
    open.delete(id);
    earlyEnds.delete(id);
    finished.add(id);
    unconfirmed.set(id, verdict);
  };
  const fail = (id: number, length: number, verdict: Verdict): Received => {
    finish(id, verdict);
    returnedCredit += creditOf(length);
    return { events: [{ type: "messageFailed", message: id, verdict }], isProgress: true };
  };
  const after = (message: IncomingMessage, isProgress: boolean): Received => {
    const { id, parts } = message;
    const pieces = message.takePieces().map((piece) => ({ type: "piece" as const, message: id, ...piece }));
    const good = message.isGood();
    if (good === undefined) return { events: pieces, isProgress };
    if (!good) return fail(id, parts.length, "hashDiffers");
    finish(id, "good");
    unconsumed.set(id, creditOf(parts.length));
    const priority = priorities[message.priority] ?? "bulk";
    const delivered = { type: "message" as const, message: id, length: parts.length, priority, bytes: message.bytes() };
    return { events: [...pieces, delivered], isProgress: true };
  };
  /** Nothing is allocated for a symbol before all it says of its message holds together and fits the credit. */
  const begin = (frame: SymbolFrame): IncomingMessage | "refused" | undefined => {
    const { message: id, length, priority } = frame;
    const charge = creditOf(length);
    const isWithin = begunCredit + charge <= credit() && open.size < messageLimits.openMessages;
    if (!isWithin) return undefined;
    const parts = partition(frame);
    if (parts.blocks > messageLimits.mostBlocks || !fits(frame, parts)) return undefined;
    begunCredit += charge;
    if (frame.codec !== cauchyCodec) return "refused";
    const message = createIncomingMessage({ ...ports, id, parts, priority });
    open.set(id, message);
    const end = earlyEnds.get(id);
    if (end?.length === length) message.setEnd(end.sha256);
    earlyEnds.delete(id);
    return message;
  };
  const credit = (): number => creditBytes + returnedCredit;

  return {
    onSymbol(frame) {
      const id = frame.message;
      if (finished.has(id)) return nothing;
      const message = open.get(id) ?? begin(frame);
      if (message === undefined) return nothing;
      if (message === "refused") return fail(id, frame.length, "refused");
      if (!sameShape(frame, message.parts) || !fits(frame, message.parts)) return nothing;
      return after(message, message.add(frame));
    },
    onEnd(frame) {
      if (finished.has(frame.message)) return nothing;
      const message = open.get(frame.message);
      if (message === undefined) {
        if (earlyEnds.size < messageLimits.openMessages) {
          earlyEnds.set(frame.message, { ...frame, sha256: frame.sha256.slice() });
        }
        return nothing;
      }
      if (message.parts.length !== frame.length) return nothing;
      message.setEnd(frame.sha256);
      return after(message, false);
    },
    onCancel({ message: id, length }) {
      if (finished.has(id)) return nothing;
      const known = open.get(id);
      if (known === undefined) {
        if (begunCredit + creditOf(length) > credit()) return nothing;
        begunCredit += creditOf(length);
      }
      return fail(id, known?.parts.length ?? length, "cancelled");
    },
    onDoneAck(message) {
      unconfirmed.delete(message);
    },
    consumed(message) {
      returnedCredit += unconsumed.get(message) ?? 0;
      unconsumed.delete(message);
    },
    consumedPieces: (message, offset) => open.get(message)?.consumed(offset),
    credit,
    deficits(most) {
      const messages = [...open.values()];
      const entries: Deficit[] = [];
      for (let visited = 0; visited < messages.length && entries.length < most; visited += 1) {
        entries.push(...messages[(turn + visited) % messages.length]!.deficits(most - entries.length));
      }
      if (entries.length >= most) turn += 1;
      return entries;
    },
    missing(most) {
      const entries: MissingSymbols[] = [];
      for (const message of open.values()) {
        if (entries.length >= most) break;
        entries.push(...message.missing(most - entries.length));
      }
      return entries;
    },
    isIncomplete: () => open.size > 0,
    dones: () => unconfirmed,
    resumes: () =>
      [...open.values()].map((message) => {
        const { length, kmax, symbolBytes } = message.parts;
        const sha256 = message.sha256() ?? new Uint8Array(32);
        return { type: "resume", message: message.id, length, kmax, symbolBytes, sha256, ...message.progress() };
      }),
    heldBytes: () => [...open.values()].reduce((total, message) => total + message.heldBytes(), 0),
    heldIds: () => finished.size() + unconfirmed.size + earlyEnds.size + unconsumed.size,
  };
}

function sameShape(frame: SymbolFrame, parts: IncomingMessage["parts"]): boolean {
  return frame.length === parts.length && frame.symbolBytes === parts.symbolBytes && frame.kmax === parts.kmax;
}

/** A source symbol has the bytes of its place, a repair symbol all of the symbol size. */
function fits({ block, esi, symbol }: SymbolFrame, parts: IncomingMessage["parts"]): boolean {
  if (block >= parts.blocks) return false;
  return symbol.length === (esi < parts.k(block) ? parts.sourceBytes(block, esi) : parts.symbolBytes);
}
