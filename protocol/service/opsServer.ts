/**
 * What an operator's tools ask a service, on a port of its own and on loopback unless told otherwise:
 *
 *   GET /health     200 as long as the process answers
 *   GET /ready      200 when it can do its work, 503 with the reasons when it cannot; notices do not change that
 *   GET /metrics    Prometheus' text format
 *
 * A service that was asked to stop and ends what it has begun says `"draining": true` in the first two, which tells it
 * from one that is broken.
 */
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { NgpuError } from "../src/errors.ts";
import type { Telemetry } from "./telemetry.ts";

const drainingReason = "it is stopping: it ends what it has begun and takes nothing new";

export interface OpsServer {
  url: string;
  close(): Promise<void>;
}

export async function startOpsServer(options: {
  host: string;
  port: number;
  telemetry: Telemetry;
  /** Why the service cannot do its work now; empty when it can. */
  notReady: () => string[];
  /** What its operator should know although it can; default: nothing. */
  notices?: () => string[];
  /** True once it was asked to stop; default: never. */
  isDraining?: () => boolean;
}): Promise<OpsServer> {
  const { host, port, telemetry, notReady, notices = () => [], isDraining = () => false } = options;
  const server = createServer((request, response) => {
    request.resume();
    answer(request.method === "GET" ? request.url : undefined, response).catch(() => response.destroy());
  });

  async function answer(path: string | undefined, response: ServerResponse): Promise<void> {
    const draining = isDraining() ? { draining: true } : {};
    if (path === "/health") return sendJson(response, 200, { ok: true, ...draining });
    if (path === "/ready") {
      const reasons = [...(isDraining() ? [drainingReason] : []), ...notReady()];
      const ok = reasons.length === 0;
      const noted = notices().length === 0 ? {} : { notices: notices() };
      return sendJson(response, ok ? 200 : 503, { ok, reasons, ...noted, ...draining });
    }
    if (path !== "/metrics") return sendJson(response, 404, { code: "ROUTE_UNKNOWN" });
    response.writeHead(200, { "content-type": telemetry.contentType });
    response.end(await telemetry.text());
  }

  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause: NodeJS.ErrnoException) =>
      reject(cause.code === "EADDRINUSE" ? new NgpuError("PORT_TAKEN", { port }, { cause }) : cause),
    );
    server.listen({ host, port }, resolve);
  });
  const { port: bound } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${bound}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}
