/**
 * ChaCha20-Poly1305 of node:crypto as a sealer. This is the data path: one cipher object, one output and no copy but
 * of what has to lie next to each other.
 */
import { createCipheriv, createDecipheriv } from "node:crypto";
import { tagBytes, type Sealer } from "../../src/harq/security/sealer.ts";

const algorithm = "chacha20-poly1305";
const options = { authTagLength: tagBytes };

interface Sealing {
  readonly body: Uint8Array;
  readonly associated: Uint8Array;
  readonly nonce: Uint8Array;
}

/** A sealer of a 32-byte key, which it keeps a copy of. What it returns is nobody else's. */
export function createChachaSealer(key: Uint8Array): Sealer {
  const kept = key.slice();
  const write = (to: Uint8Array, at: number, { body, associated, nonce }: Sealing): Uint8Array => {
    const cipher = createCipheriv(algorithm, kept, nonce, options);
    cipher.setAAD(associated, { plaintextLength: body.length });
    to.set(cipher.update(body), at);
    cipher.final();
    to.set(cipher.getAuthTag(), at + body.length);
    return to;
  };
  return {
    seal: (body, associated, nonce) => write(new Uint8Array(body.length + tagBytes), 0, { body, associated, nonce }),
    sealBehind(associated, body, nonce) {
      const { buffer, byteOffset, length } = Buffer.allocUnsafe(associated.length + body.length + tagBytes);
      const to = new Uint8Array(buffer, byteOffset, length);
      to.set(associated);
      return write(to, associated.length, { body, associated, nonce });
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
