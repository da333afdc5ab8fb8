/** ChaCha20-Poly1305 of node:crypto as a sealer. */
import { createCipheriv, createDecipheriv } from "node:crypto";
import { tagBytes, type Sealer } from "@ngpu/protocol/harq/security/sealer";

const algorithm = "chacha20-poly1305";
const options = { authTagLength: tagBytes };

export function createChachaSealer(key: Uint8Array): Sealer {
  return {
    seal(body, associated, nonce) {
      const cipher = createCipheriv(algorithm, key, nonce, options);
      cipher.setAAD(associated, { plaintextLength: body.length });
      const sealed = [cipher.update(body), cipher.final()];
      return new Uint8Array(Buffer.concat([...sealed, cipher.getAuthTag()]));
    },
    open(sealed, associated, nonce) {
      const length = sealed.length - tagBytes;
      if (length < 0) return undefined;
      const decipher = createDecipheriv(algorithm, key, nonce, options);
      decipher.setAAD(associated, { plaintextLength: length });
      decipher.setAuthTag(sealed.subarray(length));
      const body = decipher.update(sealed.subarray(0, length));
      try {
        return new Uint8Array(Buffer.concat([body, decipher.final()]));
      } catch {
        return undefined;
      }
    },
  };
}
