/**
 * Requests of blobs that came as messages of the coded transport, answered by the same rules as those over HTTP
 * (blobRoutes.ts).
 */
import {
  decodeOffset,
  decodeRequest,
  encodeAnswer,
  encodeBlobHead,
  type BlobRequestHead,
} from "@ngpu/protocol/blobExchange/messages";
import type { SendMessage } from "@ngpu/protocol/blobExchange/asker";
import { priorityOf } from "@ngpu/protocol/blobExchange/priorityOf";
import { joinBytes } from "@ngpu/protocol/bytes";
import { codeOf } from "@ngpu/protocol/errors";
import type { Log } from "@ngpu/protocol/service/log";
import { createTurns } from "@ngpu/protocol/service/turns";
import type { BlobRoutes } from "./blobRoutes.ts";
import type { ModelParts } from "./modelParts.ts";
import type { Transfers } from "./transfers.ts";

export interface BlobMessages {
  /** Resolves when the answer was taken or its asker is gone. Throws WIRE_MALFORMED for what is no request. */
  handle(message: Uint8Array, send: SendMessage, signal: AbortSignal): Promise<void>;
}

/** Blobs in memory on their way out, of all links together: at most 512 MiB. Others wait for their turn. */
const mostReadings = 16;
/** Whoever takes longer for an answer asks again, over a path that is faster then. */
const answerPatienceMs = 60_000;

export function createBlobMessages(options: {
  blobs: BlobRoutes;
  models: ModelParts;
  transfers: Transfers;
  log: Log;
}): BlobMessages {
  const { blobs, models, transfers, log } = options;
  const turns = createTurns(mostReadings);

  /** What to answer, or, where that is a blob, how to read it. */
  async function answerTo(head: BlobRequestHead, blob: Uint8Array): Promise<Uint8Array | (() => Promise<Uint8Array>)> {
    const { kind, request, taskId, hash, authorization } = head;
    const asked = { taskId, hash, authorization };
    switch (kind) {
      case "put": {
        const result = await blobs.put({ ...asked, bytes: blob.length, body: oneChunk(blob) });
        return encodeAnswer({ kind: "stored", request, wasPresent: result === "present" });
      }
      case "part":
        return async () => {
          const offset = decodeOffset(blob);
          const { bytes } = await models.part({ modelId: taskId, sha256: hash, offset, authorization });
          return joinBytes(encodeBlobHead(request), bytes);
        };
      case "head":
        return encodeAnswer({ kind: "size", request, bytes: (await blobs.head(asked)).bytes });
      case "get": {
        const held = await blobs.get(asked);
        return async () => joinBytes(encodeBlobHead(request), await held.read());
      }
    }
  }

  return {
    async handle(message, sendMessage, signal) {
      const { head, blob } = decodeRequest(message);
      const send = (answer: Uint8Array): Promise<void> => {
        const late = AbortSignal.any([signal, AbortSignal.timeout(answerPatienceMs)]);
        return sendMessage(answer, { priority: priorityOf(answer.length), signal: late });
      };
      const refuse = (error: unknown): Uint8Array => {
        const code = codeOf(error);
        if (code === "INTERNAL") log.error({ err: error, kind: head.kind }, "request failed");
        else log.debug({ code, kind: head.kind }, "request refused");
        return encodeAnswer({ kind: "refused", request: head.request, code });
      };
      const transfer = async (): Promise<void> => {
        const answer = await answerTo(head, blob).catch(refuse);
        if (typeof answer !== "function") return send(answer);
        await turns.run(async () => send(await answer().catch(refuse)));
      };
      await transfers.run(transfer).catch((error: unknown) => {
        if (codeOf(error) !== "GATEWAY_DRAINING") throw error;
        return send(refuse(error));
      });
    },
  };
}

async function* oneChunk(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
