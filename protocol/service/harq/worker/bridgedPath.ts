/**
 * A stream path whose socket is in the product's thread, as the data path sees it. What was handed over and is not in
 * the socket yet counts as waiting in it.
 */
import type { LinkPath, LinkPathEvents } from "../../../src/harq/link/linkPath.ts";

export interface BridgedPath extends LinkPath {
  receive(bytes: Uint8Array): void;
  /** So many bytes more are on their way. */
  onSent(bytes: number): void;
  down(): void;
}

const mostBytes = 65_536;

/** The parts pass on what is sent, and that the path was let go of. */
export function createBridgedPath(parts: { send(bytes: Uint8Array): void; stop(): void }): BridgedPath {
  let events: LinkPathEvents | undefined;
  let waiting = 0;
  return {
    kind: "stream",
    start(to) {
      events = to;
    },
    roomBytes: () => Math.max(0, mostBytes - waiting),
    send(bytes) {
      waiting += bytes.length;
      parts.send(bytes);
    },
    stop() {
      events = undefined;
      parts.stop();
    },
    receive: (bytes) => events?.datagram(bytes),
    onSent(bytes) {
      waiting -= bytes;
    },
    down: () => events?.down(),
  };
}
