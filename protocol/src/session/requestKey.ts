/**
 * Keys of the session rail (docs/PROTOCOL.md §9). A lane key is derived from the session's voucher key, so a client that
 * was restarted has it again, and wrapped once for the lane's node; every request has a key of its own derived from it,
 * which takes the task key's part in sealing input and output. Whoever has no lane key can neither read a request nor
 * make one, so a request needs no signature.
 */
import { hkdf } from "@noble/hashes/hkdf.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { hexToBytes, type Hex } from "viem";
import { joinBytes, u32be } from "../bytes.ts";
import type { SealContext } from "../sealed/seal.ts";

export interface RequestPlace {
  sessionId: Hex;
  nodeId: number;
  requestId: Hex;
}

/** What a lane's key is wrapped for: assignments of the direct rail count from 1, so 0 belongs to sessions. */
export function laneTarget({ sessionId, nodeId }: Omit<RequestPlace, "requestId">) {
  return { taskId: sessionId, assignment: 0, nodeId };
}

export function laneKeyOf({ signerKey, sessionId, nodeId }: Omit<RequestPlace, "requestId"> & { signerKey: Hex }) {
  const label = new TextEncoder().encode("ngpu/1 lane");
  return hkdf(sha256, hexToBytes(signerKey), undefined, joinBytes(label, hexToBytes(sessionId), u32be(nodeId)), 32);
}

export function requestKeyOf({ laneKey, sessionId, nodeId, requestId }: RequestPlace & { laneKey: Uint8Array }) {
  const label = new TextEncoder().encode("ngpu/1 request");
  const info = joinBytes(label, hexToBytes(sessionId), u32be(nodeId), hexToBytes(requestId));
  return hkdf(sha256, laneKey, undefined, info, 32);
}

export function inputContext({ requestId }: RequestPlace): SealContext {
  return { kind: "input", taskId: requestId };
}

export function outputContext({ requestId, nodeId }: RequestPlace): SealContext {
  return { kind: "output", taskId: requestId, nodeId, assignment: 0, attempt: 0 };
}
