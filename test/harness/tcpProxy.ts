/** A TCP proxy as the internet is one: it can cut what goes through it, and lead to somebody else. */
import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";

export interface TcpProxy {
  readonly port: number;
  /** Of both directions, since it was opened. */
  bytes(): { readonly there: number; readonly back: number };
  /** Connections that were made through it. */
  connections(): number;
  /** Ends every connection without a word. */
  cut(): void;
  /** What connects from now on is led there. */
  lead(port: number): void;
  close(): Promise<void>;
}

/** On loopback, to a port of loopback. */
export async function openTcpProxy(port: number): Promise<TcpProxy> {
  const host = "127.0.0.1";
  const sockets = new Set<Socket>();
  const bytes = { there: 0, back: 0 };
  let target = port;
  let connections = 0;
  const server = createServer((near) => {
    connections += 1;
    const far = connect({ host, port: target });
    const pass = (from: Socket, to: Socket, direction: keyof typeof bytes): void => {
      sockets.add(from);
      from.on("data", (chunk) => {
        bytes[direction] += chunk.length;
        if (!to.write(chunk)) from.pause();
      });
      to.on("drain", () => from.resume());
      from.on("error", () => from.destroy());
      from.on("close", () => {
        sockets.delete(from);
        to.destroy();
      });
    };
    pass(near, far, "there");
    pass(far, near, "back");
  });
  server.listen(0, host);
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    bytes: () => ({ ...bytes }),
    connections: () => connections,
    cut() {
      for (const socket of sockets) socket.destroy();
    },
    lead(port) {
      target = port;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
