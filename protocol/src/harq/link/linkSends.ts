/** What a link's product sends: one promise a message, its signal and its progress. */
import { NgpuError } from "../../errors.ts";
import type { ConnectionInput } from "../connection/connectionState.ts";
import type { MessageSource } from "../message/outgoingMessage.ts";
import type { Priority } from "../message/priority.ts";
import type { Verdict } from "../wire/frames.ts";

/** Bytes that do not change before the message is done, or something that reads them when they are needed. */
export type SendSource = Uint8Array | MessageSource;
export type SendOutcome = Verdict | "closed";

export interface SendOptions {
  /** `bulk` where it is not given. */
  readonly priority?: Priority;
  readonly signal?: AbortSignal;
  /** Bytes of the message that were read to be sent, each time that more were. */
  readonly onProgress?: (readBytes: number) => void;
}

export interface LinkSends {
  send(source: SendSource, options: SendOptions): Promise<SendOutcome>;
  ended(handle: number, outcome: SendOutcome): void;
  endAll(): void;
}

const mostBytes = 2 ** 30;
const abortedCode = 0;

/** Rejects a message that is empty or above 1 GiB; all else is an outcome. */
export function createLinkSends(take: (input: ConnectionInput) => void): LinkSends {
  const open = new Map<number, (outcome: SendOutcome) => void>();
  let handle = 0;
  const ended: LinkSends["ended"] = (handle, outcome) => {
    open.get(handle)?.(outcome);
    open.delete(handle);
  };
  return {
    async send(given, { priority = "bulk", signal, onProgress }) {
      const source = given instanceof Uint8Array ? sourceOf(given) : given;
      if (source.length < 1 || source.length > mostBytes) throw new NgpuError("INTERNAL", { bytes: source.length });
      if (signal?.aborted === true) return "cancelled";
      handle += 1;
      const mine = handle;
      const cancel = (): void => take({ type: "cancel", handle: mine, code: abortedCode });
      const { promise, resolve } = Promise.withResolvers<SendOutcome>();
      open.set(mine, resolve);
      signal?.addEventListener("abort", cancel, { once: true });
      const read = onProgress === undefined ? source : told(source, onProgress);
      take({ type: "send", handle: mine, priority, source: read });
      try {
        return await promise;
      } finally {
        signal?.removeEventListener("abort", cancel);
      }
    },
    ended,
    endAll() {
      for (const handle of [...open.keys()]) ended(handle, "closed");
    },
  };
}

function sourceOf(bytes: Uint8Array): MessageSource {
  return { length: bytes.length, read: (offset, length) => bytes.subarray(offset, offset + length) };
}

function told(source: MessageSource, onProgress: (readBytes: number) => void): MessageSource {
  return {
    ...source,
    length: source.length,
    read(offset, length) {
      const bytes = source.read(offset, length);
      onProgress(offset + length);
      return bytes;
    },
  };
}
