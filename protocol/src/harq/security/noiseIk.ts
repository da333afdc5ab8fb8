/**
 * Noise_IK_25519_ChaChaPoly_SHA256 (revision 34): two messages, after which both sides hold the same two secrets and
 * have proved their static keys. The initiator knows the responder's beforehand; its own travels sealed.
 *
 *     hello = initiator's ephemeral key 32 | sealed( its static key ) 48 | sealed( payload )
 *     reply = responder's ephemeral key 32 | sealed( payload )
 *
 * Whoever replays a hello learns nothing and gets no secret, but a reply. What makes no sense is `undefined`: it is not
 * said which part did not fit.
 */
import { joinBytes } from "../../bytes.ts";
import { NgpuError } from "../../errors.ts";
import { hkdfPair, keyBytes, type KeyPair, type NoisePrimitives } from "./noisePrimitives.ts";
import { beginNoise, mixHash, mixKey, openAndHash, sealAndHash, type NoiseState } from "./noiseState.ts";
import { tagBytes } from "./sealer.ts";

const protocolName = "Noise_IK_25519_ChaChaPoly_SHA256";
const sealedKeyBytes = keyBytes + tagBytes;
export const smallestHelloBytes = keyBytes + sealedKeyBytes + tagBytes;
export const smallestReplyBytes = keyBytes + tagBytes;
/** Longest message of the Noise framework. */
export const largestNoiseBytes = 65_535;

/** What both sides know at the end; nobody else does. */
export interface NoiseSecrets {
  readonly handshakeHash: Uint8Array;
  readonly initiatorToResponder: Uint8Array;
  readonly responderToInitiator: Uint8Array;
}

export interface IkOptions {
  readonly primitives: NoisePrimitives;
  /** Both sides must give the same. */
  readonly prologue: Uint8Array;
  readonly staticKey: KeyPair;
}

export interface IkFinish extends NoiseSecrets {
  /** Of the reply. */
  readonly payload: Uint8Array;
}

export interface IkInitiator {
  readonly hello: Uint8Array;
  /** Undefined when the reply is not the responder's to this hello. */
  finish(reply: Uint8Array): IkFinish | undefined;
}

/** Undefined when the responder's key is no point, or one of low order. */
export function beginIk(
  { primitives, prologue, staticKey }: IkOptions,
  { responderPublicKey, payload }: { readonly responderPublicKey: Uint8Array; readonly payload: Uint8Array },
): IkInitiator | undefined {
  const ephemeral = primitives.generate();
  let state: NoiseState | undefined = prepare(primitives, prologue, responderPublicKey);
  state = mixHash(primitives, state, ephemeral.publicKey);
  state = agree(primitives, state, ephemeral, responderPublicKey);
  if (state === undefined) return undefined;
  const sealedKey = sealAndHash(primitives, state, staticKey.publicKey);
  state = agree(primitives, sealedKey.state, staticKey, responderPublicKey);
  if (state === undefined) return undefined;
  const sealed = sealAndHash(primitives, state, payload);
  return {
    hello: joinBytes(ephemeral.publicKey, sealedKey.bytes, sealed.bytes),
    finish(reply) {
      if (reply.length < smallestReplyBytes || reply.length > largestNoiseBytes) return undefined;
      const peerEphemeral = reply.slice(0, keyBytes);
      const heard = mixHash(primitives, sealed.state, peerEphemeral);
      const half = agree(primitives, heard, ephemeral, peerEphemeral);
      const whole = half && agree(primitives, half, staticKey, peerEphemeral);
      const opened = whole && openAndHash(primitives, whole, reply.subarray(keyBytes));
      return opened && { payload: opened.bytes, ...split(primitives, opened.state) };
    },
  };
}

export interface IkResponder {
  /** Of the hello. */
  readonly payload: Uint8Array;
  readonly initiatorPublicKey: Uint8Array;
  /** To be called once. */
  reply(payload: Uint8Array): { readonly reply: Uint8Array } & NoiseSecrets;
}

/** Undefined when the hello was not made for this key and prologue, or was changed. */
export function answerIk(options: IkOptions, hello: Uint8Array): IkResponder | undefined {
  const { primitives, prologue, staticKey } = options;
  if (hello.length < smallestHelloBytes || hello.length > largestNoiseBytes) return undefined;
  const peerEphemeral = hello.slice(0, keyBytes);
  const heard = mixHash(primitives, prepare(primitives, prologue, staticKey.publicKey), peerEphemeral);
  const half = agree(primitives, heard, staticKey, peerEphemeral);
  const named = half && openAndHash(primitives, half, hello.subarray(keyBytes, keyBytes + sealedKeyBytes));
  if (named === undefined) return undefined;
  const initiatorPublicKey = named.bytes;
  const whole = agree(primitives, named.state, staticKey, initiatorPublicKey);
  const opened = whole && openAndHash(primitives, whole, hello.subarray(keyBytes + sealedKeyBytes));
  if (opened === undefined) return undefined;
  return {
    payload: opened.bytes,
    initiatorPublicKey,
    reply(payload) {
      const ephemeral = primitives.generate();
      const said = mixHash(primitives, opened.state, ephemeral.publicKey);
      const ours = mixKey(primitives, said, mustAgree(primitives, ephemeral, peerEphemeral));
      const theirs = mixKey(primitives, ours, mustAgree(primitives, ephemeral, initiatorPublicKey));
      const sealed = sealAndHash(primitives, theirs, payload);
      return { reply: joinBytes(ephemeral.publicKey, sealed.bytes), ...split(primitives, sealed.state) };
    },
  };
}

function prepare(primitives: NoisePrimitives, prologue: Uint8Array, responderPublicKey: Uint8Array): NoiseState {
  return mixHash(primitives, beginNoise(primitives, protocolName, prologue), responderPublicKey);
}

function agree(
  primitives: NoisePrimitives,
  state: NoiseState,
  ours: KeyPair,
  theirs: Uint8Array,
): NoiseState | undefined {
  const secret = primitives.agree(ours.secretKey, theirs);
  return secret && mixKey(primitives, state, secret);
}

/** With a point that agreed with another key of ours before: low order shows with every key. */
function mustAgree(primitives: NoisePrimitives, ours: KeyPair, theirs: Uint8Array): Uint8Array {
  const secret = primitives.agree(ours.secretKey, theirs);
  if (secret === undefined) throw new NgpuError("INTERNAL", { part: "key agreement" });
  return secret;
}

function split(primitives: NoisePrimitives, { chainingKey, hash }: NoiseState): NoiseSecrets {
  const [initiatorToResponder, responderToInitiator] = hkdfPair(primitives, chainingKey, new Uint8Array(0));
  return { handshakeHash: hash, initiatorToResponder, responderToInitiator };
}
