/** Writes 32-byte words of the ABI into a buffer: what hashes that the contracts form are made of. */
import { BigInt, Bytes } from "@graphprotocol/graph-ts";

export function putBytes(words: Uint8Array, index: i32, value: Bytes): void {
  for (let i = 0; i < value.length && i < 32; i++) words[index * 32 + i] = value[i];
}

/** A BigInt is little-endian, a word big-endian. */
export function putNumber(words: Uint8Array, index: i32, value: BigInt): void {
  for (let i = 0; i < value.length && i < 32; i++) words[index * 32 + 31 - i] = value[i];
}
