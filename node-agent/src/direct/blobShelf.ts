/**
 * Sealed bytes that clients of this node's tasks gave it, or may fetch from it, over direct links: for a while, and
 * not more than fits. What falls off is still at the gateway.
 */
import type { BlobName } from "@ngpu/protocol/blobExchange/blobs";
import type { Clock } from "@ngpu/protocol/service/clock";

export interface BlobShelf {
  put(blob: BlobName & { bytes: Uint8Array }): void;
  get(blob: BlobName): Uint8Array | undefined;
  /** Takes the blob off once it is there. Rejects with the reason of `signal`. */
  taken(blob: BlobName, signal: AbortSignal): Promise<Uint8Array>;
  heldBytes(): number;
}

const mostBytes = 128 * 1024 * 1024;
const keptMs = 600_000;

export function createBlobShelf({ clock }: { clock: Clock }): BlobShelf {
  const held = new Map<string, { bytes: Uint8Array; untilMs: number }>();
  const awaited = new Map<string, Set<() => void>>();
  let heldBytes = 0;

  const remove = (key: string): void => {
    heldBytes -= held.get(key)?.bytes.length ?? 0;
    held.delete(key);
  };
  /** The eldest go first. */
  const makeRoom = (): void => {
    for (const [key, { untilMs }] of held) {
      if (heldBytes <= mostBytes && clock.monotonicMs() <= untilMs) return;
      remove(key);
    }
  };

  return {
    put({ bytes, ...name }) {
      const key = keyOf(name);
      remove(key);
      held.set(key, { bytes, untilMs: clock.monotonicMs() + keptMs });
      heldBytes += bytes.length;
      for (const wake of awaited.get(key) ?? []) wake();
      makeRoom();
    },
    get(name) {
      makeRoom();
      return held.get(keyOf(name))?.bytes;
    },
    async taken(name, signal) {
      const key = keyOf(name);
      const found = Promise.withResolvers<Uint8Array>();
      const look = (): void => {
        const bytes = held.get(key)?.bytes;
        if (bytes === undefined) return;
        remove(key);
        found.resolve(bytes);
      };
      const giveUp = (): void => found.reject(signal.reason);
      const looks = awaited.get(key) ?? new Set();
      awaited.set(key, looks.add(look));
      signal.addEventListener("abort", giveUp, { once: true });
      try {
        signal.throwIfAborted();
        look();
        return await found.promise;
      } finally {
        signal.removeEventListener("abort", giveUp);
        looks.delete(look);
        if (looks.size === 0 && awaited.get(key) === looks) awaited.delete(key);
      }
    },
    heldBytes: () => heldBytes,
  };
}

function keyOf({ taskId, hash }: BlobName): string {
  return `${taskId}/${hash}`;
}
