/**
 * What each side says of itself inside the handshake, as bytes:
 *
 *     u8 version 1 | u64 connection id, not 0 | u64 chain id | 20 escrow
 *     u8 code id | u8 largest symbol ÷ 64 | u16 largest datagram | u48 credit in bytes
 *     u8 count of candidates, at most 8, each:
 *         u8 4 or 6 | address 4 or 16 | u16 port | u8 length of token, 0 or 44 | token
 *     u8 0, or 1 | operator 20 | u64 valid until, Unix seconds | signature 65
 */
import { bytesToHex, getAddress, hexToBytes, type Address, type Hex } from "viem";
import { createByteReader, type ByteReader } from "../wire/byteReader.ts";
import { createByteWriter, type ByteWriter } from "../wire/byteWriter.ts";
import { malformed } from "../wire/malformed.ts";
import { formatAddress, isUnicast, parseAddress } from "./ipAddress.ts";
import { pathTokenBytes } from "./pathToken.ts";

export interface Capabilities {
  readonly codec: number;
  /** A multiple of 64, at most 16,320. */
  readonly largestSymbolBytes: number;
  readonly largestDatagramBytes: number;
  /** Bytes of messages that may be begun before the receiver says more. */
  readonly creditBytes: number;
}

/** Where a side may be reached over UDP. */
export interface Candidate {
  /** IP address as text. */
  readonly address: string;
  readonly port: number;
  /** To be shown there (`pathToken.ts`), where whoever listens asks for one. */
  readonly token?: Uint8Array;
}

export interface HandshakePayload {
  /** What the other side puts into its datagrams. */
  readonly connectionId: bigint;
  readonly chainId: number;
  readonly escrow: Address;
  readonly capabilities: Capabilities;
  readonly candidates: readonly Candidate[];
  /** Without the transport key, which the handshake itself names. */
  readonly identity?: { readonly operator: Address; readonly validUntil: bigint; readonly signature: Hex };
}

const payloadVersion = 1;
const mostCandidates = 8;
const symbolUnit = 64;
const signatureBytes = 65;
const largestPayloadBytes = 1_024;
const smallestDatagram = 1_200;

/** Throws INTERNAL or WIRE_TOO_LARGE when what is to be said does not fit the grammar. */
export function encodePayload(payload: HandshakePayload): Uint8Array {
  const writer = createByteWriter(new Uint8Array(largestPayloadBytes));
  const { capabilities, candidates, identity } = payload;
  writer.u8(payloadVersion);
  putU64(writer, payload.connectionId);
  putU64(writer, BigInt(payload.chainId));
  writer.put(hexToBytes(payload.escrow));
  writer.u8(capabilities.codec);
  writer.u8(capabilities.largestSymbolBytes / symbolUnit);
  writer.u16(capabilities.largestDatagramBytes);
  writer.u48(capabilities.creditBytes);
  const reachable = candidates.slice(0, mostCandidates);
  writer.u8(reachable.length);
  for (const { address, port, token = new Uint8Array(0) } of reachable) {
    const bytes = parseAddress(address) ?? new Uint8Array(0);
    writer.u8(bytes.length === 4 ? 4 : 6);
    writer.put(bytes);
    writer.u16(port);
    writer.u8(token.length);
    writer.put(token);
  }
  writer.u8(identity === undefined ? 0 : 1);
  if (identity !== undefined) {
    writer.put(hexToBytes(identity.operator));
    putU64(writer, identity.validUntil);
    writer.put(hexToBytes(identity.signature));
  }
  return writer.written();
}

/** Throws WIRE_MALFORMED when a rule of the grammar is broken, also by what stands behind the end. */
export function decodePayload(bytes: Uint8Array): HandshakePayload {
  if (bytes.length > largestPayloadBytes) throw malformed("payload length");
  const reader = createByteReader(bytes);
  must(reader.u8() === payloadVersion, "payload version");
  const connectionId = takeU64(reader);
  must(connectionId !== 0n, "connection id");
  const chainId = takeU64(reader);
  must(chainId <= BigInt(Number.MAX_SAFE_INTEGER), "chain id");
  const escrow = takeAddress(reader);
  const capabilities = {
    codec: reader.u8(),
    largestSymbolBytes: reader.u8() * symbolUnit,
    largestDatagramBytes: reader.u16(),
    creditBytes: reader.u48(),
  };
  must(capabilities.largestSymbolBytes > 0, "symbol size");
  must(capabilities.largestDatagramBytes >= smallestDatagram, "datagram size");
  const count = reader.u8();
  must(count <= mostCandidates, "candidates");
  const candidates = Array.from({ length: count }, () => takeCandidate(reader));
  const identity = takeIdentity(reader);
  must(reader.left() === 0, "payload end");
  const plain = { connectionId, chainId: Number(chainId), escrow, capabilities, candidates };
  return identity === undefined ? plain : { ...plain, identity };
}

function takeCandidate(reader: ByteReader): Candidate {
  const version = reader.u8();
  must(version === 4 || version === 6, "address version");
  const bytes = reader.take(version === 4 ? 4 : 16);
  must(isUnicast(bytes), "address");
  const port = reader.u16();
  must(port > 0, "port");
  const length = reader.u8();
  must(length === 0 || length === pathTokenBytes, "token length");
  const plain = { address: formatAddress(bytes), port };
  return length === 0 ? plain : { ...plain, token: reader.take(length).slice() };
}

function takeIdentity(reader: ByteReader): HandshakePayload["identity"] {
  const kind = reader.u8();
  must(kind <= 1, "identity");
  if (kind === 0) return undefined;
  const operator = takeAddress(reader);
  const validUntil = takeU64(reader);
  return { operator, validUntil, signature: bytesToHex(reader.take(signatureBytes)) };
}

function must(isKept: boolean, rule: string): void {
  if (!isKept) throw malformed(rule);
}

function takeAddress(reader: ByteReader): Address {
  return getAddress(bytesToHex(reader.take(20)));
}

function takeU64(reader: ByteReader): bigint {
  return (BigInt(reader.u32()) << 32n) | BigInt(reader.u32());
}

function putU64(writer: ByteWriter, value: bigint): void {
  writer.u32(Number(value >> 32n));
  writer.u32(Number(value & 0xffff_ffffn));
}
