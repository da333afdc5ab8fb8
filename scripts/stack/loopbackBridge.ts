/**
 * Passes connections on from one end to another, each a port on loopback or a socket file: the way in and out of a
 * namespace.
 */
import { createConnection, createServer, type Socket } from "node:net";
import { NgpuError } from "@ngpu/protocol/errors";

export type BridgeEnd = { readonly port: number } | { readonly socketFile: string };

export interface BridgeEnds {
  readonly from: BridgeEnd;
  readonly to: BridgeEnd;
}

export interface Bridge {
  close(): Promise<void>;
}

export async function openBridge({ from, to }: BridgeEnds): Promise<Bridge> {
  const open = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (near) => {
    const far = createConnection({ ...addressOf(to), allowHalfOpen: true });
    for (const [socket, other] of [[near, far], [far, near]] as const) {
      open.add(socket);
      socket.setNoDelay(true);
      socket.on("error", () => other.destroy());
      socket.on("close", () => {
        open.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause) => {
      reject("port" in from ? new NgpuError("PORT_TAKEN", { port: from.port }, { cause }) : cause);
    });
    server.listen(addressOf(from), resolve);
  });
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of open) socket.destroy();
      }),
  };
}

function addressOf(end: BridgeEnd): { host: string; port: number } | { path: string } {
  return "port" in end ? { host: "127.0.0.1", port: end.port } : { path: end.socketFile };
}
