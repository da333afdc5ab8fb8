/** Sealed bytes at a gateway, by task and hash, whatever carries them; every request is signed by who may ask. */
import type { Hex } from "viem";
import { encodeBlobAuthorization } from "../blobAuthorization.ts";
import { NgpuError } from "../errors.ts";
import { gatewayLimits } from "../limits.ts";
import { signMessage, type SigningContext, type TypedDataSigner } from "../signed.ts";
import { blobAction } from "../typedData.ts";

export interface BlobName {
  readonly taskId: Hex;
  /** Keccak-256 of the sealed bytes. */
  readonly hash: Hex;
}

/** All reject with the gateway's code, or with GATEWAY_UNREACHABLE. */
export interface Blobs {
  /** Rejects with BLOB_MISMATCH when other bytes come than were named, BLOB_TOO_LARGE when too many do. */
  get(blob: BlobName & { readonly signal?: AbortSignal | undefined }): Promise<Uint8Array>;
  put(blob: BlobName & { readonly bytes: Uint8Array; readonly signal?: AbortSignal | undefined }): Promise<void>;
  /** The size of a blob that is there, by the gateway's word. */
  size(blob: BlobName & { readonly signal?: AbortSignal | undefined }): Promise<number>;
  /**
   * The bytes of a model's file from `offset` on, some MiB at most and none at its end; for operators of registered
   * nodes. Whoever puts them together proves the hash.
   */
  part(file: ModelPart & { readonly signal?: AbortSignal | undefined }): Promise<Uint8Array>;
}

export interface ModelPart {
  readonly modelId: Hex;
  /** Of the whole file. */
  readonly sha256: Hex;
  readonly offset: number;
}

/** What a node needs of them. */
export type TaskBlobs = Pick<Blobs, "get" | "put">;

/** Where blobs are, and as whom they are asked for. */
export interface BlobGateway {
  /** Without a trailing slash. */
  readonly gatewayUrl: string;
  readonly context: SigningContext;
  /** The task's client key, a node's operator or a keeper. */
  readonly signer: TypedDataSigner;
  readonly nowMs: () => number;
}

/** A way to a gateway's blobs: over HTTP, or over the coded transport where a path is noisy. */
export type OpenBlobs = (gateway: BlobGateway) => Blobs;

/** Throws BLOB_TOO_LARGE for what no gateway stores, before anything is sent. */
export function requireStorable(bytes: number): void {
  const most = gatewayLimits.maxBlobBytes;
  if (bytes > most) throw new NgpuError("BLOB_TOO_LARGE", { bytes, most });
}

/** A gateway that takes a request and says nothing counts as unreachable. */
export const blobPatienceMs = 60_000;

/** Less than a gateway takes, by the skew that its clock may have. */
const validS = gatewayLimits.blobAccessExpiryS - gatewayLimits.clockSkewS;

/** What a request carries as `authorization`. */
export async function authorize(
  { context, signer, nowMs }: BlobGateway,
  { taskId, hash }: BlobName,
  action: keyof typeof blobAction,
): Promise<string> {
  const expiry = BigInt(Math.floor(nowMs() / 1_000) + validS);
  const message = { action: blobAction[action], taskId, blobHash: hash, expiry };
  return encodeBlobAuthorization(await signMessage({ kind: "blobAccess", message, context, signer }));
}
