/**
 * The symmetric state of a Noise handshake (revision 34, section 5.2): a hash over all that was said, a chaining key
 * over all that was agreed. A value: every function gives the next one.
 */
import { joinBytes } from "../../bytes.ts";
import { hkdfPair, type NoisePrimitives } from "./noisePrimitives.ts";

export interface NoiseState {
  readonly hash: Uint8Array;
  readonly chainingKey: Uint8Array;
  /** Undefined before the first agreement; nothing is hidden until then. */
  readonly key?: Uint8Array;
  /** How often the key was used. */
  readonly uses: number;
}

/** @param name of the protocol, exactly 32 bytes long, as that of `noiseIk` is. */
export function beginNoise(primitives: NoisePrimitives, name: string, prologue: Uint8Array): NoiseState {
  const hash = new TextEncoder().encode(name);
  return mixHash(primitives, { hash, chainingKey: hash, uses: 0 }, prologue);
}

/** The state after something that both sides have seen, in the order they saw it. */
export function mixHash({ sha256 }: NoisePrimitives, state: NoiseState, bytes: Uint8Array): NoiseState {
  return { ...state, hash: sha256(joinBytes(state.hash, bytes)) };
}

/** The state after an agreement: a fresh key, and a chaining key that depends on all agreements so far. */
export function mixKey(primitives: NoisePrimitives, state: NoiseState, secret: Uint8Array): NoiseState {
  const [chainingKey, key] = hkdfPair(primitives, state.chainingKey, secret);
  return { ...state, chainingKey, key, uses: 0 };
}

export interface Said {
  readonly state: NoiseState;
  readonly bytes: Uint8Array;
}

/** Seals under the key of the state, in clear before there is one, and takes what goes out into the hash. */
export function sealAndHash(primitives: NoisePrimitives, state: NoiseState, plain: Uint8Array): Said {
  const { key, uses, hash } = state;
  const bytes = key === undefined ? plain : primitives.createSealer(key).seal(plain, hash, noiseNonce(uses));
  return { state: mixHash(primitives, { ...state, uses: uses + 1 }, bytes), bytes };
}

/** Undefined when it was not sealed in this state. */
export function openAndHash(primitives: NoisePrimitives, state: NoiseState, sealed: Uint8Array): Said | undefined {
  const { key, uses, hash } = state;
  const bytes = key === undefined ? sealed : primitives.createSealer(key).open(sealed, hash, noiseNonce(uses));
  if (bytes === undefined) return undefined;
  return { state: mixHash(primitives, { ...state, uses: uses + 1 }, sealed), bytes };
}

/** Four zeros and the count, little-endian: a handshake never counts beyond a byte. */
function noiseNonce(uses: number): Uint8Array {
  const nonce = new Uint8Array(12);
  nonce[4] = uses;
  return nonce;
}
