/**
 * Bodies of session requests and answers that are too large for a frame, in memory between the one that sends and the
 * one that fetches. Nothing here outlives a few minutes or the process: both ends have what they sent and send it again.
 */
import { joinBytes } from "@ngpu/protocol/bytes";
import { NgpuError } from "@ngpu/protocol/errors";
import { gatewayLimits } from "@ngpu/protocol/limits";
import type { Clock } from "@ngpu/protocol/service/clock";
import { createKeccakStream } from "@ngpu/protocol/service/keccak";
import type { Hex } from "viem";

export interface BodyShelf {
  /**
   * Reads `body` to its end, if its bytes are the ones that `hash` names. `by` may hold a share of the shelf, for all
   * it sends in all sessions. Throws BLOB_MISMATCH, BLOB_TOO_LARGE or STORE_FULL; nothing of a refused body is kept.
   */
  put(body: { sessionId: Hex; hash: Hex; by: string; body: AsyncIterable<Uint8Array> }): Promise<"stored" | "present">;
  /** Throws BLOB_UNKNOWN. */
  get(sessionId: Hex, hash: Hex): Uint8Array;
  /** Forgets what nobody has asked for in a while. */
  sweep(): void;
  usedBytes(): number;
}

export interface ShelfLimits {
  /** Of everybody together. */
  totalBytes: number;
  /** Of each sender: room for one body of the largest size and what follows it. */
  senderBytes: number;
  /** After the last time that it was put or fetched. */
  keepMs: number;
}

export const shelfLimits: ShelfLimits = {
  totalBytes: 512 * 1024 * 1024,
  senderBytes: 2 * gatewayLimits.maxBlobBytes,
  keepMs: 120_000,
};

interface Body {
  bytes: Uint8Array;
  by: string;
  untilMs: number;
}

export function createBodyShelf(options: { clock: Clock; limits?: Partial<ShelfLimits> }): BodyShelf {
  const { clock } = options;
  const { totalBytes, senderBytes, keepMs } = { ...shelfLimits, ...options.limits };
  const bodies = new Map<string, Body>();
  /** By sender, of what arrives too. */
  const used = new Map<string, number>();
  let usedBytes = 0;

  function count(by: string, bytes: number): void {
    const left = (used.get(by) ?? 0) + bytes;
    if (left > 0) used.set(by, left);
    else used.delete(by);
    usedBytes += bytes;
  }

  function find(sessionId: Hex, hash: Hex): Body | undefined {
    const body = bodies.get(keyOf(sessionId, hash));
    if (body !== undefined) body.untilMs = clock.monotonicMs() + keepMs;
    return body;
  }

  function sweep(): void {
    for (const [key, { bytes, by, untilMs }] of bodies) {
      if (untilMs > clock.monotonicMs()) continue;
      bodies.delete(key);
      count(by, -bytes.length);
    }
  }

  return {
    async put({ sessionId, hash, by, body }) {
      if (find(sessionId, hash) !== undefined) return "present";
      sweep();
      const keccak = createKeccakStream();
      const chunks: Uint8Array[] = [];
      let received = 0;
      let isKept = false;
      try {
        for await (const chunk of body) {
          if (received + chunk.length > gatewayLimits.maxBlobBytes) throw new NgpuError("BLOB_TOO_LARGE");
          const isFull = usedBytes + chunk.length > totalBytes || (used.get(by) ?? 0) + chunk.length > senderBytes;
          if (isFull) throw new NgpuError("STORE_FULL", { sessionId });
          received += chunk.length;
          count(by, chunk.length);
          keccak.update(chunk);
          chunks.push(chunk);
        }
        const found = keccak.digest();
        if (found !== hash) throw new NgpuError("BLOB_MISMATCH", { expected: hash, found });
        if (find(sessionId, hash) !== undefined) return "present";
        bodies.set(keyOf(sessionId, hash), { bytes: joinBytes(...chunks), by, untilMs: clock.monotonicMs() + keepMs });
        isKept = true;
        return "stored";
      } finally {
        if (!isKept) count(by, -received);
      }
    },
    get(sessionId, hash) {
      const body = find(sessionId, hash);
      if (body === undefined) throw new NgpuError("BLOB_UNKNOWN", { sessionId, hash });
      return body.bytes;
    },
    sweep,
    usedBytes: () => usedBytes,
  };
}

function keyOf(sessionId: Hex, hash: Hex): string {
  return `${sessionId}/${hash}`;
}
