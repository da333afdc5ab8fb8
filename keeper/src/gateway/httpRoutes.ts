/**
 * HTTP of the gateway (docs/PROTOCOL.md §5): health, roster and blobs; errors as `{ code, message }`; browsers by an
 * allow-list.
 */
import { codeOf, NgpuError } from "@ngpu/protocol/errors";
import type { Clock } from "@ngpu/protocol/service/clock";
import type { Log } from "@ngpu/protocol/service/log";
import type { IncomingMessage, ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import type { Hex } from "viem";
import type { BlobRoutes } from "./blobRoutes.ts";
import type { ModelParts } from "./modelParts.ts";
import type { Transfers } from "./transfers.ts";

export type HttpHandler = (request: IncomingMessage, response: ServerResponse) => void;

/** A successor is up within a few seconds. */
const retryAfterS = 2;
/** What of a refused body is read before reading stops, and how long its sender has to see the answer. */
const discard = { mostBytes: 4 * 1024 * 1024, withinMs: 2_000 };

const modelPath = /^\/v1\/models\/(0x[0-9a-f]{64})\/(0x[0-9a-f]{64})$/;
/** From there to the end: what of it one answer holds is the gateway's to say. */
const rangeHeader = /^bytes=([0-9]{1,14})-$/;
const blobPath = /^\/v1\/blobs\/(0x[0-9a-f]{64})\/(0x[0-9a-f]{64})$/;

export function createHttpRoutes(options: {
  blobs: BlobRoutes;
  models: ModelParts;
  transfers: Transfers;
  health: () => object;
  roster: () => object;
  isAllowedOrigin: (origin: string | undefined) => boolean;
  clock: Clock;
  log: Log;
}): HttpHandler {
  const { blobs, models, transfers, health, roster, isAllowedOrigin, clock, log } = options;

  const answer: HttpHandler = (request, response) => {
    handle(request, response).catch((error: unknown) => {
      const code = codeOf(error);
      const isGone = request.errored !== null || response.destroyed;
      if (isGone) log.debug({ err: error, url: request.url }, "the other side went away");
      else if (code === "INTERNAL") log.error({ err: error, url: request.url }, "request failed");
      else log.debug({ code, url: request.url }, "request refused");
      refuse({ request, response, code, clock });
    });
  };

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { origin } = request.headers;
    if (!isAllowedOrigin(origin)) throw new NgpuError("AUTH_FORBIDDEN", { origin });
    if (origin !== undefined) allowOrigin(response, origin);
    const path = pathOf(request);
    const blob = blobPath.exec(path);
    const model = modelPath.exec(path);
    switch (`${request.method} ${blob !== null ? "blob" : model !== null ? "model" : path}`) {
      case "OPTIONS blob":
      case "OPTIONS /v1/health":
      case "OPTIONS /v1/roster":
        response.writeHead(204).end();
        return;
      case "GET /v1/health":
        return sendJson(response, 200, health());
      case "GET /v1/roster":
        return sendJson(response, 200, roster());
      case "PUT blob":
        return transfers.run(() => putBlob(request, response, blob));
      case "GET blob":
        return transfers.run(() => getBlob(request, response, blob));
      case "HEAD blob":
        return transfers.run(() => headBlob(request, response, blob));
      case "GET model":
        return transfers.run(() => getPart(request, response, model));
      default:
        throw new NgpuError("ROUTE_UNKNOWN", { path });
    }
  }

  async function putBlob(request: IncomingMessage, response: ServerResponse, blob: BlobPath): Promise<void> {
    const declared = request.headers["content-length"];
    const result = await blobs.put({
      ...blobRequest(request, blob),
      bytes: declared === undefined ? undefined : Number(declared),
      // What is refused in the middle is still answered, so ending the iteration must not end the connection.
      body: request.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>,
    });
    request.resume();
    const answered = new Promise<void>((resolve) => {
      response.once("finish", resolve).once("close", resolve);
    });
    sendJson(response, result === "stored" ? 201 : 200, { result });
    await answered;
  }

  async function getBlob(request: IncomingMessage, response: ServerResponse, blob: BlobPath): Promise<void> {
    const found = await blobs.get(blobRequest(request, blob));
    // A file that is gone must be a refusal, so its headers wait until it is open.
    const stream = await found.stream();
    response.writeHead(200, {
      "content-type": "application/octet-stream",
      "content-length": found.bytes,
      "cache-control": "private, no-store",
    });
    await pipeline(stream, response);
  }

  async function headBlob(request: IncomingMessage, response: ServerResponse, blob: BlobPath): Promise<void> {
    const { bytes } = await blobs.head(blobRequest(request, blob));
    response.writeHead(200, { "content-length": bytes, "cache-control": "private, no-store" }).end();
  }

  async function getPart(request: IncomingMessage, response: ServerResponse, model: BlobPath): Promise<void> {
    const { taskId: modelId, hash: sha256, authorization } = blobRequest(request, model);
    const [, from = "0"] = rangeHeader.exec(request.headers.range ?? "") ?? [];
    const offset = Number(from);
    const { bytes, fileBytes } = await models.part({ modelId, sha256, offset, authorization });
    const end = offset + bytes.length - 1;
    const range = bytes.length === 0 ? `bytes */${fileBytes}` : `bytes ${offset}-${end}/${fileBytes}`;
    response.writeHead(206, {
      "content-type": "application/octet-stream",
      "content-length": bytes.length,
      "content-range": range,
      "cache-control": "private, no-store",
    });
    response.end(bytes);
  }

  return answer;
}

type BlobPath = RegExpExecArray | null;

/** The path alone; never throws, whatever was sent. */
export function pathOf(request: IncomingMessage): string {
  return (request.url ?? "/").split("?", 1)[0] ?? "/";
}

function blobRequest(
  request: IncomingMessage,
  match: BlobPath,
): { taskId: Hex; hash: Hex; authorization: string | undefined } {
  const [, taskId, hash] = match ?? [];
  return { taskId: taskId as Hex, hash: hash as Hex, authorization: request.headers.authorization };
}

function allowOrigin(response: ServerResponse, origin: string): void {
  response.setHeader("access-control-allow-origin", origin);
  response.setHeader("vary", "origin");
  response.setHeader("access-control-allow-methods", "GET, PUT, OPTIONS");
  response.setHeader("access-control-expose-headers", "retry-after");
  response.setHeader("access-control-allow-headers", "authorization, content-type");
  response.setHeader("access-control-max-age", "600");
}

function sendJson(response: ServerResponse, status: number, value: object): void {
  const text = JSON.stringify(value, (_key, item: unknown) => (typeof item === "bigint" ? String(item) : item));
  response.writeHead(status, { "content-type": "application/json", "cache-control": "no-store" }).end(text);
}

/**
 * Answers with the code and ends the connection, but not before its sender could see why: a server that closes while
 * data is still coming resets the connection, and the answer is lost with it. So the answer goes out whole, the body is
 * read and thrown away up to a bound, what is above it waits unread, and the connection ends when the sender does or
 * when its time is up.
 */
function refuse(refusal: {
  request: IncomingMessage;
  response: ServerResponse;
  code: ReturnType<typeof codeOf>;
  clock: Clock;
}): void {
  const { request, response, code, clock } = refusal;
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const { entry } = new NgpuError(code);
  const text = JSON.stringify({ code, message: entry.meaning });
  if (code === "GATEWAY_DRAINING") response.setHeader("retry-after", retryAfterS);
  response.writeHead(entry.status ?? 500, {
    connection: "close",
    "content-type": "application/json",
    "content-length": Buffer.byteLength(text),
    "cache-control": "no-store",
  });
  if (request.complete) return void response.end(text);
  response.write(text);
  const over = new AbortController();
  let discarded = 0;
  request.on("data", (chunk: Buffer) => {
    discarded += chunk.length;
    if (discarded > discard.mostBytes) request.pause();
  });
  request.once("end", () => over.abort()).once("close", () => over.abort());
  request.on("error", () => over.abort());
  request.resume();
  void clock.sleep(discard.withinMs, over.signal).then(() => response.end());
}
