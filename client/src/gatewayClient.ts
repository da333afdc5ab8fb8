/** HTTP side of a gateway: sealed data by its hash, signed by the task's client key; and the public roster. */
import { encodeBlobAuthorization } from "@ngpu/protocol/blobAuthorization";
import { errorCatalogue, NgpuError, type ErrorCode } from "@ngpu/protocol/errors";
import { gatewayLimits } from "@ngpu/protocol/limits";
import { signMessage, type SigningContext } from "@ngpu/protocol/signed";
import { blobAction } from "@ngpu/protocol/typedData";
import { keccak256, type Hex } from "viem";
import { privateKeyToAccount } from "viem/accounts";

export interface BlobRequest {
  gatewayUrl: string;
  context: SigningContext;
  clientPrivateKey: Hex;
  taskId: Hex;
  blobHash: Hex;
  nowMs: number;
  signal?: AbortSignal;
}

export async function putBlob(request: BlobRequest & { bytes: Uint8Array }): Promise<void> {
  const headers = { authorization: await authorization(request, blobAction.write), "content-type": "application/octet-stream" };
  await send(request, { method: "PUT", headers, body: request.bytes as Uint8Array<ArrayBuffer> });
}

/** Fetches and proves the bytes: what does not have the asked hash is refused. */
export async function getBlob(request: BlobRequest): Promise<Uint8Array> {
  const response = await send(request, { method: "GET", headers: { authorization: await authorization(request, blobAction.read) } });
  const bytes = new Uint8Array(await response.arrayBuffer());
  if (keccak256(bytes) !== request.blobHash) throw new NgpuError("BLOB_MISMATCH", { blobHash: request.blobHash });
  return bytes;
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
    response = await fetch(url, { ...init, signal: request.signal ?? null });
  } catch (cause) {
    throw new NgpuError("GATEWAY_UNREACHABLE", { gatewayUrl: request.gatewayUrl }, { cause });
  }
  if (!response.ok) throw await answeredError(response);
  return response;
}

async function answeredError(response: Response): Promise<NgpuError> {
  const body: unknown = await response.json().catch(() => undefined);
  const code = typeof body === "object" && body !== null && "code" in body ? String(body.code) : "";
  return new NgpuError(Object.hasOwn(errorCatalogue, code) ? (code as ErrorCode) : "INTERNAL", { status: response.status });
}
