/**
 * The handshake of one connection, inside an authenticated WebSocket: a hello, a reply, then both sides have the keys
 * of both directions. The initiator knows the responder's transport key beforehand. Whoever has an operator key shows
 * what it signed for its transport key (`TransportKey`); who has none stays without a name, but proves its key.
 *
 * The responder knows that a hello is not an old one once the first datagram opens: until then it keeps what it would
 * keep for anybody on that WebSocket.
 */
import { bytesToHex, isAddressEqual, type Address } from "viem";
import { NgpuError } from "../../errors.ts";
import { gatewayLimits } from "../../limits.ts";
import { recoverSigner, type Signed, type SigningContext } from "../../signed.ts";
import type { DirectionKeys } from "../connection/protection.ts";
import { createDirectionKeys, type DirectionSecret } from "./directionKeys.ts";
import {
  decodePayload,
  encodePayload,
  type Candidate,
  type Capabilities,
  type HandshakePayload,
} from "./handshakePayload.ts";
import { answerIk, beginIk, type NoiseSecrets } from "./noiseIk.ts";
import type { KeyPair, NoisePrimitives } from "./noisePrimitives.ts";

export interface HandshakeOptions {
  readonly primitives: NoisePrimitives;
  /** Of X25519; for connections alone. */
  readonly staticKey: KeyPair;
  /** Chain and escrow that both sides must mean. */
  readonly context: SigningContext;
  /** Chosen at random for this connection: what the peer puts into its datagrams. */
  readonly connectionId: bigint;
  readonly capabilities: Capabilities;
  readonly candidates?: readonly Candidate[];
  /** The operator's word for `staticKey`. */
  readonly identity?: Signed<"transportKey">;
  /** Unix seconds. */
  readonly nowS: number;
}

export interface InitiatorOptions extends HandshakeOptions {
  readonly responderPublicKey: Uint8Array;
  /** Where it is given, the responder must show that this operator signed for its key. */
  readonly responderOperator?: Address;
}

/** Who is at the other end, and what it said. */
export interface HandshakePeer {
  readonly transportKey: Uint8Array;
  /** Undefined: it showed none. Whether that operator may do what it asks for is a question to the chain. */
  readonly operator?: Address;
  readonly capabilities: Capabilities;
  readonly candidates: readonly Candidate[];
}

export interface HandshakeResult {
  readonly send: DirectionKeys;
  readonly receive: DirectionKeys;
  /** What these keys are derived from, as bytes: for a thread that has to derive them itself. Never to be kept. */
  readonly secrets: { readonly send: DirectionSecret; readonly receive: DirectionSecret };
  /** The same on both sides and on no other connection. */
  readonly handshakeHash: Uint8Array;
  readonly peer: HandshakePeer;
}

export interface Initiator {
  readonly hello: Uint8Array;
  /** Throws HANDSHAKE_REFUSED, AUTH_EXPIRED or WIRE_MALFORMED; the true reply may come after a false one. */
  finish(reply: Uint8Array): Promise<HandshakeResult>;
}

/** Throws HANDSHAKE_REFUSED when the responder's key is none. */
export function createInitiator(options: InitiatorOptions): Initiator {
  const { primitives, responderPublicKey, responderOperator } = options;
  const payload = encodePayload(payloadOf(options));
  const begun = beginIk({ primitives, prologue, staticKey: options.staticKey }, { responderPublicKey, payload });
  if (begun === undefined) throw refused("responder's key");
  return {
    hello: begun.hello,
    async finish(reply) {
      const finished = begun.finish(reply);
      if (finished === undefined) throw refused("reply");
      const said = decodePayload(finished.payload);
      const peer = await checkPeer(options, said, responderPublicKey);
      if (
        responderOperator !== undefined &&
        (peer.operator === undefined || !isAddressEqual(peer.operator, responderOperator))
      ) {
        throw refused("operator");
      }
      const secrets = { send: finished.initiatorToResponder, receive: finished.responderToInitiator };
      return resultOf(options, { peer, said, handshakeHash: finished.handshakeHash, ...secrets });
    },
  };
}

/** Throws HANDSHAKE_REFUSED, AUTH_EXPIRED or WIRE_MALFORMED; nothing is to be answered then. */
export async function respond(
  options: HandshakeOptions,
  hello: Uint8Array,
): Promise<{ readonly reply: Uint8Array; readonly result: HandshakeResult }> {
  const { primitives, staticKey } = options;
  const heard = answerIk({ primitives, prologue, staticKey }, hello);
  if (heard === undefined) throw refused("hello");
  const said = decodePayload(heard.payload);
  const peer = await checkPeer(options, said, heard.initiatorPublicKey);
  const { reply, handshakeHash, ...secrets } = heard.reply(encodePayload(payloadOf(options)));
  const directions = { send: secrets.responderToInitiator, receive: secrets.initiatorToResponder };
  return { reply, result: resultOf(options, { peer, said, handshakeHash, ...directions }) };
}

const prologue = new TextEncoder().encode("ngpu/1 harq");

function refused(part: string): NgpuError {
  return new NgpuError("HANDSHAKE_REFUSED", { part });
}

function payloadOf(options: HandshakeOptions): HandshakePayload {
  const { identity, connectionId, context, capabilities, candidates = [], staticKey } = options;
  const plain = {
    connectionId,
    chainId: context.chainId,
    escrow: context.verifyingContract,
    capabilities,
    candidates,
  };
  if (identity === undefined) return plain;
  const { message, signature } = identity;
  if (message.transportKey.toLowerCase() !== bytesToHex(staticKey.publicKey)) throw refused("own identity");
  return { ...plain, identity: { operator: message.operator, validUntil: message.validUntil, signature } };
}

async function checkPeer(
  { context, capabilities, nowS }: HandshakeOptions,
  said: HandshakePayload,
  transportKey: Uint8Array,
): Promise<HandshakePeer> {
  if (said.chainId !== context.chainId) throw refused("chain");
  if (!isAddressEqual(said.escrow, context.verifyingContract)) throw refused("escrow");
  if (said.capabilities.codec !== capabilities.codec) throw refused("code");
  const plain = { transportKey, capabilities: said.capabilities, candidates: said.candidates };
  if (said.identity === undefined) return plain;
  const { operator, validUntil, signature } = said.identity;
  const { clockSkewS, transportBindingExpiryS } = gatewayLimits;
  const leftS = validUntil - BigInt(nowS);
  if (leftS < -clockSkewS) throw new NgpuError("AUTH_EXPIRED", { part: "transport key" });
  if (leftS > transportBindingExpiryS + clockSkewS) throw refused("validity");
  const message = { operator, transportKey: bytesToHex(transportKey), validUntil };
  const signer = await recoverSigner({ kind: "transportKey", signed: { message, signature }, context });
  if (signer === undefined || !isAddressEqual(signer, operator)) throw refused("signature");
  return { ...plain, operator };
}

interface Agreed {
  readonly peer: HandshakePeer;
  readonly said: HandshakePayload;
  readonly handshakeHash: NoiseSecrets["handshakeHash"];
  readonly send: Uint8Array;
  readonly receive: Uint8Array;
}

function resultOf({ primitives, connectionId }: HandshakeOptions, agreed: Agreed): HandshakeResult {
  const { peer, said, handshakeHash, send, receive } = agreed;
  const secrets = {
    send: { secret: send, connectionId: said.connectionId },
    receive: { secret: receive, connectionId },
  };
  return {
    send: createDirectionKeys(primitives, secrets.send),
    receive: createDirectionKeys(primitives, secrets.receive),
    secrets,
    handshakeHash,
    peer,
  };
}
