/** keccak256 over a stream, for data that is too large to hold. */
import { keccak_256 } from "@noble/hashes/sha3.js";
import { toHex, type Hex } from "viem";

export interface KeccakStream {
  update(bytes: Uint8Array): void;
  digest(): Hex;
}

export function createKeccakStream(): KeccakStream {
  const hash = keccak_256.create();
  return {
    update: (bytes) => void hash.update(bytes),
    digest: () => toHex(hash.digest()),
  };
}
