/**
 * All messages that are being sent: begun within the receiver's credit, in the order of the scheduler, until the
 * receiver has said DONE. Ids rise with every message that is begun and are never used again.
 */
import { kmaxFor, partition } from "../redundancy/partition.ts";
import { largestKmax } from "../wire/decodeFrames.ts";
import type { Deficit, MissingSymbols, ResumeFrame, StatusFrame, Verdict } from "../wire/frames.ts";
import { symbolHeaderBytes } from "../wire/frameBytes.ts";
import { creditOf, messageLimits } from "./messageLimits.ts";
import { createOutgoingMessage, type MessageSource, type OutgoingMessage } from "./outgoingMessage.ts";
import type { MessagePorts } from "./ports.ts";
import type { Priority } from "./priority.ts";
import { createScheduler } from "./scheduler.ts";
import type { SendingConditions } from "./sendingConditions.ts";
import { symbolSizeFor } from "./symbolSize.ts";

/** What the application calls a message. */
export type Handle = number;

export interface Outgoing {
  readonly handle: Handle;
  readonly source: MessageSource;
  readonly priority: Priority;
}

export interface SendEvent {
  readonly type: "sent";
  readonly handle: Handle;
  readonly outcome: Verdict;
}

export interface Cancellation {
  readonly message: number;
  readonly length: number;
  readonly code: number;
}

export interface Outbox {
  enqueue(outgoing: Outgoing): void;
  cancel(handle: Handle, code: number): SendEvent[];
  /** Begins what the credit allows. */
  begin(bodyBytes: number, loss: number): void;
  /** Whoever sends next into a datagram whose body has room for this much. */
  pick(bodyBytes: number): OutgoingMessage | undefined;
  sent(message: OutgoingMessage, bytes: number): void;
  remove(id: number, outcome: Verdict): SendEvent[];
  onStatus(status: StatusFrame): void;
  plan(conditions: SendingConditions): void;
  onResume(resume: ResumeFrame): "known" | "unknown";
  /**
   * A message that does not fit the paths any more is cut anew, under a new id, once the receiver let go of the old.
   */
  recut(bodyBytes: number): void;
  cancellations(): readonly Cancellation[];
  open(): readonly OutgoingMessage[];
  hasNext(): boolean;
  /** Something was begun and is not done. */
  isOpen(): boolean;
  isBlocked(): boolean;
  queuedBytes(): number;
  openBytes(): number;
}

interface Begun {
  readonly outgoing: Outgoing;
  readonly message: OutgoingMessage;
  cancelled?: { readonly code: number; readonly again: boolean };
}

const recutCode = 1;

/** `creditBytes`: what the receiver said that may be begun. */
export function createOutbox(ports: MessagePorts, creditBytes: number = messageLimits.initialCreditBytes): Outbox {
  const scheduler = createScheduler<OutgoingMessage>();
  const begun = new Map<number, Begun>();
  let waiting: Outgoing[] = [];
  let nextId = 0;
  let credit = creditBytes;
  let spent = 0;

  const mayBegin = (next: Outgoing | undefined): next is Outgoing =>
    next !== undefined && begun.size < messageLimits.openMessages && spent + creditOf(next.source.length) <= credit;
  const nextWaiting = (): Outgoing | undefined =>
    waiting.find(({ priority }) => priority === "interactive") ?? waiting[0];
  const stop = (entry: Begun, code: number, again: boolean): void => {
    if (entry.cancelled !== undefined && !entry.cancelled.again) return;
    entry.cancelled = { code, again };
    activeNow = undefined;
    scheduler.remove(entry.message);
  };
  let activeNow: OutgoingMessage[] | undefined;
  const active = (): readonly OutgoingMessage[] =>
    (activeNow ??= [...begun.values()]
      .filter(({ cancelled }) => cancelled === undefined)
      .map(({ message }) => message));

  return {
    enqueue(outgoing) {
      waiting.push(outgoing);
    },
    cancel(handle, code) {
      const isThis = ({ outgoing }: Begun): boolean => outgoing.handle === handle;
      const entry = [...begun.values()].find(isThis);
      if (entry !== undefined) {
        stop(entry, code, false);
        return [];
      }
      const before = waiting.length;
      waiting = waiting.filter((outgoing) => outgoing.handle !== handle);
      return waiting.length < before ? [{ type: "sent", handle, outcome: "cancelled" }] : [];
    },
    begin(bodyBytes, loss) {
      for (let next = nextWaiting(); mayBegin(next); next = nextWaiting()) {
        const outgoing = next;
        waiting = waiting.filter((other) => other !== outgoing);
        const { source, priority } = outgoing;
        const symbolBytes = symbolSizeFor({ length: source.length, bodyBytes });
        const parts = partition({ length: source.length, symbolBytes, kmax: kmaxFor(loss) });
        const message = createOutgoingMessage({ ...ports, id: nextId, priority, parts, source });
        nextId += 1;
        spent += creditOf(source.length);
        begun.set(message.id, { outgoing, message });
        activeNow = undefined;
        scheduler.add(message);
      }
    },
    pick: (bodyBytes) => scheduler.pick(({ parts }) => parts.symbolBytes + symbolHeaderBytes <= bodyBytes),
    sent: (message, bytes) => scheduler.sent(message, bytes),
    remove(id, outcome) {
      const entry = begun.get(id);
      if (entry === undefined) return [];
      begun.delete(id);
      activeNow = undefined;
      scheduler.remove(entry.message);
      if (outcome === "cancelled" && entry.cancelled?.again === true) {
        waiting.unshift(entry.outgoing);
        return [];
      }
      return [{ type: "sent", handle: entry.outgoing.handle, outcome }];
    },
    onStatus(status) {
      credit = Math.max(credit, status.credit);
      const deficits = byMessage<Deficit>(status.deficits);
      const missing = byMessage<MissingSymbols>(status.missing);
      for (const [id, entries] of deficits) begun.get(id)?.message.onDeficits(entries, missing.get(id) ?? []);
    },
    plan(conditions) {
      for (const message of active()) message.plan(conditions);
    },
    onResume({ message: id, firstBlock, received, length }) {
      const entry = begun.get(id);
      if (entry === undefined || entry.message.parts.length !== length) return "unknown";
      const { parts } = entry.message;
      const deficits = Array.from(received, (count, at) => ({ block: firstBlock + at, count }))
        .filter(({ block }) => block < parts.blocks)
        .map(({ block, count }) => ({ message: id, block, deficit: Math.max(0, parts.k(block) - count) }));
      entry.message.resume(
        deficits.length > 0 ? deficits : [{ message: id, block: firstBlock, deficit: largestKmax }],
      );
      return "known";
    },
    recut(bodyBytes) {
      for (const entry of begun.values()) {
        const tooLarge = entry.message.parts.symbolBytes > bodyBytes - symbolHeaderBytes;
        if (tooLarge && entry.cancelled === undefined) stop(entry, recutCode, true);
      }
    },
    cancellations: () =>
      [...begun.values()].flatMap(({ cancelled, message: { id, parts } }) =>
        cancelled === undefined ? [] : [{ message: id, length: parts.length, code: cancelled.code }],
      ),
    open: active,
    hasNext: () => active().some((message) => message.hasNext() || message.wantsEnd()),
    isOpen: () => begun.size > 0,
    isBlocked: () => waiting.length > 0 && begun.size === 0,
    queuedBytes: () =>
      active().reduce((total, message) => total + message.queuedBytes(), 0) +
      waiting.reduce((total, { source }) => total + source.length, 0),
    openBytes: () => [...begun.values()].reduce((total, { message }) => total + message.openBytes(), 0),
  };
}

function byMessage<Entry extends { readonly message: number }>(entries: readonly Entry[]): Map<number, Entry[]> {
  const groups = new Map<number, Entry[]>();
  for (const entry of entries) {
    const group = groups.get(entry.message);
    if (group === undefined) groups.set(entry.message, [entry]);
    else group.push(entry);
  }
  return groups;
}
