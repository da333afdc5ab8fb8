/**
 * The messages of a WebSocket while keys are agreed in it: read one by one, and what came beyond the handshake is kept
 * for the path that the socket becomes. Nothing is lost between the two.
 */
import { NgpuError } from "../../errors.ts";
import type { BinarySocket } from "./webSocketPath.ts";

export interface SocketInbox {
  /** Resolves when the socket is open. Rejects when it ends before, or with the reason of `signal`. */
  opened(signal: AbortSignal): Promise<void>;
  /** The next message. Rejects when the socket ends before one comes, or with the reason of `signal`. */
  next(signal: AbortSignal): Promise<Uint8Array>;
  /** The same socket for its path, whose messages wait until `handOver`. */
  readonly socket: BinarySocket;
  /** From now on messages go to the path, those first that came meanwhile. */
  handOver(): void;
}

/** More than a peer may say before it has keys is nothing that is waited for. */
const mostKept = 256;
const open = 1;

export function createSocketInbox(given: BinarySocket): SocketInbox {
  given.binaryType = "arraybuffer";
  const kept: unknown[] = [];
  let listener: ((event: { readonly data: unknown }) => void) | undefined;
  let isHandedOver = false;
  let isEnded = false;
  let wake = (): void => undefined;
  given.addEventListener("message", ({ data }) => {
    if (isHandedOver) return listener?.({ data });
    if (kept.length >= mostKept) return given.close();
    kept.push(data);
    wake();
  });
  const end = (): void => {
    isEnded = true;
    wake();
  };
  given.addEventListener("close", end);
  given.addEventListener("error", end);
  given.addEventListener("open", () => wake());

  async function until<T>(look: () => T | undefined, signal: AbortSignal): Promise<T> {
    for (let found = look(); ; found = look()) {
      if (found !== undefined) return found;
      signal.throwIfAborted();
      if (isEnded) throw new NgpuError("GATEWAY_UNREACHABLE");
      const woken = Promise.withResolvers<void>();
      wake = woken.resolve;
      signal.addEventListener("abort", wake, { once: true });
      await woken.promise;
      signal.removeEventListener("abort", wake);
    }
  }

  return {
    async opened(signal) {
      await until(() => (given.readyState === open ? true : undefined), signal);
    },
    next: (signal) =>
      until(() => {
        const data = kept.shift();
        if (data === undefined) return undefined;
        if (!(data instanceof ArrayBuffer)) throw new NgpuError("WIRE_MALFORMED", { rule: "text" });
        return new Uint8Array(data);
      }, signal),
    socket: {
      get readyState() {
        return given.readyState;
      },
      get bufferedAmount() {
        return given.bufferedAmount;
      },
      get extensions() {
        return given.extensions;
      },
      binaryType: "arraybuffer",
      send: (data) => given.send(data),
      close: () => given.close(),
      addEventListener(type: "message" | "open" | "close" | "error", told: never) {
        if (type === "message") listener = told;
        else given.addEventListener(type, told);
      },
    },
    handOver() {
      isHandedOver = true;
      for (const data of kept.splice(0)) listener?.({ data });
    },
  };
}
