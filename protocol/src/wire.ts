/**
 * Control frames on the WebSocket (docs/PROTOCOL.md §5): JSON text, `{ "v": 1, "t": type, … }`, one table below is the grammar.
 * A frame with an unknown version, type or field, or a value out of range, is refused with WIRE_MALFORMED; nothing is guessed.
 */
import { isAddress, isHex, type Address, type Hex } from "viem";
import { NgpuError } from "./errors.ts";
import { isRecord } from "./isRecord.ts";
import { gatewayLimits } from "./limits.ts";
import { sessionLimits } from "./session/sessionLimits.ts";
import type { Signed } from "./signed.ts";
import { typedData, type MessageKind, type MessageOf } from "./typedData.ts";
import { wireJson } from "./wireJson.ts";

export const subprotocol = "ngpu.v1";
export const closeCode = { malformed: 4400, unauthorized: 4401, replaced: 4409, tooSlow: 4413 } as const;

/** One node as a gateway sees it now. Everything but the binding is the node's own word or the gateway's observation. */
export interface RosterEntry {
  nodeId: number;
  operator: Address;
  models: Hex[];
  slots: number;
  freeSlots: number;
  executionProvider: string;
  agentVersion: string;
  /** Power the agent measured on itself, in CU: displayed, never billed. */
  benchmarkCu: number;
  binding: Signed<"transportBinding">;
  /** Milliseconds since its last heartbeat. */
  silentMs: number;
}

const frames = {
  // gateway → any
  challenge: { nonce: bytes32, audience: bytes32, chainId: u32, escrow: address },
  welcome: {},
  error: { code: text, message: text },
  // any → gateway
  login: { login: signed("login") },
  // node → gateway
  announce: {
    models: listOf(bytes32, 256),
    slots: u16,
    executionProvider: text,
    agentVersion: text,
    benchmarkCu: u32,
    binding: signed("transportBinding"),
  },
  heartbeat: { heartbeat: signed("heartbeat") },
  // node → gateway → keeper and client
  accept: { accept: signed("accept") },
  progress: { progress: signed("progress") },
  receipt: { receipt: signed("receipt"), detail: text },
  // keeper → gateway → node
  dispatch: { nodeId: u32, taskId: bytes32, assignment: u16, attempt: u8, role: oneOf("primary", "backup") },
  settled: { nodeId: u32, taskId: bytes32 },
  livenessAsk: { nodeId: u32, challengeId: bytes32 },
  // node → gateway → keeper: over the hash of this block
  livenessReply: { reply: signed("livenessReply"), blockNumber: u64 },
  // client → gateway → node
  wrap: { wrap: signed("keyWrap") },
  // gateway → client
  alive: {},
  nodes: { taskId: bytes32, assignment: u16, bindings: listOf(signed("transportBinding"), 8) },
  // direct links (docs/PROTOCOL.md §13): node → gateway, gateway → client
  reachable: { key: signed("transportKey") },
  direct: { taskId: bytes32, nodeId: u32, key: signed("transportKey"), observer: text },
  // client → gateway, gateway → node
  meet: { nodeId: u32, access: signed("blobAccess"), hello: handshakeMessage },
  meeting: { access: signed("blobAccess"), hello: handshakeMessage, ticket: bytes32, observer: text },
  // node → gateway → client: each side gets a ticket of its own
  met: { taskId: bytes32, nodeId: u32, meeting: bytes32, ticket: bytes32, reply: handshakeMessage },
  notMet: { taskId: bytes32, nodeId: u32, meeting: bytes32, ticket: bytes32, code: text },
  // gateway → keeper
  roster: { nodes: listOf(rosterEntry, 10_000) },
  // gateway → node and session's client: shown on a coded link, it brings requests and answers there (§12)
  carrier: { token: bytes16 },
  // sessions (docs/PROTOCOL.md §9): client → gateway → node
  laneKey: { wrap: signed("keyWrap") },
  // a sealed body that is too large for a frame is "" here, and at the gateway under the session's id and its hash
  ask: {
    ...{ sessionId: bytes32, nodeId: u32, requestId: bytes32, inputCommitment: bytes32 },
    ...{ inputCiphertext: bytes32, sealed: base64 },
  },
  // client → gateway → node, and node → gateway → keeper once the node has taken it
  voucher: { voucher: signed("voucher"), bills: packedBills },
  // node → gateway → keeper: receipts that no voucher covers, from number `seq`
  claim: {
    ...{ sessionId: bytes32, nodeId: u32, seq: u64 },
    receipts: listOf(signed("receipt"), sessionLimits.maxClaimReceipts),
  },
  // node → gateway → client
  laneReady: { sessionId: bytes32, nodeId: u32 },
  answer: { sessionId: bytes32, nodeId: u32, seq: u64, receipt: signed("receipt"), sealed: base64 },
  refusal: { sessionId: bytes32, nodeId: u32, requestId: bytes32, code: text },
  voucherTaken: { sessionId: bytes32, nodeId: u32, seq: u64 },
} as const;

const longestHandshake = 1_600;

type Shape = Record<string, (value: unknown, path: string) => unknown>;
export type FrameType = keyof typeof frames;
export type FrameOf<T extends FrameType> = { t: T } & {
  [F in keyof (typeof frames)[T]]: (typeof frames)[T][F] extends (value: unknown, path: string) => infer R ? R : never;
};
export type Frame = { [T in FrameType]: FrameOf<T> }[FrameType];

export function encodeFrame(frame: Frame): string {
  return wireJson({ v: 1, ...frame });
}

export function decodeFrame(data: string): Frame {
  if (data.length > gatewayLimits.maxFrameBytes * 64) throw new NgpuError("WIRE_TOO_LARGE", { length: data.length });
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch (cause) {
    throw new NgpuError("WIRE_MALFORMED", { path: "json" }, { cause });
  }
  if (!isRecord(value) || value.v !== 1) throw malformed("v");
  const type = value.t;
  if (typeof type !== "string" || !Object.hasOwn(frames, type)) throw malformed("t");
  const { v: _version, t: _type, ...fields } = value;
  return { t: type, ...decodeShape(frames[type as FrameType] as Shape, fields, type) } as Frame;
}

/** Decodes a signed message as it travels, here and in an authorization header. */
export function decodeSigned<K extends MessageKind>(kind: K, value: unknown, path: string = kind): Signed<K> {
  if (!isRecord(value)) throw malformed(path);
  const { primaryType, types } = typedData[kind];
  const fields = (types as Record<string, readonly { name: string; type: string }[]>)[primaryType] ?? [];
  const shape: Shape = Object.fromEntries(fields.map(({ name, type }) => [name, solidityField(type)]));
  const { message, signature, ...rest } = value;
  if (Object.keys(rest).length > 0 || !isRecord(message)) throw malformed(path);
  if (!isHex(signature) || signature.length !== 132) throw malformed(`${path}.signature`);
  return { message: decodeShape(shape, message, path) as unknown as MessageOf[K], signature };
}

function decodeShape(shape: Shape, value: Record<string, unknown>, path: string): Record<string, unknown> {
  const unknown = Object.keys(value).find((key) => !Object.hasOwn(shape, key));
  if (unknown !== undefined) throw malformed(`${path}.${unknown.slice(0, 40)}`);
  return Object.fromEntries(
    Object.entries(shape).map(([key, decode]) => [key, decode(value[key], `${path}.${key}`)]),
  );
}

function solidityField(type: string): (value: unknown, path: string) => unknown {
  if (type === "bytes32") return bytes32;
  if (type === "address") return address;
  if (type === "bytes") return shortBytes;
  const bits = Number(type.slice("uint".length));
  return bits <= 32 ? uintNumber(bits) : uintString(bits);
}

function uintNumber(bits: number): (value: unknown, path: string) => number {
  return (value, path) => {
    if (!Number.isSafeInteger(value) || (value as number) < 0 || (value as number) >= 2 ** bits) throw malformed(path);
    return value as number;
  };
}

function uintString(bits: number): (value: unknown, path: string) => bigint {
  return (value, path) => {
    if (typeof value !== "string" || !/^(0|[1-9][0-9]{0,38})$/.test(value)) throw malformed(path);
    const parsed = BigInt(value);
    if (parsed >= 1n << BigInt(bits)) throw malformed(path);
    return parsed;
  };
}

function u8(value: unknown, path: string): number {
  return uintNumber(8)(value, path);
}

function u16(value: unknown, path: string): number {
  return uintNumber(16)(value, path);
}

function u32(value: unknown, path: string): number {
  return uintNumber(32)(value, path);
}

function u64(value: unknown, path: string): bigint {
  return uintString(64)(value, path);
}

function bytes32(value: unknown, path: string): Hex {
  if (!isHex(value) || value.length !== 66) throw malformed(path);
  return value.toLowerCase() as Hex;
}

function bytes16(value: unknown, path: string): Hex {
  if (!isHex(value) || value.length !== 34) throw malformed(path);
  return value.toLowerCase() as Hex;
}

function shortBytes(value: unknown, path: string): Hex {
  if (!isHex(value) || value.length % 2 !== 0 || value.length > 2 + 2 * 1024) throw malformed(path);
  return value;
}

/** 1,024 records of four bytes: what one frame carries in hex with room to spare. */
function packedBills(value: unknown, path: string): Hex {
  if (!isHex(value) || value.length % 8 !== 2 || value.length <= 2 || value.length > 2 + 8 * 1024) throw malformed(path);
  return value.toLowerCase() as Hex;
}

function base64(value: unknown, path: string): string {
  const fits = typeof value === "string" && value.length % 4 === 0 && value.length <= gatewayLimits.maxInlineBase64;
  if (!fits || !/^[A-Za-z0-9+/]*={0,2}$/.test(value)) throw malformed(path);
  return value;
}

/** Of the handshake of a link: at most 1,024 bytes of payload, its keys and its tags. */
function handshakeMessage(value: unknown, path: string): string {
  if (typeof value === "string" && value.length > longestHandshake) throw malformed(path);
  return base64(value, path);
}

function address(value: unknown, path: string): Address {
  if (typeof value !== "string" || !isAddress(value, { strict: false })) throw malformed(path);
  return value as Address;
}

function text(value: unknown, path: string): string {
  if (typeof value !== "string" || value.length > 500) throw malformed(path);
  return value;
}

function oneOf<const T extends string>(...allowed: T[]): (value: unknown, path: string) => T {
  return (value, path) => {
    if (!allowed.includes(value as T)) throw malformed(path);
    return value as T;
  };
}

function listOf<T>(item: (value: unknown, path: string) => T, most: number): (value: unknown, path: string) => T[] {
  return (value, path) => {
    if (!Array.isArray(value) || value.length > most) throw malformed(path);
    return value.map((entry, index) => item(entry, `${path}[${index}]`));
  };
}

function signed<K extends MessageKind>(kind: K): (value: unknown, path: string) => Signed<K> {
  return (value, path) => decodeSigned(kind, value, path);
}

function rosterEntry(value: unknown, path: string): RosterEntry {
  if (!isRecord(value)) throw malformed(path);
  const shape: Shape = {
    nodeId: u32,
    operator: address,
    models: listOf(bytes32, 256),
    slots: u16,
    freeSlots: u16,
    executionProvider: text,
    agentVersion: text,
    benchmarkCu: u32,
    binding: signed("transportBinding"),
    silentMs: u32,
  };
  return decodeShape(shape, value, path) as unknown as RosterEntry;
}

function malformed(path: string): NgpuError {
  return new NgpuError("WIRE_MALFORMED", { path });
}
