/**
 * EIP-712 types of every signed message of docs/PROTOCOL.md §3; contracts/libraries/SignedMessages.sol holds the same.
 * One entry per message: its primary type and its fields in signing order.
 */
import type { TypedDataToPrimitiveTypes } from "abitype";

const receipt = {
  Receipt: [
    { name: "taskId", type: "bytes32" },
    { name: "assignment", type: "uint16" },
    { name: "attempt", type: "uint8" },
    { name: "nodeId", type: "uint32" },
    { name: "modelId", type: "bytes32" },
    { name: "inputCommitment", type: "bytes32" },
    { name: "outputCommitment", type: "bytes32" },
    { name: "outputCiphertext", type: "bytes32" },
    { name: "slot", type: "uint8" },
    { name: "powerCu", type: "uint32" },
    { name: "startMs", type: "uint64" },
    { name: "durationMs", type: "uint32" },
    { name: "status", type: "uint8" },
  ],
} as const;

const accept = {
  Accept: [
    { name: "taskId", type: "bytes32" },
    { name: "assignment", type: "uint16" },
    { name: "nodeId", type: "uint32" },
    { name: "inputCommitment", type: "bytes32" },
    { name: "timeMs", type: "uint64" },
  ],
} as const;

const voucher = {
  Voucher: [
    { name: "sessionId", type: "bytes32" },
    { name: "nodeId", type: "uint32" },
    { name: "seq", type: "uint64" },
    { name: "cumulativeUsd6", type: "uint128" },
    { name: "prevHead", type: "bytes32" },
    { name: "billsHash", type: "bytes32" },
    { name: "receiptsRoot", type: "bytes32" },
  ],
} as const;

const heartbeat = {
  Heartbeat: [
    { name: "nodeId", type: "uint32" },
    { name: "seq", type: "uint64" },
    { name: "timeMs", type: "uint64" },
    { name: "freeSlots", type: "uint16" },
    { name: "queued", type: "uint16" },
  ],
} as const;

const progress = {
  Progress: [
    { name: "taskId", type: "bytes32" },
    { name: "assignment", type: "uint16" },
    { name: "attempt", type: "uint8" },
    { name: "nodeId", type: "uint32" },
    { name: "seq", type: "uint32" },
    { name: "permille", type: "uint16" },
    { name: "timeMs", type: "uint64" },
  ],
} as const;

const livenessReply = {
  LivenessReply: [
    { name: "challengeId", type: "bytes32" },
    { name: "nodeId", type: "uint32" },
    { name: "blockHash", type: "bytes32" },
  ],
} as const;

const busyCertificate = {
  BusyCertificate: [
    { name: "taskId", type: "bytes32" },
    { name: "nodeId", type: "uint32" },
    { name: "slots", type: "uint16" },
    { name: "timeMs", type: "uint64" },
    { name: "expiry", type: "uint64" },
  ],
} as const;

const login = {
  Login: [
    { name: "role", type: "uint8" },
    { name: "subject", type: "bytes32" },
    { name: "nonce", type: "bytes32" },
    { name: "audience", type: "bytes32" },
    { name: "expiry", type: "uint64" },
  ],
} as const;

const transportBinding = {
  TransportBinding: [
    { name: "nodeId", type: "uint32" },
    { name: "publicKey", type: "bytes32" },
    { name: "notBefore", type: "uint64" },
    { name: "expiry", type: "uint64" },
  ],
} as const;

const scoreTranscript = {
  ScoreTranscript: [
    { name: "nodeId", type: "uint32" },
    { name: "epoch", type: "uint64" },
    { name: "seed", type: "bytes32" },
    { name: "scoreCu", type: "uint32" },
    { name: "transcriptHash", type: "bytes32" },
  ],
} as const;

const blobAccess = {
  BlobAccess: [
    { name: "action", type: "uint8" },
    { name: "taskId", type: "bytes32" },
    { name: "blobHash", type: "bytes32" },
    { name: "expiry", type: "uint64" },
  ],
} as const;

const keyWrap = {
  KeyWrap: [
    { name: "taskId", type: "bytes32" },
    { name: "assignment", type: "uint16" },
    { name: "nodeId", type: "uint32" },
    { name: "ephemeralPublicKey", type: "bytes32" },
    { name: "wrappedKey", type: "bytes" },
  ],
} as const;

const operatorBinding = {
  OperatorBinding: [
    { name: "owner", type: "address" },
    { name: "operator", type: "address" },
    { name: "expiry", type: "uint64" },
  ],
} as const;

const suspicion = {
  Suspicion: [
    { name: "taskId", type: "bytes32" },
    { name: "nodeId", type: "uint32" },
    { name: "timeMs", type: "uint64" },
    { name: "expiry", type: "uint64" },
  ],
} as const;

const transportKey = {
  TransportKey: [
    { name: "operator", type: "address" },
    { name: "transportKey", type: "bytes32" },
    { name: "validUntil", type: "uint64" },
  ],
} as const;

/** Every signed message by its key: `primaryType` and `types` as viem's typed-data functions take them. */
export const typedData = {
  receipt: { primaryType: "Receipt", types: receipt },
  accept: { primaryType: "Accept", types: accept },
  voucher: { primaryType: "Voucher", types: voucher },
  heartbeat: { primaryType: "Heartbeat", types: heartbeat },
  progress: { primaryType: "Progress", types: progress },
  livenessReply: { primaryType: "LivenessReply", types: livenessReply },
  busyCertificate: { primaryType: "BusyCertificate", types: busyCertificate },
  login: { primaryType: "Login", types: login },
  transportBinding: { primaryType: "TransportBinding", types: transportBinding },
  scoreTranscript: { primaryType: "ScoreTranscript", types: scoreTranscript },
  blobAccess: { primaryType: "BlobAccess", types: blobAccess },
  keyWrap: { primaryType: "KeyWrap", types: keyWrap },
  operatorBinding: { primaryType: "OperatorBinding", types: operatorBinding },
  suspicion: { primaryType: "Suspicion", types: suspicion },
  transportKey: { primaryType: "TransportKey", types: transportKey },
} as const;

export type MessageKind = keyof typeof typedData;

export type Receipt = TypedDataToPrimitiveTypes<typeof receipt>["Receipt"];
export type Accept = TypedDataToPrimitiveTypes<typeof accept>["Accept"];
export type Voucher = TypedDataToPrimitiveTypes<typeof voucher>["Voucher"];
export type Heartbeat = TypedDataToPrimitiveTypes<typeof heartbeat>["Heartbeat"];
export type Progress = TypedDataToPrimitiveTypes<typeof progress>["Progress"];
export type LivenessReply = TypedDataToPrimitiveTypes<typeof livenessReply>["LivenessReply"];
export type BusyCertificate = TypedDataToPrimitiveTypes<typeof busyCertificate>["BusyCertificate"];
export type Login = TypedDataToPrimitiveTypes<typeof login>["Login"];
export type TransportBinding = TypedDataToPrimitiveTypes<typeof transportBinding>["TransportBinding"];
export type ScoreTranscript = TypedDataToPrimitiveTypes<typeof scoreTranscript>["ScoreTranscript"];
export type BlobAccess = TypedDataToPrimitiveTypes<typeof blobAccess>["BlobAccess"];
export type KeyWrap = TypedDataToPrimitiveTypes<typeof keyWrap>["KeyWrap"];
export type OperatorBinding = TypedDataToPrimitiveTypes<typeof operatorBinding>["OperatorBinding"];
export type Suspicion = TypedDataToPrimitiveTypes<typeof suspicion>["Suspicion"];
export type TransportKey = TypedDataToPrimitiveTypes<typeof transportKey>["TransportKey"];

export interface MessageOf {
  receipt: Receipt;
  accept: Accept;
  voucher: Voucher;
  heartbeat: Heartbeat;
  progress: Progress;
  livenessReply: LivenessReply;
  busyCertificate: BusyCertificate;
  login: Login;
  transportBinding: TransportBinding;
  scoreTranscript: ScoreTranscript;
  blobAccess: BlobAccess;
  keyWrap: KeyWrap;
  operatorBinding: OperatorBinding;
  suspicion: Suspicion;
  transportKey: TransportKey;
}

export const receiptStatus = { succeeded: 0, inputRefused: 1, modelFailed: 2, runnerCrashed: 3, timedOut: 4 } as const;
export const loginRole = { node: 1, keeper: 2, client: 3, session: 4 } as const;
/** `meet`: the hash is that of the hello with which a client asks a node for a direct link. */
export const blobAction = { read: 1, write: 2, meet: 3 } as const;
