/** HTTP side of a gateway: sealed data by its hash, signed by the task's client key; and the public roster. */
import { joinBytes } from "@ngpu/protocol/bytes";
import { encodeBlobAuthorization } from "@ngpu/protocol/blobAuthorization";
import { isErrorCode, NgpuError } from "@ngpu/protocol/errors";
import { gatewayLimits } from "@ngpu/protocol/limits";
import { signMessage, type SigningContext } from "@ngpu/protocol/signed";
import { blobAction } from "@ngpu/protocol/typedData";
import { keccak256, type Hex } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { requireBlobSize } from "./requireBlobSize.ts";

export interface BlobRequest {
  gatewayUrl: string;
  context: SigningContext;
  clientPrivateKey: Hex;
  taskId: Hex;
  blobHash: Hex;
  nowMs: number;
  signal?: AbortSignal;
}

/** A gateway that takes a request and says nothing counts as unreachable. */
const requestTimeoutMs = 60_000;

/** Throws INPUT_TOO_LARGE before anything is sent. */
export async function putBlob(request: BlobRequest & { bytes: Uint8Array }): Promise<void> {
  requireBlobSize(request.bytes.length);
  const headers = { authorization: await authorization(request, blobAction.write), "content-type": "application/octet-stream" };
  await send(request, { method: "PUT", headers, body: request.bytes as Uint8Array<ArrayBuffer> });
}

/** Fetches and proves the bytes: what does not have the asked hash is refused. */
export async function getBlob(request: BlobRequest): Promise<Uint8Array> {
  const response = await send(request, { method: "GET", headers: { authorization: await authorization(request, blobAction.read) } });
  const bytes = await readBounded(request, response);
  if (keccak256(bytes) !== request.blobHash) throw new NgpuError("BLOB_MISMATCH", { blobHash: request.blobHash });
  return bytes;
}

/** Whether the gateway gives the bytes now, whatever keeps it from doing so. */
export function isBlobHeld(request: BlobRequest): Promise<boolean> {
  return getBlob(request).then(
    () => true,
    () => false,
  );
}

/** Nothing bounds what a gateway answers but this. */
async function readBounded(request: BlobRequest, response: Response): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let total = 0;
  const reader = response.body?.getReader();
  try {
    for (let part = await reader?.read(); part?.value !== undefined; part = await reader?.read()) {
      total += part.value.length;
      if (total > gatewayLimits.maxBlobBytes) throw new NgpuError("BLOB_TOO_LARGE", { blobHash: request.blobHash });
      chunks.push(part.value);
    }
  } catch (cause) {
    await reader?.cancel().catch(() => undefined);
    throw cause instanceof NgpuError ? cause : new NgpuError("GATEWAY_UNREACHABLE", { gatewayUrl: request.gatewayUrl }, { cause });
  }
  return joinBytes(...chunks);
}

async function authorization(request: BlobRequest, action: number): Promise<string> {
  const expiry = BigInt(Math.floor(request.nowMs / 1_000) + gatewayLimits.blobAccessExpiryS - gatewayLimits.clockSkewS);
  const { taskId, blobHash, context } = request;
  const signer = privateKeyToAccount(request.clientPrivateKey);
  const message = { action, taskId, blobHash, expiry };
  return encodeBlobAuthorization(await signMessage({ kind: "blobAccess", message, context, signer }));
}

async function send(request: BlobRequest, init: RequestInit): Promise<Response> {
  const url = `${request.gatewayUrl}/v1/blobs/${request.taskId}/${request.blobHash}`;
  let response: Response;
  try {
    const timeout = AbortSignal.timeout(requestTimeoutMs);
    const signal = request.signal === undefined ? timeout : AbortSignal.any([request.signal, timeout]);
    response = await fetch(url, { ...init, signal });
  } catch (cause) {
    throw new NgpuError("GATEWAY_UNREACHABLE", { gatewayUrl: request.gatewayUrl }, { cause });
  }
  if (!response.ok) throw await answeredError(response);
  return response;
}

async function answeredError(response: Response): Promise<NgpuError> {
  const body: unknown = await response.json().catch(() => undefined);
  const code = typeof body === "object" && body !== null && "code" in body ? String(body.code) : "";
  // A gateway that failed inside or is just starting, or a proxy before it, says nothing about the blob: it is tried again.
  const says = code !== "INTERNAL" && isErrorCode(code) ? code : "GATEWAY_UNREACHABLE";
  return new NgpuError(says, { status: response.status });
}
