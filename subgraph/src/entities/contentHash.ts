/** keccak256(abi.encode(modelId, inputCommitment)): how the terms of a task name what it is about. */
import { ByteArray, Bytes, crypto } from "@graphprotocol/graph-ts";
import { putBytes } from "../words";

export function contentHashOf(modelId: Bytes, inputCommitment: Bytes): Bytes {
  const words = new Uint8Array(2 * 32);
  putBytes(words, 0, modelId);
  putBytes(words, 1, inputCommitment);
  return Bytes.fromByteArray(crypto.keccak256(changetype<ByteArray>(words)));
}
