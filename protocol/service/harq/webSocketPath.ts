/**
 * A path over one WebSocket, of `ws` or of a browser: a binary message is a datagram. It says that it is full when
 * 64 KB wait in the socket, so that what is urgent never stands behind more than that. Several sockets are several
 * paths.
 */
import { NgpuError } from "../../src/errors.ts";
import { streamDatagramBytes } from "../../src/harq/connection/datagramBytes.ts";
import type { LinkPath, LinkPathEvents } from "./linkPath.ts";

/** What is used of a WebSocket, whoever made it. */
export interface BinarySocket {
  readonly readyState: number;
  readonly bufferedAmount: number;
  readonly extensions: string;
  binaryType: string;
  send(data: Uint8Array<ArrayBuffer>): void;
  close(): void;
  addEventListener(type: "message", listener: (event: { readonly data: unknown }) => void): void;
  addEventListener(type: "open" | "close" | "error", listener: () => void): void;
}

function compresses({ extensions }: BinarySocket): boolean {
  return extensions.includes("permessage-deflate");
}

/** For both ends of `ws`: sealed bytes do not get smaller, and compression holds messages back. */
export const webSocketOptions = { perMessageDeflate: false, maxPayload: streamDatagramBytes } as const;

const mostBufferedBytes = 65_536;
const mostEarly = 16;
const connecting = 0;
const open = 1;

/**
 * The socket may still be connecting; it belongs to the path from now on. Throws where it compresses messages; the path
 * ends where that is agreed only later.
 */
export function createWebSocketPath(socket: BinarySocket): LinkPath {
  if (compresses(socket)) throw new NgpuError("INTERNAL", { extensions: socket.extensions });
  socket.binaryType = "arraybuffer";
  /** Sent before the socket was open. */
  let early: Uint8Array[] = [];
  let events: LinkPathEvents | undefined;
  const isGone = (): boolean => socket.readyState !== open && socket.readyState !== connecting;
  // Sealed bytes lie in memory of their own, never in shared memory.
  const send = (bytes: Uint8Array): void => socket.send(bytes as Uint8Array<ArrayBuffer>);
  const end = (): void => {
    const told = events;
    events = undefined;
    told?.down();
  };
  socket.addEventListener("message", ({ data }) => {
    if (data instanceof ArrayBuffer) events?.datagram(new Uint8Array(data));
  });
  socket.addEventListener("open", () => {
    if (compresses(socket)) {
      socket.close();
      return end();
    }
    for (const bytes of early) send(bytes);
    early = [];
  });
  socket.addEventListener("close", end);
  socket.addEventListener("error", end);
  return {
    kind: "stream",
    start(to) {
      events = to;
      if (isGone()) queueMicrotask(end);
    },
    roomBytes: () => (socket.readyState === open ? Math.max(0, mostBufferedBytes - socket.bufferedAmount) : 0),
    send(bytes) {
      if (socket.readyState === open) send(bytes);
      else if (socket.readyState === connecting && early.length < mostEarly) early.push(bytes);
    },
    stop() {
      events = undefined;
      socket.close();
    },
  };
}
