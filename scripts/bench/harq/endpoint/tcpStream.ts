/** A plain stream of TCP that always has something to send: whom a path is shared with, and what one is compared with. */
import { connect, createServer, type Socket } from "node:net";
import type { Arrivals } from "./arrivals.ts";
import { setCongestionControl } from "./congestionControl.ts";
import type { EndpointCalls } from "./endpointCalls.ts";
import { within } from "./within.ts";
import { payloadOf } from "./payload.ts";

const port = 9_003;
const chunkBytes = 262_144;

export function createTcpStream(arrivals: Arrivals): Pick<EndpointCalls, "streamListen" | "streamOpen" | "streamStop"> {
  let open: Socket | undefined;
  return {
    async streamListen({ host }) {
      const server = createServer((socket) => {
        socket.on("data", (bytes) => arrivals.piece(bytes.length));
        socket.on("error", () => socket.destroy());
      });
      await new Promise<void>((resolve) => server.listen(port, host, resolve));
    },
    async streamOpen({ host, congestion, withinMs }) {
      const socket = connect({ host, port });
      const opened = new Promise((resolve, reject) => {
        socket.once("connect", resolve);
        socket.once("error", reject);
      });
      await within(opened, { what: `a stream to ${host}:${port} is open`, withinMs });
      setCongestionControl(socket, congestion);
      const chunk = payloadOf(chunkBytes);
      const fill = (): void => {
        while (socket.write(chunk));
      };
      socket.on("drain", fill);
      socket.on("error", () => socket.destroy());
      fill();
      open = socket;
    },
    streamStop() {
      open?.destroy();
      open = undefined;
    },
  };
}
