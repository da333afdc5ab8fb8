/**
 * Sealing and opening of a task's input and output (docs/PROTOCOL.md §4). The key of each direction is derived from the task key,
 * and the context (which task, node, assignment, attempt) is authenticated, so no ciphertext can be moved to another place.
 */
import { chacha20poly1305 } from "@noble/ciphers/chacha.js";
import { hkdf } from "@noble/hashes/hkdf.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { hexToBytes, keccak256, type Hex } from "viem";
import { joinBytes, u16be, u32be } from "../bytes.ts";
import { NgpuError } from "../errors.ts";
import { commitmentOf } from "../ids.ts";

/** Which way the data goes, and everything that distinguishes it. */
export type SealContext =
  | { kind: "input"; taskId: Hex }
  | { kind: "output"; taskId: Hex; nodeId: number; assignment: number; attempt: number };

export interface SealedBody {
  /** What is stored and sent. */
  sealed: Uint8Array;
  /** keccak256 of `sealed`. */
  ciphertextHash: Hex;
  /** Salted commitment to the body. */
  commitment: Hex;
}

const magic = new TextEncoder().encode("NGP1");
const saltBytes = 32;
const nonceBytes = 12;
const headBytes = magic.length + 1;

export function seal(request: {
  taskKey: Uint8Array;
  context: SealContext;
  body: Uint8Array;
  random: (length: number) => Uint8Array;
}): SealedBody {
  const { taskKey, context, body, random } = request;
  const salt = random(saltBytes);
  const nonce = random(nonceBytes);
  const head = joinBytes(magic, kindByte(context));
  const cipher = chacha20poly1305(directionKey(taskKey, context), nonce, joinBytes(head, contextBytes(context)));
  const sealed = joinBytes(head, nonce, cipher.encrypt(joinBytes(salt, body)));
  return { sealed, ciphertextHash: keccak256(sealed), commitment: commitmentOf({ salt, body }) };
}

/** Opens and proves the commitment. Throws SEAL_BROKEN or COMMITMENT_MISMATCH. */
export function open(request: {
  taskKey: Uint8Array;
  context: SealContext;
  sealed: Uint8Array;
  commitment: Hex;
}): Uint8Array {
  const { taskKey, context, sealed, commitment } = request;
  const head = joinBytes(magic, kindByte(context));
  const startsRight = head.every((byte, index) => sealed[index] === byte);
  if (!startsRight || sealed.length < headBytes + nonceBytes + 16 + saltBytes) throw new NgpuError("SEAL_BROKEN", { part: "head" });
  const nonce = sealed.subarray(headBytes, headBytes + nonceBytes);
  const cipher = chacha20poly1305(directionKey(taskKey, context), nonce, joinBytes(head, contextBytes(context)));
  let opened: Uint8Array;
  try {
    opened = cipher.decrypt(sealed.subarray(headBytes + nonceBytes));
  } catch (cause) {
    throw new NgpuError("SEAL_BROKEN", { part: "body" }, { cause });
  }
  const body = opened.subarray(saltBytes);
  const found = commitmentOf({ salt: opened.subarray(0, saltBytes), body });
  if (found !== commitment) throw new NgpuError("COMMITMENT_MISMATCH", { expected: commitment, found });
  return body;
}

function directionKey(taskKey: Uint8Array, context: SealContext): Uint8Array {
  const label = new TextEncoder().encode(`ngpu/1 ${context.kind}`);
  const info = context.kind === "input" ? label : joinBytes(label, executionBytes(context));
  return hkdf(sha256, taskKey, undefined, info, 32);
}

function contextBytes(context: SealContext): Uint8Array {
  const taskId = hexToBytes(context.taskId);
  return context.kind === "input" ? taskId : joinBytes(taskId, executionBytes(context));
}

function executionBytes(context: { nodeId: number; assignment: number; attempt: number }): Uint8Array {
  return joinBytes(u32be(context.nodeId), u16be(context.assignment), Uint8Array.of(context.attempt));
}

function kindByte(context: SealContext): Uint8Array {
  return Uint8Array.of(context.kind === "input" ? 1 : 2);
}
