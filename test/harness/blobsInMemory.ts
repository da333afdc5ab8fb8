/** Blobs as a gateway has them, without one. */
import type { Blobs } from "@ngpu/protocol/blobExchange/blobs";
import { NgpuError } from "@ngpu/protocol/errors";
import type { Hex } from "viem";

export function createBlobsInMemory(): Blobs & { readonly held: Map<Hex, Uint8Array>; readonly puts: Hex[] } {
  const held = new Map<Hex, Uint8Array>();
  const puts: Hex[] = [];
  const find = (hash: Hex): Uint8Array => {
    const bytes = held.get(hash);
    if (bytes === undefined) throw new NgpuError("BLOB_UNKNOWN", { hash });
    return bytes;
  };
  return {
    held,
    puts,
    get: async ({ hash }) => find(hash),
    async put({ hash, bytes }) {
      puts.push(hash);
      held.set(hash, bytes);
    },
    size: async ({ hash }) => find(hash).length,
    part: async ({ sha256, offset }) => find(sha256).slice(offset),
  };
}
