/** The primitives of a handshake from node:crypto. */
import {
  createHash,
  createHmac,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  randomBytes,
  type KeyObject,
} from "node:crypto";
import { joinBytes } from "../../src/bytes.ts";
import { keyBytes, type NoisePrimitives } from "../../src/harq/security/noisePrimitives.ts";
import { createChachaSealer } from "./chachaSealer.ts";

/** What stands in front of a raw X25519 key in PKCS #8 and in SubjectPublicKeyInfo. */
const secretHead = Uint8Array.from(Buffer.from("302e020100300506032b656e04220420", "hex"));
const publicHead = Uint8Array.from(Buffer.from("302a300506032b656e032100", "hex"));

export const nodePrimitives: NoisePrimitives = {
  generate() {
    const secretKey = new Uint8Array(randomBytes(keyBytes));
    return { secretKey, publicKey: publicKeyOf(secretKey) };
  },
  publicKeyOf,
  agree(secretKey, publicKey) {
    if (publicKey.length !== keyBytes) return undefined;
    const key = Buffer.from(joinBytes(publicHead, publicKey));
    try {
      const peer = createPublicKey({ key, format: "der", type: "spki" });
      const secret = new Uint8Array(diffieHellman({ privateKey: secretOf(secretKey), publicKey: peer }));
      return secret.some((byte) => byte !== 0) ? secret : undefined;
    } catch {
      return undefined;
    }
  },
  createSealer: createChachaSealer,
  sha256: (bytes) => new Uint8Array(createHash("sha256").update(bytes).digest()),
  hmac: (key, bytes) => new Uint8Array(createHmac("sha256", key).update(bytes).digest()),
};

function secretOf(secretKey: Uint8Array): KeyObject {
  return createPrivateKey({ key: Buffer.from(joinBytes(secretHead, secretKey)), format: "der", type: "pkcs8" });
}

function publicKeyOf(secretKey: Uint8Array): Uint8Array {
  const der = createPublicKey(secretOf(secretKey)).export({ format: "der", type: "spki" });
  return new Uint8Array(der.subarray(-keyBytes));
}
