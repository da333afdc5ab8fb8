/** Blobs over HTTP (docs/PROTOCOL.md §5): what any client can speak, and what is left where nothing faster gets through. */
import { keccak256 } from "viem";
import { joinBytes } from "../bytes.ts";
import { isErrorCode, NgpuError } from "../errors.ts";
import { gatewayLimits } from "../limits.ts";
import type { blobAction } from "../typedData.ts";
import { authorize, blobPatienceMs, requireStorable, type BlobGateway, type BlobName, type Blobs } from "./blobs.ts";

export function createHttpBlobs(gateway: BlobGateway, options: { patienceMs?: number } = {}): Blobs {
  const { patienceMs = blobPatienceMs } = options;

  async function request(
    blob: BlobName & { readonly signal?: AbortSignal | undefined },
    action: keyof typeof blobAction,
    init: Omit<RequestInit, "headers"> & { readonly headers?: Readonly<Record<string, string>> },
    folder = "blobs",
  ): Promise<Response> {
    const authorization = await authorize(gateway, blob, action);
    const headers: Record<string, string> = { ...init.headers, authorization };
    if (init.body !== undefined) headers["content-type"] = "application/octet-stream";
    const late = AbortSignal.timeout(patienceMs);
    const signal = blob.signal === undefined ? late : AbortSignal.any([blob.signal, late]);
    let response: Response;
    try {
      const url = `${gateway.gatewayUrl}/v1/${folder}/${blob.taskId}/${blob.hash}`;
      response = await fetch(url, { ...init, headers, redirect: "error", signal });
    } catch (cause) {
      throw new NgpuError("GATEWAY_UNREACHABLE", { gatewayUrl: gateway.gatewayUrl }, { cause });
    }
    if (!response.ok) throw await refusalOf(response);
    return response;
  }

  return {
    async get(blob) {
      const bytes = await readBounded(await request(blob, "read", { method: "GET" }));
      if (keccak256(bytes) !== blob.hash) throw new NgpuError("BLOB_MISMATCH", { hash: blob.hash });
      return bytes;
    },
    async put({ bytes, ...blob }) {
      requireStorable(bytes.length);
      const response = await request(blob, "write", { method: "PUT", body: bytes as Uint8Array<ArrayBuffer> });
      await response.body?.cancel();
    },
    async size(blob) {
      const { headers } = await request(blob, "read", { method: "HEAD" });
      return Number(headers.get("content-length"));
    },
    async part({ modelId, sha256, offset, signal }) {
      const named = { taskId: modelId, hash: sha256, signal };
      const init = { method: "GET", headers: { range: `bytes=${offset}-` } };
      return readBounded(await request(named, "read", init, "models"));
    },
  };
}

/** Nothing bounds what a gateway answers but this. */
async function readBounded(response: Response): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let total = 0;
  const reader = response.body?.getReader();
  try {
    for (let part = await reader?.read(); part?.value !== undefined; part = await reader?.read()) {
      total += part.value.length;
      if (total > gatewayLimits.maxBlobBytes) throw new NgpuError("BLOB_TOO_LARGE");
      chunks.push(part.value);
    }
  } catch (cause) {
    await reader?.cancel().catch(() => undefined);
    throw cause instanceof NgpuError ? cause : new NgpuError("GATEWAY_UNREACHABLE", {}, { cause });
  }
  return joinBytes(...chunks);
}

async function refusalOf(response: Response): Promise<NgpuError> {
  const body: unknown = await response.json().catch(() => undefined);
  const code = typeof body === "object" && body !== null && "code" in body ? String(body.code) : "";
  // A gateway that failed inside or is just starting, or a proxy before it, says nothing about the blob: it is tried again.
  const says = code !== "INTERNAL" && isErrorCode(code) ? code : "GATEWAY_UNREACHABLE";
  return new NgpuError(says, { status: response.status });
}
