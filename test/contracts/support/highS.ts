/** ECDSA's malleability: every signature has a twin, and a contract that took both could be shown one message twice. */
import { concat, numberToHex, parseSignature, type Hex } from "viem";

const CURVE_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

/** The other signature of the same key over the same digest, which ECDSA allows and our contracts refuse. */
export function highS(signature: Hex): Hex {
  const { r, s, yParity } = parseSignature(signature);
  const twin = numberToHex(CURVE_ORDER - BigInt(s), { size: 32 });
  return concat([r, twin, numberToHex(yParity === 0 ? 28 : 27, { size: 1 })]);
}
