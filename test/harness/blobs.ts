/** Blob requests to a gateway over real HTTP, signed as a client or node would sign them. */
import { encodeBlobAuthorization } from "@ngpu/protocol/blobAuthorization";
import { signMessage, type SigningContext, type TypedDataSigner } from "@ngpu/protocol/signed";
import { blobAction, type BlobAccess } from "@ngpu/protocol/typedData";
import type { Hex } from "viem";

export interface BlobCall {
  gatewayUrl: string;
  context: SigningContext;
  signer: TypedDataSigner;
  taskId: Hex;
  hash: Hex;
  /** Alters what is signed. */
  change?: (message: BlobAccess) => BlobAccess;
}

export interface Answer {
  status: number;
  /** Catalogue code of a refusal. */
  code?: string;
  bytes: Uint8Array;
}

export async function putBlob(call: BlobCall & { body: Uint8Array }): Promise<Answer> {
  const response = await fetch(blobUrl(call), {
    method: "PUT",
    headers: { authorization: await authorizationOf(call, blobAction.write) },
    body: call.body as Uint8Array<ArrayBuffer>,
  });
  return answerOf(response);
}

export async function getBlob(call: BlobCall): Promise<Answer> {
  const headers = { authorization: await authorizationOf(call, blobAction.read) };
  return answerOf(await fetch(blobUrl(call), { headers }));
}

/** Whether the blob is there, and how large: HEAD has no body that could say why not. */
export async function headBlob(call: BlobCall): Promise<{ status: number; bytes: number }> {
  const headers = { authorization: await authorizationOf(call, blobAction.read) };
  const response = await fetch(blobUrl(call), { method: "HEAD", headers });
  return { status: response.status, bytes: response.ok ? Number(response.headers.get("content-length")) : 0 };
}

export async function answerOf(response: Response): Promise<Answer> {
  const bytes = new Uint8Array(await response.arrayBuffer());
  if (response.ok) return { status: response.status, bytes };
  const { code } = JSON.parse(new TextDecoder().decode(bytes)) as { code: string };
  return { status: response.status, code, bytes };
}

function blobUrl({ gatewayUrl, taskId, hash }: BlobCall): string {
  return `${gatewayUrl}/v1/blobs/${taskId}/${hash}`;
}

async function authorizationOf(call: BlobCall, action: number): Promise<string> {
  const { taskId, hash, context, signer, change = (message) => message } = call;
  const expiry = BigInt(Math.floor(Date.now() / 1_000) + 60);
  const message = change({ action, taskId, blobHash: hash, expiry });
  return encodeBlobAuthorization(await signMessage({ kind: "blobAccess", message, context, signer }));
}
