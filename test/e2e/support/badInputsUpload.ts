/**
 * Offers a gateway a body of any size as a client's upload and sends no more than its beginning until there is an
 * answer: whoever is told at once that it is too large need not send it.
 */
import { request } from "node:http";
import { text } from "node:stream/consumers";
import { encodeBlobAuthorization } from "@ngpu/protocol/blobAuthorization";
import { signMessage, type SigningContext, type TypedDataSigner } from "@ngpu/protocol/signed";
import { blobAction } from "@ngpu/protocol/typedData";
import type { Hex } from "viem";

const firstBytes = 64 * 1_024;

export async function offerUpload(upload: {
  gatewayUrl: string;
  context: SigningContext;
  signer: TypedDataSigner;
  taskId: Hex;
  hash: Hex;
  bytes: number;
}): Promise<{ status: number; code: string }> {
  const { gatewayUrl, context, signer, taskId, hash, bytes } = upload;
  const expiry = BigInt(Math.floor(Date.now() / 1_000) + 60);
  const message = { action: blobAction.write, taskId, blobHash: hash, expiry };
  const authorization = encodeBlobAuthorization(await signMessage({ kind: "blobAccess", message, context, signer }));
  return new Promise((resolve, reject) => {
    const offer = request(`${gatewayUrl}/v1/blobs/${taskId}/${hash}`, {
      method: "PUT",
      headers: { authorization, "content-length": bytes },
    });
    offer.on("error", reject);
    offer.on("response", (response) => {
      text(response).then((body) => {
        const { code } = JSON.parse(body) as { code: string };
        resolve({ status: response.statusCode ?? 0, code });
        offer.destroy();
      }, reject);
    });
    offer.write(new Uint8Array(firstBytes));
  });
}
