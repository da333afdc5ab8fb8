/** Pairs of connected WebSockets on loopback. */
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { WebSocket, WebSocketServer } from "ws";
import { webSocketOptions } from "@ngpu/protocol/harq/link/webSocketPath";

export interface SocketPair {
  readonly near: WebSocket;
  readonly far: WebSocket;
}

export interface SocketPairs {
  connect(): Promise<SocketPair>;
  /** One that is still connecting; whoever accepts gets its other end. */
  dial(): WebSocket;
  accept(take: (far: WebSocket) => void): void;
  close(): void;
}

export async function createSocketPairs(
  options: { readonly perMessageDeflate: boolean } = webSocketOptions,
): Promise<SocketPairs> {
  const server = new WebSocketServer({ host: "127.0.0.1", port: 0, ...options });
  await once(server, "listening");
  const url = (): string => `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const connectOne = async (): Promise<SocketPair> => {
    const near = new WebSocket(url(), options);
    const [[far]] = (await Promise.all([once(server, "connection"), once(near, "open")])) as [[WebSocket], unknown];
    return { near, far };
  };
  let last: Promise<unknown> = Promise.resolve();
  return {
    connect() {
      // One after the other, so that both ends are of the same socket.
      const next = last.then(connectOne);
      last = next.then(() => undefined);
      return next;
    },
    dial: () => new WebSocket(url(), options),
    accept: (take) => void server.on("connection", take),
    close() {
      for (const client of server.clients) client.terminate();
      server.close();
    },
  };
}
