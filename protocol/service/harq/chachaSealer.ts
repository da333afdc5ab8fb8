/**
 * ChaCha20-Poly1305 of node:crypto as a sealer. This is the data path: one cipher object, one output and no copy but
 * of what has to lie next to each other.
 */
import { createCipheriv, createDecipheriv } from "node:crypto";
import { tagBytes, type Sealer } from "../../src/harq/security/sealer.ts";

const algorithm = "chacha20-poly1305";
const options = { authTagLength: tagBytes };

/** A sealer of a 32-byte key, which it keeps a copy of. What it returns lies in memory of its own. */
export function createChachaSealer(key: Uint8Array): Sealer {
  const kept = key.slice();
  return {
    seal(body, associated, nonce) {
      const cipher = createCipheriv(algorithm, kept, nonce, options);
      cipher.setAAD(associated, { plaintextLength: body.length });
      const sealed = new Uint8Array(body.length + tagBytes);
      sealed.set(cipher.update(body));
      cipher.final();
      sealed.set(cipher.getAuthTag(), body.length);
      return sealed;
    },
    open(sealed, associated, nonce) {
      const length = sealed.length - tagBytes;
      if (length < 0) return undefined;
      const decipher = createDecipheriv(algorithm, kept, nonce, options);
      decipher.setAAD(associated, { plaintextLength: length });
      decipher.setAuthTag(sealed.subarray(length));
      const { buffer, byteOffset } = decipher.update(sealed.subarray(0, length));
      try {
        decipher.final();
      } catch {
        return undefined;
      }
      return new Uint8Array(buffer, byteOffset, length);
    },
  };
}
