/** A link whose connection is in another thread, with the same face as one that is here. */
import { NgpuError } from "../../../src/errors.ts";
import { createDeliveries } from "../../../src/harq/link/deliveries.ts";
import type { HarqLink, LinkEnd, LinkPathOptions } from "../../../src/harq/link/harqLink.ts";
import type { LinkKeys } from "../linkKeys.ts";
import type { LinkMetrics } from "../../../src/harq/link/linkMetrics.ts";
import type { LinkPath } from "../../../src/harq/link/linkPath.ts";
import type { SendOptions, SendOutcome, SendSource } from "../../../src/harq/link/linkSends.ts";
import type { FromDataPath, LinkReport, PathPlan, ToDataPath } from "./dataPathMessages.ts";

/**
 * `metrics` and `rememberPath` are at most a tenth of a second old. A source is read whole, a piece each turn of the
 * event loop, before its message begins.
 */
export interface WorkerLink extends Omit<HarqLink, "reconnect"> {
  reconnect(keys: LinkKeys): void;
}

export type FromLink = Extract<FromDataPath, { readonly link: number }>;

export interface WorkerLinkParts {
  readonly id: number;
  say(message: ToDataPath, transferred?: readonly ArrayBuffer[]): void;
  planOf(path: LinkPath): PathPlan;
  onHandlerError(error: unknown): void;
}

export interface WorkerLinkEnds {
  readonly link: WorkerLink;
  take(message: FromLink): void;
  /** The other thread is gone. */
  fail(): void;
}

interface Send {
  resolve(outcome: SendOutcome): void;
  onProgress: ((readBytes: number) => void) | undefined;
}

const partBytes = 1_048_576;
const mostBytes = 2 ** 30;
const tooMuch = 4;

/** The product's half of a link; `take` is for what the other thread says of it. */
export function createWorkerLink({ id, say, planOf, onHandlerError }: WorkerLinkParts): WorkerLinkEnds {
  const sends = new Map<number, Send>();
  let handle = 0;
  let end: LinkEnd | undefined;
  let latest: LinkReport = { metrics: nothingYet, memories: new Map() };
  const { promise: closed, resolve: tellClosed } = Promise.withResolvers<LinkEnd>();
  const { promise: letGo, resolve: tellLetGo } = Promise.withResolvers<void>();
  const deliveries = createDeliveries({
    consumed: (input) => say({ link: id, ...input }),
    onError: onHandlerError,
    overflow: () => void link.close(tooMuch, "pieces are not taken"),
  });
  const finish = (ended: LinkEnd): void => {
    if (end !== undefined) return;
    end = ended;
    deliveries.stop();
    for (const { resolve } of sends.values()) resolve("closed");
    tellClosed(ended);
  };
  const opening = ({ id: path, path: made, ...rest }: LinkPathOptions) => ({ id: path, plan: planOf(made), ...rest });

  const link: WorkerLink = {
    async send(source: SendSource, { priority = "bulk", signal, onProgress }: SendOptions = {}) {
      const { length } = source;
      if (length < 1 || length > mostBytes) throw new NgpuError("INTERNAL", { bytes: length });
      if (end !== undefined) return "closed";
      if (signal?.aborted === true) return "cancelled";
      handle += 1;
      const mine = handle;
      const { promise, resolve } = Promise.withResolvers<SendOutcome>();
      sends.set(mine, { resolve, onProgress });
      const cancel = (): void => say({ type: "cancel", link: id, handle: mine });
      signal?.addEventListener("abort", cancel, { once: true });
      say({ type: "send", link: id, handle: mine, length, priority });
      try {
        await handOver(source, (offset, bytes) => {
          if (signal?.aborted !== true && end === undefined)
            say({ type: "sendPart", link: id, handle: mine, offset, bytes }, [bytes.buffer]);
        });
        return await promise;
      } finally {
        sends.delete(mine);
        signal?.removeEventListener("abort", cancel);
      }
    },
    onMessage: (handler) => deliveries.onMessage(handler),
    onPiece: (handler) => deliveries.onPiece(handler),
    openPath: (options) => say({ type: "openPath", link: id, opening: opening(options) }),
    acceptPath: (options) => say({ type: "acceptPath", link: id, opening: opening(options) }),
    joinPath: ({ first, ...joining }) => say({ type: "joinPath", link: id, opening: opening(joining), first }),
    closePath: (path) => say({ type: "closePath", link: id, id: path }),
    rememberPath: (path) => latest.memories.get(path),
    reconnect: (keys) => say({ type: "reconnect", link: id, keys }),
    close(code = 0, text = "") {
      if (end === undefined) say({ type: "close", link: id, code, text });
      return letGo;
    },
    closed,
    metrics: () => latest.metrics,
  };
  return {
    link,
    take(message) {
      switch (message.type) {
        case "received":
          return deliveries.take(message.event);
        case "progress":
          return sends.get(message.handle)?.onProgress?.(message.readBytes);
        case "sent":
          return sends.get(message.handle)?.resolve(message.outcome);
        case "report":
          latest = message.report;
          return;
        case "closed":
          return finish(message.end);
        case "letGo":
          return tellLetGo();
      }
    },
    fail() {
      finish({ code: 0, text: "the data path ended", byPeer: false });
      tellLetGo();
    },
  };
}

/** Copies are made a piece at a time, so that nobody waits for a whole message to be copied. */
async function handOver(
  source: SendSource,
  take: (offset: number, bytes: Uint8Array<ArrayBuffer>) => void,
): Promise<void> {
  for (let offset = 0; offset < source.length; offset += partBytes) {
    const length = Math.min(partBytes, source.length - offset);
    const bytes = source instanceof Uint8Array ? source.subarray(offset, offset + length) : source.read(offset, length);
    take(offset, new Uint8Array(bytes));
    if (offset + length < source.length) await new Promise(setImmediate);
  }
}

const nothingYet: LinkMetrics = {
  sentBytes: 0,
  sentPackets: 0,
  receivedBytes: 0,
  statusBytes: 0,
  sourceBytes: 0,
  repairBytes: 0,
  refused: 0,
  steps: 0,
  heldBytes: 0,
  queuedBytes: 0,
  paths: [],
};
