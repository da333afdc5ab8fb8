/**
 * Opens a link to a gateway: the gateway's transport key over HTTP, a handshake in a WebSocket, and from then on whole
 * messages over that WebSocket and, where the platform has it and an answer came back over it, over UDP. Further
 * WebSockets join where one fails or several help; the link outlives each of them.
 */
import { hexToBytes, isHex, size, type Hex } from "viem";
import type { OpenMessageLink } from "../../blobExchange/codedBlobs.ts";
import { NgpuError } from "../../errors.ts";
import type { SigningContext } from "../../signed.ts";
import {
  codedPath,
  codedSubprotocol,
  handshakeWithinMs,
  joinSubprotocol,
  linkCapabilities,
  linkPathIds,
} from "../codedLink.ts";
import { agree } from "../connection/agreedLimits.ts";
import { createProtection } from "../connection/protection.ts";
import { randomConnectionId } from "../randomConnectionId.ts";
import { createInitiator } from "../security/handshake.ts";
import type { Candidate } from "../security/handshakePayload.ts";
import { keyBytes, type NoisePrimitives } from "../security/noisePrimitives.ts";
import { createHarqLink } from "./harqLink.ts";
import { keepStreams } from "./keepStreams.ts";
import type { LinkPath } from "./linkPath.ts";
import type { LinkPorts } from "./linkPorts.ts";
import { messageSender } from "./messageSender.ts";
import { createSocketInbox } from "./socketInbox.ts";
import { createWebSocketPath } from "./webSocketPath.ts";

export interface DialOptions {
  readonly context: SigningContext;
  readonly primitives: NoisePrimitives;
  readonly ports: () => LinkPorts;
  /** A path to where the gateway listens; undefined where the platform has none or that address is out of reach. */
  readonly openUdp?: (to: { candidate: Candidate; connectionId: bigint }) => Promise<DialedPath | undefined>;
  readonly nowMs: () => number;
}

export interface DialedPath {
  readonly path: LinkPath;
  /** Lets go of its socket. */
  close(): Promise<void>;
}

/** The dialer rejects with GATEWAY_UNREACHABLE, or with the code of a handshake that failed. */
export function createGatewayDialer(options: DialOptions): OpenMessageLink {
  const { context, primitives, openUdp, nowMs } = options;

  return async (gatewayUrl, events) => {
    const late = AbortSignal.timeout(handshakeWithinMs);
    const responderPublicKey = hexToBytes(await transportKeyOf(gatewayUrl, late));
    const url = `${gatewayUrl.replace(/^http/, "ws")}${codedPath}`;
    const webSocket = new WebSocket(url, codedSubprotocol);
    const inbox = createSocketInbox(webSocket);
    let udp: DialedPath | undefined;
    try {
      const ports = options.ports();
      await inbox.opened(late);
      const startedUs = ports.clock.nowUs();
      const connectionId = randomConnectionId(ports.randomBytes);
      const initiator = createInitiator({
        ...{ primitives, staticKey: primitives.generate(), context, connectionId, responderPublicKey },
        ...{ capabilities: linkCapabilities, nowS: Math.floor(nowMs() / 1_000) },
      });
      inbox.socket.send(initiator.hello as Uint8Array<ArrayBuffer>);
      const reply = await inbox.next(late);
      const rttUs = ports.clock.nowUs() - startedUs;
      const result = await initiator.finish(reply);
      const [candidate] = result.peer.candidates;
      udp = candidate === undefined ? undefined : await openUdp?.({ candidate, connectionId });
      const agreed = agree(linkCapabilities, result.peer.capabilities);
      const link = createHarqLink({ ...ports, protection: createProtection(result), agreed });
      link.onMessage(({ bytes }) => {
        if (bytes !== undefined) events.onMessage(bytes);
      });
      link.openPath({ id: linkPathIds.stream, path: createWebSocketPath(inbox.socket), rttUs });
      inbox.handOver();
      const token = candidate?.token;
      if (udp !== undefined) link.openPath({ id: linkPathIds.udp, path: udp.path, rttUs, ...(token && { token }) });
      const dial = (): WebSocket => new WebSocket(url, joinSubprotocol);
      keepStreams({ link, clock: ports.clock, rttUs, first: webSocket, dial });
      void link.closed.then(async () => {
        events.onClosed();
        await link.close();
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

async function transportKeyOf(gatewayUrl: string, signal: AbortSignal): Promise<Hex> {
  const response = await fetch(`${gatewayUrl}/v1/health`, { signal });
  const health: unknown = await response.json();
  const key = typeof health === "object" && health !== null && "transportKey" in health ? health.transportKey : undefined;
  if (!isHex(key) || size(key) !== keyBytes) throw new NgpuError("GATEWAY_UNREACHABLE", { missing: "transport key" });
  return key;
}
