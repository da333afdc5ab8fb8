/** A link of ours over UDP: real congestion control, every datagram sealed, as in the product. */
import { createProtection, type Protection } from "@ngpu/protocol/harq/connection/protection";
import { createHarqLink, type HarqLink } from "@ngpu/protocol/harq/link/harqLink";
import { createChachaSealer } from "@ngpu/protocol/service/harq/chachaSealer";
import { nodeLinkPorts } from "@ngpu/protocol/service/harq/nodeLinkPorts";
import { openUdpSocket } from "@ngpu/protocol/service/harq/udpSocket";
import type { Arrivals } from "./arrivals.ts";
import type { DirectionSecret, EndpointCalls } from "./endpointCalls.ts";
import { within } from "./within.ts";
import { payloadOf, sendEvery, sha256Of, stamp } from "./payload.ts";

type Calls = Pick<
  EndpointCalls,
  "harqListen" | "harqOpen" | "harqSend" | "harqSendEvery" | "harqStream" | "harqMetrics" | "harqClose"
>;

const path = 1;
const streamedBytes = 256 * 1024 * 1024;

export function createHarqPeer(arrivals: Arrivals): Calls {
  let open: HarqLink | undefined;
  const link = (): HarqLink => {
    if (open === undefined) throw new Error("no link is open");
    return open;
  };
  return {
    async harqListen({ host, port, secrets: { toFar, toNear } }) {
      const socket = await openUdpSocket({ host, port });
      open = createHarqLink({ ...nodeLinkPorts(), protection: protection({ send: toNear, receive: toFar }) });
      open.onPiece((piece) => {
        if (piece.type === "piece") arrivals.piece(piece.bytes.length);
      });
      open.onMessage(({ bytes }) => {
        if (bytes !== undefined) arrivals.message(bytes);
      });
      open.acceptPath({ id: path, path: socket.createPath({ connectionId: toFar.connectionId }) });
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

function protection({ send, receive }: { send: DirectionSecret; receive: DirectionSecret }): Protection {
  const keys = ({ connectionId, key, salt }: DirectionSecret) => ({ connectionId, salt, sealer: createChachaSealer(key) });
  return createProtection({ send: keys(send), receive: keys(receive) });
}
