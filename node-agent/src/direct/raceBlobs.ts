/**
 * A task's blobs from wherever they come first: an input from the gateway or from the client itself. An output goes to
 * the gateway, as keepers vouch for what they find there, and lies ready for the client meanwhile.
 */
import type { TaskBlobs } from "@ngpu/protocol/blobExchange/blobs";
import type { ErrorCode } from "@ngpu/protocol/errors";
import type { Clock } from "@ngpu/protocol/service/clock";
import { untilDone } from "../agent/untilDone.ts";
import type { BlobShelf } from "./blobShelf.ts";

const firstPauseMs = 100;
const longestPauseMs = 2_000;

/** `get` rejects with whatever the gateway refuses with, but waits while the gateway does not have the blob yet. */
export function raceBlobs(options: { gateway: TaskBlobs; shelf: BlobShelf; clock: Clock }): TaskBlobs {
  const { gateway, shelf, clock } = options;

  function fetched(blob: Parameters<TaskBlobs["get"]>[0] & { signal: AbortSignal }): Promise<Uint8Array> {
    const mayHelp = (code: ErrorCode): boolean => code === "BLOB_UNKNOWN";
    return untilDone(() => gateway.get(blob), { firstPauseMs, longestPauseMs, mayHelp, clock, signal: blob.signal });
  }

  return {
    async get({ signal, ...name }) {
      const won = new AbortController();
      const until = signal === undefined ? won.signal : AbortSignal.any([won.signal, signal]);
      const given = shelf.taken(name, until);
      const fromGateway = fetched({ ...name, signal: until });
      // Who loses is called off, and nobody waits for it.
      for (const racing of [given, fromGateway]) racing.catch(() => undefined);
      try {
        return await Promise.race([given, fromGateway]);
      } finally {
        won.abort();
      }
    },
    async put(blob) {
      shelf.put(blob);
      await gateway.put(blob);
    },
  };
}
