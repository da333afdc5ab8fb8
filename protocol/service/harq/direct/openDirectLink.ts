/**
 * A direct link after its handshake, the same at both ends: path 0 is the relay at the gateway, path 1 a hole through
 * both routers, looked for during ten seconds.
 */
import { hexToBytes, type Hex } from "viem";
import { createProtection } from "../../../src/harq/connection/protection.ts";
import type { DirectLink } from "../../../src/harq/direct/directLink.ts";
import { directPathIds, relayPath, relaySubprotocol } from "../../../src/harq/direct/relay.ts";
import type { Target } from "../../../src/harq/direct/targets.ts";
import type { MessageHandler } from "../../../src/harq/link/deliveries.ts";
import { createHarqLink } from "../../../src/harq/link/harqLink.ts";
import type { LinkPorts } from "../../../src/harq/link/linkPorts.ts";
import { messageSender } from "../../../src/harq/link/messageSender.ts";
import { createWebSocketPath } from "../../../src/harq/link/webSocketPath.ts";
import type { HandshakeResult } from "../../../src/harq/security/handshake.ts";
import type { UdpSocket } from "../udpSocket.ts";
import { createPunchedPath } from "./punchedPath.ts";

export interface DirectLinkOptions {
  readonly gatewayUrl: string;
  /** This side's, for the relay. */
  readonly ticket: Hex;
  readonly result: HandshakeResult;
  /** What the peer puts into its datagrams. */
  readonly connectionId: bigint;
  /** How a hole is made; over the relay alone where it is not given. */
  readonly udp?: { readonly socket: UdpSocket; readonly targets: readonly Target[]; readonly delayMs: number };
  readonly rttMs: number;
  readonly ports: LinkPorts;
  readonly onMessage: MessageHandler;
}

const holeWithinUs = 10_000_000;

/** Both paths begin at once; whatever happens to the link is told by `closed`. */
export function openDirectLink(options: DirectLinkOptions): DirectLink {
  const { gatewayUrl, ticket, result, connectionId, udp, ports } = options;
  const rttUs = Math.max(1, options.rttMs * 1_000);
  const opened = Promise.withResolvers<boolean>();
  const link = createHarqLink({
    ...ports,
    protection: createProtection(result),
    onEvent(event) {
      if (event.type === "pathValidated" && event.path === directPathIds.udp) opened.resolve(true);
    },
  });
  const hole = () => link.metrics().paths.find(({ id }) => id === directPathIds.udp);
  link.onMessage(options.onMessage);

  const socket = new WebSocket(`${gatewayUrl.replace(/^http/, "ws")}${relayPath}`, relaySubprotocol);
  // Before the path's own listener: the ticket is the first message.
  socket.addEventListener("open", () => socket.send(hexToBytes(ticket) as Uint8Array<ArrayBuffer>));
  socket.addEventListener("close", () => void link.close());
  link.openPath({ id: directPathIds.relay, path: createWebSocketPath(socket), rttUs });

  const stopLooking = ports.clock.after(holeWithinUs, () => {
    if (hole()?.isValidated === true) return;
    link.closePath(directPathIds.udp);
    opened.resolve(false);
  });
  if (udp === undefined || udp.targets.length === 0) {
    stopLooking();
    opened.resolve(false);
  } else {
    const path = createPunchedPath({
      inner: udp.socket.createPath({ connectionId }),
      send: (bytes, to) => udp.socket.send(bytes, to),
      targets: udp.targets,
      delayUs: udp.delayMs * 1_000,
      heardBytes: () => hole()?.receivedBytes ?? 0,
      clock: ports.clock,
    });
    link.openPath({ id: directPathIds.udp, path, rttUs });
  }
  const closed = link.closed.then(() => {
    stopLooking();
    opened.resolve(false);
    socket.close();
  });

  return {
    send: messageSender(link),
    isOpen() {
      const path = hole();
      return path !== undefined && path.isValidated && !path.isSuspect;
    },
    opened: opened.promise,
    heldBytes: () => link.metrics().heldBytes,
    closed,
    close: () => void link.close(),
  };
}
