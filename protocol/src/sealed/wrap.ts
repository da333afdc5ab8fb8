/** Wrapping of a task key for one assigned node (docs/PROTOCOL.md §4): X25519, HKDF-SHA256, ChaCha20-Poly1305. */
import { chacha20poly1305 } from "@noble/ciphers/chacha.js";
import { x25519 } from "@noble/curves/ed25519.js";
import { hkdf } from "@noble/hashes/hkdf.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { hexToBytes, type Hex } from "viem";
import { joinBytes, u16be, u32be } from "../bytes.ts";
import { NgpuError } from "../errors.ts";

export interface WrapTarget {
  taskId: Hex;
  assignment: number;
  nodeId: number;
}

const zeroNonce = new Uint8Array(12);

/** X25519 public key of a 32-byte secret. */
export function transportPublicKey(secret: Uint8Array): Uint8Array {
  return x25519.getPublicKey(secret);
}

export function wrapTaskKey(request: {
  taskKey: Uint8Array;
  nodePublicKey: Uint8Array;
  target: WrapTarget;
  random: (length: number) => Uint8Array;
}): { ephemeralPublicKey: Uint8Array; wrappedKey: Uint8Array } {
  const secret = request.random(32);
  const ephemeralPublicKey = x25519.getPublicKey(secret);
  const shared = agree(secret, request.nodePublicKey);
  const key = wrapKey({ shared, ephemeralPublicKey, nodePublicKey: request.nodePublicKey, target: request.target });
  // The key is derived from a fresh ephemeral secret and encrypts once, so a fixed nonce repeats nothing.
  const cipher = chacha20poly1305(key, zeroNonce, hexToBytes(request.target.taskId));
  return { ephemeralPublicKey, wrappedKey: cipher.encrypt(request.taskKey) };
}

/** Throws SEAL_BROKEN when the wrap is for another node, task or assignment, or was changed. */
export function unwrapTaskKey(request: {
  nodeSecret: Uint8Array;
  ephemeralPublicKey: Uint8Array;
  wrappedKey: Uint8Array;
  target: WrapTarget;
}): Uint8Array {
  const { nodeSecret, ephemeralPublicKey, wrappedKey, target } = request;
  const nodePublicKey = x25519.getPublicKey(nodeSecret);
  const key = wrapKey({ shared: agree(nodeSecret, ephemeralPublicKey), ephemeralPublicKey, nodePublicKey, target });
  try {
    return chacha20poly1305(key, zeroNonce, hexToBytes(target.taskId)).decrypt(wrappedKey);
  } catch (cause) {
    throw new NgpuError("SEAL_BROKEN", { part: "wrapped key" }, { cause });
  }
}

function agree(secret: Uint8Array, publicKey: Uint8Array): Uint8Array {
  try {
    return x25519.getSharedSecret(secret, publicKey);
  } catch (cause) {
    // Low-order points give an all-zero secret, which noble refuses.
    throw new NgpuError("SEAL_BROKEN", { part: "public key" }, { cause });
  }
}

function wrapKey(request: {
  shared: Uint8Array;
  ephemeralPublicKey: Uint8Array;
  nodePublicKey: Uint8Array;
  target: WrapTarget;
}): Uint8Array {
  const { taskId, assignment, nodeId } = request.target;
  const label = new TextEncoder().encode("ngpu/1 wrap");
  const info = joinBytes(label, hexToBytes(taskId), u16be(assignment), u32be(nodeId));
  return hkdf(sha256, request.shared, joinBytes(request.ephemeralPublicKey, request.nodePublicKey), info, 32);
}
