/**
 * What came in, on its way to the product's handlers. The receiver's credit goes back when a handler is through, so a
 * product that is slow holds at most the credit. Pieces of one message go one after the other.
 */
import { joinBytes } from "../../bytes.ts";
import type { ConnectionInput } from "../connection/connectionState.ts";
import type { ReceiveEvent } from "../message/inbox.ts";
import type { Priority } from "../message/priority.ts";
import type { Verdict } from "../wire/frames.ts";

export interface LinkMessage {
  /** Rises with every message of this peer. */
  readonly id: number;
  readonly length: number;
  readonly priority: Priority;
  /** Undefined where it went in pieces. */
  readonly bytes: Uint8Array | undefined;
}

export type LinkPiece =
  | { readonly type: "piece"; readonly message: number; readonly offset: number; readonly bytes: Uint8Array }
  /** What was handed over of this message is worth nothing: cancelled, or its hash differs. */
  | { readonly type: "failed"; readonly message: number; readonly verdict: Verdict };

export type MessageHandler = (message: LinkMessage) => void | Promise<void>;
export type PieceHandler = (piece: LinkPiece) => void | Promise<void>;

export interface DeliveriesOptions {
  consumed(input: Extract<ConnectionInput, { type: "consumed" }>): void;
  onError(error: unknown): void;
  /** More was to be gathered than is allowed. */
  overflow(): void;
}

export interface Deliveries {
  onMessage(handler: MessageHandler): void;
  onPiece(handler: PieceHandler): void;
  take(event: ReceiveEvent): void;
  stop(): void;
  /** Of what handlers are not through with. */
  heldBytes(): number;
}

const mostGatheredBytes = 64 * 1024 * 1024;

/** Handlers may come later than messages; what a handler throws goes to `onError` and counts as consumed. */
export function createDeliveries({ consumed, onError, overflow }: DeliveriesOptions): Deliveries {
  let handleMessage: MessageHandler | undefined;
  let handlePiece: PieceHandler | undefined;
  let waiting: LinkMessage[] = [];
  const gathered = new Map<number, Uint8Array[]>();
  let gatheredBytes = 0;
  /** The end of what is being done about a message that comes in pieces. */
  const chains = new Map<number, Promise<void>>();
  let heldBytes = 0;
  let isStopped = false;

  const deliver = async (handler: MessageHandler, message: LinkMessage): Promise<void> => {
    try {
      await handler(message);
    } catch (error) {
      onError(error);
    }
    heldBytes -= message.bytes?.length ?? 0;
    if (!isStopped) consumed({ type: "consumed", message: message.id });
  };
  const offer = (message: LinkMessage): void => {
    heldBytes += message.bytes?.length ?? 0;
    if (handleMessage === undefined) waiting.push(message);
    else void deliver(handleMessage, message);
  };
  const forget = (id: number): Uint8Array[] => {
    const parts = gathered.get(id) ?? [];
    gathered.delete(id);
    for (const { length } of parts) gatheredBytes -= length;
    return parts;
  };
  const chain = (id: number, next: () => void | Promise<void>): void => {
    const before = chains.get(id) ?? Promise.resolve();
    const after = before.then(next).catch(onError);
    chains.set(id, after);
    void after.then(() => {
      if (chains.get(id) === after) chains.delete(id);
    });
  };
  const takePiece = (piece: Extract<ReceiveEvent, { type: "piece" }>): void => {
    const { message: id, offset, bytes } = piece;
    const through = (): void => {
      if (!isStopped) consumed({ type: "consumed", message: id, offset: offset + bytes.length });
    };
    if (handlePiece !== undefined && !gathered.has(id)) {
      const handler = handlePiece;
      heldBytes += bytes.length;
      return chain(id, async () => {
        try {
          await handler(piece);
        } finally {
          heldBytes -= bytes.length;
          through();
        }
      });
    }
    const parts = gathered.get(id) ?? [];
    gathered.set(id, parts);
    parts.push(bytes);
    through();
    gatheredBytes += bytes.length;
    if (gatheredBytes > mostGatheredBytes) overflow();
  };

  return {
    onMessage(handler) {
      handleMessage = handler;
      const messages = waiting;
      waiting = [];
      for (const message of messages) void deliver(handler, message);
    },
    onPiece(handler) {
      handlePiece = handler;
    },
    take(event) {
      if (isStopped) return;
      if (event.type === "piece") return takePiece(event);
      const { message: id } = event;
      if (event.type === "messageFailed") {
        const { verdict } = event;
        forget(id);
        if (handlePiece !== undefined) chain(id, () => handlePiece?.({ type: "failed", message: id, verdict }));
        return;
      }
      const { length, priority } = event;
      const parts = forget(id);
      const bytes = event.bytes ?? (parts.length > 0 ? joinBytes(...parts) : undefined);
      const message = { id, length, priority, bytes };
      if (chains.has(id)) chain(id, () => offer(message));
      else offer(message);
    },
    stop() {
      isStopped = true;
      waiting = [];
      gathered.clear();
      gatheredBytes = 0;
    },
    heldBytes: () => heldBytes + gatheredBytes,
  };
}
