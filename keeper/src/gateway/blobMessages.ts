/**
 * Requests of blobs that came as messages of the coded transport, answered by the same rules as those over HTTP
 * (blobRoutes.ts). A message comes in one piece or in several; the head of its request is within the first.
 */
import {
  decodeRequest,
  encodeAnswer,
  encodeBlobHead,
  type BlobRequestHead,
} from "@ngpu/protocol/blobExchange/messages";
import type { SendMessage } from "@ngpu/protocol/blobExchange/asker";
import { priorityOf } from "@ngpu/protocol/blobExchange/priorityOf";
import { joinBytes } from "@ngpu/protocol/bytes";
import { codeOf, NgpuError } from "@ngpu/protocol/errors";
import type { Log } from "@ngpu/protocol/service/log";
import type { BlobRoutes } from "./blobRoutes.ts";

export interface BlobMessages {
  /** Resolves when the answer was taken or its asker is gone. Throws WIRE_MALFORMED for what is no request. */
  handle(message: AsyncIterable<Uint8Array>, send: SendMessage, signal: AbortSignal): Promise<void>;
}

/** Blobs that are read into memory at a time, of all links together: at most 512 MiB. */
const mostReadings = 16;

export function createBlobMessages({ blobs, log }: { blobs: BlobRoutes; log: Log }): BlobMessages {
  let readings = 0;

  async function answerTo(head: BlobRequestHead, body: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
    const { kind, request, taskId, hash, authorization } = head;
    const asked = { taskId, hash, authorization };
    switch (kind) {
      case "put": {
        const result = await blobs.put({ ...asked, bytes: undefined, body });
        return encodeAnswer({ kind: "stored", request, wasPresent: result === "present" });
      }
      case "head":
        return encodeAnswer({ kind: "size", request, bytes: (await blobs.head(asked)).bytes });
      case "get": {
        const held = await blobs.get(asked);
        if (readings >= mostReadings) throw new NgpuError("STORE_FULL", { readings });
        readings += 1;
        try {
          return joinBytes(encodeBlobHead(request), await held.read());
        } finally {
          readings -= 1;
        }
      }
    }
  }

  return {
    async handle(message, send, signal) {
      const pieces = message[Symbol.asyncIterator]();
      const { head, blob } = decodeRequest((await pieces.next()).value ?? new Uint8Array());
      const answer = await answerTo(head, bodyOf(blob, pieces)).catch((error: unknown) => {
        const code = codeOf(error);
        if (code === "INTERNAL") log.error({ err: error, kind: head.kind }, "request failed");
        else log.debug({ code, kind: head.kind }, "request refused");
        return encodeAnswer({ kind: "refused", request: head.request, code });
      });
      await send(answer, { priority: priorityOf(answer.length), signal });
    },
  };
}

async function* bodyOf(first: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  if (first.length > 0) yield first;
  for (let piece = await rest.next(); piece.done !== true; piece = await rest.next()) yield piece.value;
}
