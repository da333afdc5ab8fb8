/**
 * Opens a link to a gateway from Node: the gateway's transport key over HTTP, a handshake in a WebSocket, and from then
 * on whole messages over that WebSocket and, once an answer came back over it, over UDP.
 */
import { hexToBytes, isHex, size, type Hex } from "viem";
import type { MessageLink, OpenMessageLink } from "../../src/blobExchange/codedBlobs.ts";
import { NgpuError } from "../../src/errors.ts";
import { codedPath, codedSubprotocol, linkCapabilities } from "../../src/harq/codedLink.ts";
import { createProtection } from "../../src/harq/connection/protection.ts";
import { createInitiator } from "../../src/harq/security/handshake.ts";
import type { Candidate } from "../../src/harq/security/handshakePayload.ts";
import type { SigningContext } from "../../src/signed.ts";
import type { Clock } from "../clock.ts";
import { createHarqLink, type HarqLink } from "./harqLink.ts";
import { messageSender } from "./messageSender.ts";
import { nodeLinkPorts } from "./nodeLinkPorts.ts";
import { nodePrimitives } from "./nodePrimitives.ts";
import { openUdpSocket, type UdpSocket } from "./udpSocket.ts";
import { createWebSocketPath } from "./webSocketPath.ts";

const openWithinMs = 10_000;
const streamPath = 0;
const udpPath = 1;

export function createGatewayDialer(options: {
  context: SigningContext;
  clock: Clock;
  random: (length: number) => Uint8Array;
  /** False where only the WebSocket is to be used. */
  usesUdp?: boolean;
}): OpenMessageLink {
  const { context, clock, random, usesUdp = true } = options;

  return async (gatewayUrl, events) => {
    const late = AbortSignal.timeout(openWithinMs);
    const responderPublicKey = hexToBytes(await transportKeyOf(gatewayUrl, late));
    const socket = new WebSocket(`${gatewayUrl.replace(/^http/, "ws")}${codedPath}`, codedSubprotocol);
    socket.binaryType = "arraybuffer";
    const inbox = bufferMessages(socket);
    try {
      await opened(socket, late);
      const connectionId = new DataView(random(8).slice().buffer).getBigUint64(0) | 1n;
      const startedMs = clock.monotonicMs();
      const initiator = createInitiator({
        ...{ primitives: nodePrimitives, staticKey: nodePrimitives.generate(), context, connectionId },
        ...{ capabilities: linkCapabilities, responderPublicKey, nowS: Math.floor(clock.nowMs() / 1_000) },
      });
      socket.send(initiator.hello as Uint8Array<ArrayBuffer>);
      const reply = await inbox.next(late);
      const rttUs = (clock.monotonicMs() - startedMs) * 1_000;
      const result = await initiator.finish(reply);
      const link = createHarqLink({ ...nodeLinkPorts(), protection: createProtection(result) });
      link.onMessage(({ bytes }) => {
        if (bytes !== undefined) events.onMessage(bytes);
      });
      const path = createWebSocketPath(socket);
      link.openPath({ id: streamPath, path, rttUs });
      inbox.handOver();
      const candidate = usesUdp ? result.peer.candidates[0] : undefined;
      const udp = candidate === undefined ? undefined : await raceUdp(link, { candidate, connectionId, rttUs });
      void link.closed.then(async () => {
        events.onClosed();
        socket.close();
        await udp?.close();
      });
      return asMessageLink(link);
    } catch (cause) {
      socket.close();
      throw cause instanceof NgpuError ? cause : new NgpuError("GATEWAY_UNREACHABLE", { gatewayUrl }, { cause });
    }
  };
}
