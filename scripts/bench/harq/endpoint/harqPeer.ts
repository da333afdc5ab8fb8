/** A link of ours over UDP or over WebSockets: real congestion control, every datagram sealed, as in the product. */
import { createProtection, type Protection } from "@ngpu/protocol/harq/connection/protection";
import { createHarqLink, type HarqLink } from "@ngpu/protocol/harq/link/harqLink";
import { keepStreams, type JoiningSocket } from "@ngpu/protocol/harq/link/keepStreams";
import { createSocketInbox } from "@ngpu/protocol/harq/link/socketInbox";
import { createWebSocketPath, webSocketOptions } from "@ngpu/protocol/harq/link/webSocketPath";
import { decodeHeader } from "@ngpu/protocol/harq/wire/datagramHeader";
import { createChachaSealer } from "@ngpu/protocol/service/harq/chachaSealer";
import { nodeLinkClock } from "@ngpu/protocol/service/harq/nodeLinkClock";
import { nodeLinkPorts } from "@ngpu/protocol/service/harq/nodeLinkPorts";
import { openUdpSocket } from "@ngpu/protocol/service/harq/udpSocket";
import { WebSocketServer, type WebSocket } from "ws";
import type { Arrivals } from "./arrivals.ts";
import type { DirectionSecret, EndpointCalls, LinkSecrets } from "./endpointCalls.ts";
import { defaultWithinMs, within } from "./within.ts";
import { payloadOf, sendEvery, sha256Of, stamp } from "./payload.ts";
import { dialWebSocket, openWebSocket } from "./webSocketPeer.ts";

type Calls = Pick<
  EndpointCalls,
  | "harqListen"
  | "harqOpen"
  | "harqListenStripes"
  | "harqOpenStripes"
  | "harqSend"
  | "harqSendEvery"
  | "harqStream"
  | "harqMetrics"
  | "harqClose"
>;

const path = 1;
const stripesPort = 9_006;
const joinsPath = "/joins";
const openWithinMs = 10_000;
/** A link that is just being opened waits for UDP. */
const settleMs = 600;
const streamedBytes = 256 * 1024 * 1024;

export function createHarqPeer(arrivals: Arrivals): Calls {
  let open: HarqLink | undefined;
  const link = (): HarqLink => {
    if (open === undefined) throw new Error("no link is open");
    return open;
  };
  const receiver = ({ toFar, toNear }: LinkSecrets): HarqLink => {
    open = createHarqLink({ ...nodeLinkPorts(), protection: protection({ send: toNear, receive: toFar }) });
    open.onPiece((piece) => {
      if (piece.type === "piece") arrivals.piece(piece.bytes.length);
    });
    open.onMessage(({ bytes }) => {
      if (bytes !== undefined) arrivals.message(bytes);
    });
    return open;
  };
  return {
    async harqListen({ host, port, secrets }) {
      const { toFar } = secrets;
      const socket = await openUdpSocket({ host, port });
      receiver(secrets).acceptPath({ id: path, path: socket.createPath({ connectionId: toFar.connectionId }) });
    },
    async harqOpen({ host, port, secrets: { toFar, toNear }, rttUs, withinMs }) {
      const socket = await openUdpSocket({ host: "0.0.0.0" });
      const validated = Promise.withResolvers<void>();
      open = createHarqLink({
        ...nodeLinkPorts(),
        protection: protection({ send: toFar, receive: toNear }),
        onEvent: ({ type }) => type === "pathValidated" && validated.resolve(),
      });
      const remote = { address: host, port };
      open.openPath({ id: path, path: socket.createPath({ connectionId: toNear.connectionId, remote }), rttUs });
      await within(validated.promise, { what: `the path to ${host}:${port} is validated`, withinMs });
    },
    async harqListenStripes({ host, secrets }) {
      const far = receiver(secrets);
      const server = new WebSocketServer({ host, port: stripesPort, ...webSocketOptions });
      server.on("connection", (socket, { url }) => {
        if (url === joinsPath) return void join(far, socket);
        far.openPath({ id: Number(url?.slice(1)), path: createWebSocketPath(socket) });
      });
      await new Promise((resolve) => server.once("listening", resolve));
    },
    async harqOpenStripes({ host, secrets: { toFar, toNear }, rttUs, congestion, count, withinMs }) {
      const near = createHarqLink({ ...nodeLinkPorts(), protection: protection({ send: toFar, receive: toNear }) });
      const ids = Array.from({ length: count ?? 1 }, (_, id) => id);
      const sockets = await Promise.all(ids.map((id) => openWebSocket({ host, congestion, withinMs }, stripesPort, `${id}`)));
      sockets.forEach((socket, id) => near.openPath({ id, path: createWebSocketPath(socket), rttUs }));
      const isHeard = (): boolean => near.metrics().paths.every(({ receivedBytes }) => receivedBytes > 0);
      const untilMs = performance.now() + (withinMs ?? defaultWithinMs);
      while (!isHeard()) {
        if (performance.now() > untilMs) throw new Error(`not every WebSocket to ${host} was heard in time`);
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      const dial = (): JoiningSocket => dialWebSocket({ host, congestion }, stripesPort, joinsPath.slice(1)) as never;
      if (count === undefined) {
        keepStreams({ link: near, clock: nodeLinkClock, rttUs, first: sockets[0] as never, dial });
        await new Promise((resolve) => setTimeout(resolve, settleMs));
      }
      open = near;
    },
    harqSend({ bytes }) {
      const payload = payloadOf(bytes);
      const startUs = stamp(payload);
      void link().send(payload, { priority: "bulk" });
      return { startUs, sha256: sha256Of(payload) };
    },
    harqSendEvery: (given) => sendEvery(given, (payload) => void link().send(payload, { priority: "interactive" })),
    harqStream() {
      const chunk = payloadOf(1_048_576);
      const source = {
        length: streamedBytes,
        read: (_offset: number, length: number) => (length <= chunk.length ? chunk.subarray(0, length) : new Uint8Array(length)),
      };
      const next = (): void => void link().send(source).then((outcome) => outcome === "good" && next());
      next();
    },
    harqMetrics: () => link().metrics(),
    harqClose: () => link().close(),
  };
}

/** As a gateway does. */
async function join(link: HarqLink, socket: WebSocket): Promise<void> {
  const inbox = createSocketInbox(socket);
  const first = await inbox.next(AbortSignal.timeout(openWithinMs));
  link.joinPath({ id: decodeHeader(first).path, path: createWebSocketPath(inbox.socket), first });
  inbox.handOver();
}

function protection({ send, receive }: { send: DirectionSecret; receive: DirectionSecret }): Protection {
  const keys = ({ connectionId, key, salt }: DirectionSecret) => ({ connectionId, salt, sealer: createChachaSealer(key) });
  return createProtection({ send: keys(send), receive: keys(receive) });
}
