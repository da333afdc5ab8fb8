/**
 * Opens a link to a gateway from Node: the gateway's transport key over HTTP, a handshake in a WebSocket, and from then
 * on whole messages over that WebSocket and, once an answer came back over it, over UDP.
 */
import { hexToBytes, isHex, size, type Hex } from "viem";
import type { OpenMessageLink } from "../../src/blobExchange/codedBlobs.ts";
import { NgpuError } from "../../src/errors.ts";
import { codedPath, codedSubprotocol, handshakeWithinMs, linkCapabilities, linkPathIds } from "../../src/harq/codedLink.ts";
import { createProtection } from "../../src/harq/connection/protection.ts";
import { randomConnectionId } from "../../src/harq/randomConnectionId.ts";
import { createInitiator, type HandshakeResult } from "../../src/harq/security/handshake.ts";
import { keyBytes } from "../../src/harq/security/noisePrimitives.ts";
import type { SigningContext } from "../../src/signed.ts";
import type { Clock } from "../clock.ts";
import { createHarqLink, type HarqLink } from "./harqLink.ts";
import { messageSender } from "./messageSender.ts";
import { nodeLinkPorts } from "./nodeLinkPorts.ts";
import { nodePrimitives } from "./nodePrimitives.ts";
import { createSocketInbox } from "./socketInbox.ts";
import { openUdpSocket, type UdpSocket } from "./udpSocket.ts";
import { createWebSocketPath } from "./webSocketPath.ts";

const lookEveryMs = 1_000;
const mostSilentMs = 6_000;

export interface DialOptions {
  context: SigningContext;
  clock: Clock;
  random: (length: number) => Uint8Array;
  /** False where only the WebSocket is to be used. */
  usesUdp?: boolean;
}

/** The dialer rejects with GATEWAY_UNREACHABLE, or with the code of a handshake that failed. */
export function createGatewayDialer(options: DialOptions): OpenMessageLink {
  const { context, clock, random, usesUdp = true } = options;

  return async (gatewayUrl, events) => {
    const late = AbortSignal.timeout(handshakeWithinMs);
    const responderPublicKey = hexToBytes(await transportKeyOf(gatewayUrl, late));
    const webSocket = new WebSocket(`${gatewayUrl.replace(/^http/, "ws")}${codedPath}`, codedSubprotocol);
    const inbox = createSocketInbox(webSocket);
    let udp: UdpSocket | undefined;
    try {
      await inbox.opened(late);
      const startedMs = clock.monotonicMs();
      const connectionId = randomConnectionId(random);
      const initiator = createInitiator({
        ...{ primitives: nodePrimitives, staticKey: nodePrimitives.generate(), context, connectionId },
        ...{ capabilities: linkCapabilities, responderPublicKey, nowS: Math.floor(clock.nowMs() / 1_000) },
      });
      inbox.socket.send(initiator.hello as Uint8Array<ArrayBuffer>);
      const reply = await inbox.next(late);
      const rttUs = (clock.monotonicMs() - startedMs) * 1_000;
      const result = await initiator.finish(reply);
      const udpPath = usesUdp ? await openUdpPath(result, connectionId) : undefined;
      udp = udpPath?.socket;
      const link = createHarqLink({ ...nodeLinkPorts(), protection: createProtection(result) });
      link.onMessage(({ bytes }) => {
        if (bytes !== undefined) events.onMessage(bytes);
      });
      link.openPath({ id: linkPathIds.stream, path: createWebSocketPath(inbox.socket), rttUs });
      inbox.handOver();
      if (udpPath !== undefined) link.openPath({ id: linkPathIds.udp, path: udpPath.path, rttUs });
      webSocket.addEventListener("close", () => void link.close());
      const watching = new AbortController();
      void closeWhenSilent({ link, clock, signal: watching.signal });
      void link.closed.then(async () => {
        watching.abort();
        events.onClosed();
        webSocket.close();
        await udp?.close();
      });
      return { send: messageSender(link), close: () => void link.close() };
    } catch (cause) {
      webSocket.close();
      await udp?.close();
      throw cause instanceof NgpuError ? cause : new NgpuError("GATEWAY_UNREACHABLE", { gatewayUrl }, { cause });
    }
  };
}

/**
 * A gateway that is gone without a word confirms nothing: its link is ended, so that whoever waits hears of it and asks
 * again. A link that rests has nothing to confirm, and stays.
 */
async function closeWhenSilent(watch: { link: HarqLink; clock: Clock; signal: AbortSignal }): Promise<void> {
  const { link, clock, signal } = watch;
  let silentMs = 0;
  let heard = 0;
  while (!signal.aborted) {
    await clock.sleep(lookEveryMs, signal);
    const { receivedBytes, queuedBytes, paths } = link.metrics();
    const isWaiting = queuedBytes > 0 || paths.some(({ inFlightBytes }) => inFlightBytes > 0);
    silentMs = isWaiting && receivedBytes === heard ? silentMs + lookEveryMs : 0;
    heard = receivedBytes;
    if (silentMs >= mostSilentMs) return void link.close();
  }
}

async function transportKeyOf(gatewayUrl: string, signal: AbortSignal): Promise<Hex> {
  const response = await fetch(`${gatewayUrl}/v1/health`, { signal });
  const health: unknown = await response.json();
  const key = typeof health === "object" && health !== null && "transportKey" in health ? health.transportKey : undefined;
  if (!isHex(key) || size(key) !== keyBytes) throw new NgpuError("GATEWAY_UNREACHABLE", { gatewayUrl, missing: "transport key" });
  return key;
}

/** Undefined where the gateway names no address, or none of this machine's sockets reaches such. */
async function openUdpPath({ peer, receive }: HandshakeResult, connectionId: bigint) {
  const [candidate] = peer.candidates;
  if (candidate === undefined || receive.connectionId !== connectionId) return undefined;
  try {
    const host = candidate.address.includes(":") ? "::" : "0.0.0.0";
    const socket = await openUdpSocket({ host });
    return { socket, path: socket.createPath({ connectionId, remote: candidate }) };
  } catch {
    return undefined;
  }
}
