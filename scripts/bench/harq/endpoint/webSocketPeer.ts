/** The peer that HARQ is compared with: whole messages over one WebSocket of `ws`, under a stated congestion control. */
import { connect, type Socket } from "node:net";
import { WebSocket, WebSocketServer } from "ws";
import type { Arrivals } from "./arrivals.ts";
import { setCongestionControl } from "./congestionControl.ts";
import type { Congestion, EndpointCalls, TcpTarget } from "./endpointCalls.ts";
import { within } from "./within.ts";
import { payloadOf, sendEvery, sha256Of, stamp } from "./payload.ts";

const port = 9_002;

type Calls = Pick<
  EndpointCalls,
  "webSocketListen" | "webSocketOpen" | "webSocketSend" | "webSocketSendEvery" | "webSocketClose"
>;

export function createWebSocketPeer(arrivals: Arrivals): Calls {
  let open: WebSocket | undefined;
  return {
    async webSocketListen({ host }) {
      const server = new WebSocketServer({ host, port, perMessageDeflate: false, maxPayload: 2 ** 30 });
      server.on("connection", (socket, request) => {
        request.socket.setNoDelay(true);
        socket.on("message", (bytes: Buffer) => arrivals.message(bytes));
        socket.on("error", () => socket.terminate());
      });
      await new Promise((resolve) => server.once("listening", resolve));
    },
    async webSocketOpen(target) {
      open = await openWebSocket(target, port);
    },
    webSocketSend({ bytes }) {
      const payload = payloadOf(bytes);
      const startUs = stamp(payload);
      open?.send(payload);
      return { startUs, sha256: sha256Of(payload) };
    },
    webSocketSendEvery: (given) => sendEvery(given, (payload) => open?.send(payload)),
    webSocketClose() {
      open?.terminate();
      open = undefined;
    },
  };
}

/** A connection under `congestion` from its first byte, being opened. */
export function dialWebSocket({ host, congestion }: Omit<TcpTarget, "withinMs">, port: number, path = ""): WebSocket {
  return new WebSocket(`ws://${host}:${port}/${path}`, {
    perMessageDeflate: false,
    createConnection: () => connectTcp({ host, port, congestion }),
  });
}

/** The same; resolves once it is open. */
export async function openWebSocket(target: TcpTarget, port: number, path = ""): Promise<WebSocket> {
  const { host, withinMs } = target;
  const socket = dialWebSocket(target, port, path);
  const opened = new Promise<void>((resolve, reject) => {
    socket.once("open", resolve);
    socket.once("error", reject);
  });
  await within(opened, { what: `a WebSocket to ${host}:${port} is open`, withinMs });
  return socket;
}

function connectTcp({ host, port, congestion }: { host: string; port: number; congestion: Congestion }): Socket {
  const socket = connect({ host, port, noDelay: true });
  socket.once("connect", () => setCongestionControl(socket, congestion));
  return socket;
}
