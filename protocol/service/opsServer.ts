/**
 * What an operator's tools ask a service, on a port of its own and on loopback unless told otherwise:
 *
 *   GET /health     200 as long as the process answers
 *   GET /ready      200 when it can do its work, 503 with the reasons when it cannot
 *   GET /metrics    Prometheus' text format
 */
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { NgpuError } from "../src/errors.ts";
import type { Telemetry } from "./telemetry.ts";

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
}): Promise<OpsServer> {
  const { host, port, telemetry, notReady } = options;
  const server = createServer((request, response) => {
    request.resume();
    answer(request.method === "GET" ? request.url : undefined, response).catch(() => response.destroy());
  });

  async function answer(path: string | undefined, response: ServerResponse): Promise<void> {
    if (path === "/health") return sendJson(response, 200, { ok: true });
    if (path === "/ready") {
      const reasons = notReady();
      return sendJson(response, reasons.length === 0 ? 200 : 503, { ok: reasons.length === 0, reasons });
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
