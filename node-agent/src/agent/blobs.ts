/** Fetching the sealed input and storing the sealed output at the gateway; every request is signed by the operator. */
import { encodeBlobAuthorization } from "@ngpu/protocol/blobAuthorization";
import { isErrorCode, NgpuError } from "@ngpu/protocol/errors";
import { gatewayLimits } from "@ngpu/protocol/limits";
import type { Clock } from "@ngpu/protocol/service/clock";
import { signMessage, type SigningContext, type TypedDataSigner } from "@ngpu/protocol/signed";
import { blobAction } from "@ngpu/protocol/typedData";
import { keccak256, type Hex } from "viem";

export interface Blobs {
  /** Throws the gateway's code, or BLOB_MISMATCH when other bytes come than were named. */
  get(blob: { taskId: Hex; hash: Hex; signal: AbortSignal }): Promise<Uint8Array>;
  put(blob: { taskId: Hex; hash: Hex; bytes: Uint8Array; signal: AbortSignal }): Promise<void>;
}

const accessValidS = 120n;
const requestTimeoutMs = 60_000;

export function createBlobs(options: {
  gatewayUrl: string;
  context: SigningContext;
  signer: TypedDataSigner;
  clock: Clock;
}): Blobs {
  const { gatewayUrl, context, signer, clock } = options;

  const request = async (
    { taskId, hash, signal }: { taskId: Hex; hash: Hex; signal: AbortSignal },
    action: number,
    init: RequestInit,
  ): Promise<Response> => {
    const expiry = BigInt(Math.floor(clock.nowMs() / 1_000)) + accessValidS;
    const access = await signMessage({
      kind: "blobAccess",
      message: { action, taskId, blobHash: hash, expiry },
      context,
      signer,
    });
    let response: Response;
    try {
      response = await fetch(`${gatewayUrl}/v1/blobs/${taskId}/${hash}`, {
        ...init,
        headers: { authorization: encodeBlobAuthorization(access) },
        redirect: "error",
        signal: AbortSignal.any([signal, AbortSignal.timeout(requestTimeoutMs)]),
      });
    } catch (cause) {
      throw new NgpuError("GATEWAY_UNREACHABLE", {}, { cause });
    }
    if (!response.ok) throw await refusalOf(response);
    return response;
  };

  return {
    async get(blob) {
      const response = await request(blob, blobAction.read, {});
      const bytes = await readBounded(response);
      if (keccak256(bytes) !== blob.hash) throw new NgpuError("BLOB_MISMATCH", { hash: blob.hash });
      return bytes;
    },
    async put({ bytes, ...blob }) {
      const response = await request(blob, blobAction.write, { method: "PUT", body: Buffer.from(bytes) });
      await response.body?.cancel();
    },
  };
}

async function readBounded(response: Response): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let total = 0;
  try {
    for await (const chunk of response.body ?? []) {
      total += chunk.length;
      if (total > gatewayLimits.maxBlobBytes) throw new NgpuError("BLOB_TOO_LARGE");
      chunks.push(chunk);
    }
  } catch (cause) {
    throw cause instanceof NgpuError ? cause : new NgpuError("GATEWAY_UNREACHABLE", {}, { cause });
  }
  return Buffer.concat(chunks);
}

async function refusalOf(response: Response): Promise<NgpuError> {
  const answer: unknown = await response.json().catch(() => undefined);
  const code = typeof answer === "object" && answer !== null && "code" in answer ? String(answer.code) : "";
  // A gateway that failed inside, or a proxy before it, says nothing about the blob: it is tried again.
  const says = code !== "INTERNAL" && isErrorCode(code) ? code : "GATEWAY_UNREACHABLE";
  return new NgpuError(says, { status: response.status });
}
