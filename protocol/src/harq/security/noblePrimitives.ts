/** The primitives of a handshake in portable code, for browsers. */
import { chacha20poly1305 } from "@noble/ciphers/chacha.js";
import { x25519 } from "@noble/curves/ed25519.js";
import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import type { NoisePrimitives } from "./noisePrimitives.ts";
import type { Sealer } from "./sealer.ts";

/** Of the random bytes of `crypto.getRandomValues` where no others are given. */
export function createNoblePrimitives(randomBytes: (count: number) => Uint8Array = browserRandom): NoisePrimitives {
  return {
    generate() {
      const secretKey = randomBytes(32);
      return { secretKey, publicKey: x25519.getPublicKey(secretKey) };
    },
    publicKeyOf: (secretKey) => x25519.getPublicKey(secretKey),
    agree(secretKey, publicKey) {
      try {
        return x25519.getSharedSecret(secretKey, publicKey);
      } catch {
        return undefined;
      }
    },
    createSealer: createNobleSealer,
    sha256: (bytes) => sha256(bytes),
    hmac: (key, bytes) => hmac(sha256, key, bytes),
  };
}

function browserRandom(count: number): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(count));
}

/** A sealer of a 32-byte key, which it keeps a copy of. */
export function createNobleSealer(key: Uint8Array): Sealer {
  const kept = key.slice();
  return {
    seal: (body, associated, nonce) => chacha20poly1305(kept, nonce, associated).encrypt(body),
    open(sealed, associated, nonce) {
      try {
        return chacha20poly1305(kept, nonce, associated).decrypt(sealed);
      } catch {
        return undefined;
      }
    },
  };
}
