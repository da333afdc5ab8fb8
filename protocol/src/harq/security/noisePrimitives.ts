/** What a Noise handshake needs of cryptography; Node and browsers bring their own, with equal results. */
import type { Sealer } from "./sealer.ts";

/** X25519, 32 bytes each. */
export interface KeyPair {
  readonly secretKey: Uint8Array;
  readonly publicKey: Uint8Array;
}

export interface NoisePrimitives {
  /** A fresh key pair, from unpredictable bytes. */
  generate(): KeyPair;
  publicKeyOf(secretKey: Uint8Array): Uint8Array;
  /** The X25519 secret of two keys; undefined where the public key is no point or one of low order. */
  agree(secretKey: Uint8Array, publicKey: Uint8Array): Uint8Array | undefined;
  /** ChaCha20-Poly1305 under a 32-byte key. */
  createSealer(key: Uint8Array): Sealer;
  sha256(bytes: Uint8Array): Uint8Array;
  /** HMAC-SHA256. */
  hmac(key: Uint8Array, bytes: Uint8Array): Uint8Array;
}

export const keyBytes = 32;

/** HKDF-SHA256 as Noise has it: two outputs of 32 bytes, the first of which goes on as the next `salt`. */
export function hkdfPair(
  { hmac }: Pick<NoisePrimitives, "hmac">,
  salt: Uint8Array,
  material: Uint8Array,
): readonly [Uint8Array, Uint8Array] {
  const secret = hmac(salt, material);
  const first = hmac(secret, Uint8Array.of(1));
  const input = new Uint8Array(first.length + 1);
  input.set(first);
  input[first.length] = 2;
  return [first, hmac(secret, input)];
}
