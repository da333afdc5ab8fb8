/**
 * EIP-712 struct hash of the receipt behind a settlement, from the event and the task alone: the word that a payer
 * brings when it demands the output. Encoded by hand, one 32-byte word a field, so that no mapping needs the host.
 */
import { BigInt, ByteArray, Bytes, crypto } from "@graphprotocol/graph-ts";
import { TaskSettled } from "../../generated/TaskEscrow/TaskEscrow";
import { Task } from "../../generated/schema";
import { putBytes, putNumber } from "../words";

/** keccak256 of the type as docs/PROTOCOL.md writes it; the status of a receipt that was billed is 0. */
const RECEIPT_TYPE = Bytes.fromHexString("0x4add3b615cf65c36355433c21d79d318e9ba211dec962e4641dd12886f5df112");

export function receiptHashOf(event: TaskSettled, task: Task): Bytes {
  const words = new Uint8Array(14 * 32);
  putBytes(words, 0, RECEIPT_TYPE);
  putBytes(words, 1, event.params.taskId);
  putNumber(words, 2, BigInt.fromI32(event.params.assignment));
  putNumber(words, 3, BigInt.fromI32(event.params.attempt));
  putNumber(words, 4, event.params.nodeId);
  putBytes(words, 5, task.modelId);
  putBytes(words, 6, task.inputCommitment);
  putBytes(words, 7, event.params.outputCommitment);
  putBytes(words, 8, event.params.outputCiphertext);
  putNumber(words, 9, BigInt.fromI32(event.params.slot));
  putNumber(words, 10, event.params.powerCu);
  putNumber(words, 11, event.params.startMs);
  putNumber(words, 12, event.params.durationMs);
  return Bytes.fromByteArray(crypto.keccak256(changetype<ByteArray>(words)));
}
