/**
 * Links of the coded transport at a gateway (docs/PROTOCOL.md, HARQ/1): each begins as a WebSocket with a handshake in
 * it, is raced over UDP where that is open, and carries requests for blobs. Who asks is proved by each request, so a
 * link needs no login; how many there are and what they hold is bounded instead.
 */
import { NgpuError } from "@ngpu/protocol/errors";
import { handshakeWithinMs, linkCapabilities, linkPathIds } from "@ngpu/protocol/harq/codedLink";
import { randomConnectionId } from "@ngpu/protocol/harq/randomConnectionId";
import { addressPrefix } from "@ngpu/protocol/harq/security/addressPrefix";
import { createGate } from "@ngpu/protocol/harq/security/gate";
import { respond } from "@ngpu/protocol/harq/security/handshake";
import type { Candidate } from "@ngpu/protocol/harq/security/handshakePayload";
import { createPathTokens } from "@ngpu/protocol/harq/security/pathToken";
import { createPrefixBudget } from "@ngpu/protocol/harq/security/prefixBudget";
import { createProtection } from "@ngpu/protocol/harq/connection/protection";
import type { Clock } from "@ngpu/protocol/service/clock";
import { explainFailure } from "@ngpu/protocol/service/explainFailure";
import { createHarqLink, type HarqLink } from "@ngpu/protocol/harq/link/harqLink";
import { messageSender } from "@ngpu/protocol/harq/link/messageSender";
import { createChachaSealer } from "@ngpu/protocol/service/harq/chachaSealer";
import { nodeLinkPorts } from "@ngpu/protocol/service/harq/nodeLinkPorts";
import { nodePrimitives } from "@ngpu/protocol/service/harq/nodePrimitives";
import { createSocketInbox } from "@ngpu/protocol/harq/link/socketInbox";
import { openUdpSocket, type UdpSocket, type UdpSocketOptions } from "@ngpu/protocol/service/harq/udpSocket";
import { createWebSocketPath } from "@ngpu/protocol/harq/link/webSocketPath";
import type { Log } from "@ngpu/protocol/service/log";
import type { SigningContext } from "@ngpu/protocol/signed";
import { bytesToHex, type Hex } from "viem";
import type { WebSocket } from "ws";
import type { BlobMessages } from "./blobMessages.ts";

/** Addresses of the connection that a WebSocket came on, as IP addresses. */
export interface Peer {
  localAddress: string | undefined;
  remoteAddress: string | undefined;
}

export interface CodedLinks {
  /** What an initiator has to know beforehand: X25519, of this process alone. */
  readonly transportKey: Hex;
  /** Port of UDP; undefined where it is not open. */
  readonly udpPort: number | undefined;
  /** A WebSocket that was upgraded for a link; closed where no handshake comes in time. */
  accept(request: Peer & { socket: WebSocket }): void;
  hasRoom(): boolean;
  counts(): { links: number; heldBytes: number; udpDatagrams: number };
  /** To be called a few times a second: ends what holds too much of what all may hold, and who is gone. */
  tend(): void;
  close(): Promise<void>;
}

const mostLinks = 512;
/** What goes to addresses that showed no token, by prefix. */
const strangersBudget = { bytesPerSecond: 16_384, burstBytes: 16_384 } as const;
/** Of messages that are not handled yet, of all links. */
const mostHeldBytes = 512 * 1024 * 1024;
/** A peer that says nothing for so long is pinged, and is gone after this. */
const pingMs = 5_000;
const mostSilentMs = 20_000;
/** Close codes of WebSockets (RFC 6455, and ours from 4400 on). */
const closeCodes = { goingAway: 1001, refused: 4400 } as const;
/** Close codes of links. */
const linkCodes = { malformed: 1, tooMuch: 2, goingAway: 3 } as const;

export async function openCodedLinks(options: {
  messages: BlobMessages;
  context: SigningContext;
  /**
   * Where to listen for UDP; undefined: nowhere. `publicAddress` is where peers reach that port; the one at which they
   * reached the WebSocket where it is not given.
   */
  udp: { host: string; port: number; publicAddress?: string } | undefined;
  clock: Clock;
  random: (length: number) => Uint8Array;
  log: Log;
}): Promise<CodedLinks> {
  const { messages, context, clock, random, log } = options;
  const staticKey = nodePrimitives.generate();
  /** Ids of open connections, ours and the peer's. */
  const connections = new Map<bigint, bigint>();
  const tokens = createPathTokens({
    sealer: createChachaSealer(random(32)),
    randomBytes: random,
  });
  const hashKey = new DataView(random(4).slice().buffer).getUint32(0);
  const gate = createGate({
    tokens,
    budget: createPrefixBudget({ ...strangersBudget, hashKey }),
    peerOf: (connectionId) => connections.get(connectionId),
  });
  const udp = options.udp === undefined ? undefined : await listenForUdp({ ...options.udp, gate, onError: udpFailed });
  const links = new Map<HarqLink, { checkAlive: () => void }>();
  let opening = 0;

  function udpFailed(error: NodeJS.ErrnoException): void {
    log.debug({ err: error }, "a datagram was not taken");
  }

  /** With a token for where the peer's WebSocket came from, so that its first datagram is heard at once. */
  function candidatesFor({ localAddress, remoteAddress, connectionId }: Peer & { connectionId: bigint }): Candidate[] {
    const address = options.udp?.publicAddress ?? localAddress;
    if (udp === undefined || address === undefined) return [];
    const prefix = remoteAddress === undefined ? undefined : addressPrefix(remoteAddress);
    const nowUs = performance.now() * 1_000;
    const token = prefix === undefined ? undefined : tokens.issue({ prefix, connectionId, nowUs });
    return [{ address, port: udp.address.port, ...(token && { token }) }];
  }

  async function open({ socket, ...peer }: Peer & { socket: WebSocket }): Promise<void> {
    const inbox = createSocketInbox(socket);
    const hello = await inbox.next(AbortSignal.timeout(handshakeWithinMs));
    const connectionId = randomConnectionId(random);
    const handshake = {
      ...{ primitives: nodePrimitives, staticKey, context, connectionId, capabilities: linkCapabilities },
      candidates: candidatesFor({ ...peer, connectionId }),
      nowS: Math.floor(clock.nowMs() / 1_000),
    };
    const { reply, result } = await respond(handshake, hello);
    if (socket.readyState !== socket.OPEN) return;
    socket.send(reply);
    const leaving = new AbortController();
    const link = createHarqLink({
      ...nodeLinkPorts(),
      protection: createProtection(result),
      onHandlerError(error) {
        log.info({ ...(explainFailure(error) ?? { err: error }) }, "a message was not understood");
        void link.close(linkCodes.malformed, "malformed");
      },
    });
    links.set(link, { checkAlive: heartbeat(socket, clock) });
    link.onMessage(async ({ bytes = new Uint8Array() }) => {
      await messages.handle(bytes, messageSender(link), leaving.signal);
    });
    link.openPath({ id: linkPathIds.stream, path: createWebSocketPath(inbox.socket) });
    if (udp !== undefined) {
      connections.set(connectionId, result.send.connectionId);
      link.acceptPath({ id: linkPathIds.udp, path: udp.createPath({ connectionId }) });
    }
    inbox.handOver();
    socket.once("close", () => void link.close(linkCodes.goingAway, "connection lost"));
    void link.closed.then(() => {
      links.delete(link);
      connections.delete(connectionId);
      leaving.abort(new NgpuError("GATEWAY_UNREACHABLE"));
      socket.close(closeCodes.goingAway);
    });
  }

  return {
    transportKey: bytesToHex(staticKey.publicKey),
    udpPort: udp?.address.port,
    accept(request) {
      opening += 1;
      open(request)
        .catch((error: unknown) => {
          log.info({ ...(explainFailure(error) ?? { err: error }) }, "handshake refused");
          request.socket.close(closeCodes.refused);
        })
        .finally(() => (opening -= 1));
    },
    hasRoom: () => links.size + opening < mostLinks,
    counts: () => ({
      links: links.size,
      heldBytes: [...links.keys()].reduce((total, link) => total + link.metrics().heldBytes, 0),
      udpDatagrams: udp?.counts().received ?? 0,
    }),
    tend() {
      for (const { checkAlive } of links.values()) checkAlive();
      const held = [...links.keys()]
        .map((link) => ({ link, bytes: link.metrics().heldBytes }))
        .toSorted((a, b) => b.bytes - a.bytes);
      let total = held.reduce((sum, { bytes }) => sum + bytes, 0);
      for (const { link, bytes } of held) {
        if (total <= mostHeldBytes) return;
        total -= bytes;
        log.warn({ bytes }, "a link holds too much");
        void link.close(linkCodes.tooMuch, "too much at once");
      }
    },
    async close() {
      await Promise.all([...links.keys()].map((link) => link.close(linkCodes.goingAway, "going away")));
      await udp?.close();
    },
  };
}

/** Throws PORT_TAKEN. */
async function listenForUdp(options: UdpSocketOptions): Promise<UdpSocket> {
  try {
    return await openUdpSocket(options);
  } catch (cause) {
    const isTaken = cause instanceof Error && "code" in cause && cause.code === "EADDRINUSE";
    throw isTaken ? new NgpuError("PORT_TAKEN", { host: options.host, port: options.port, over: "UDP" }, { cause }) : cause;
  }
}

/** A peer that answers no ping is gone, and its socket with it. */
function heartbeat(socket: WebSocket, clock: Clock): () => void {
  let heardMs = clock.monotonicMs();
  let askedMs = heardMs;
  const heard = (): void => void (heardMs = clock.monotonicMs());
  socket.on("pong", heard).on("message", heard);
  return () => {
    const nowMs = clock.monotonicMs();
    if (nowMs - heardMs > mostSilentMs) return socket.terminate();
    if (nowMs - Math.max(heardMs, askedMs) < pingMs) return;
    askedMs = nowMs;
    socket.ping();
  };
}
