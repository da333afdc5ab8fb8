/**
 * Links of the coded transport at a gateway (docs/PROTOCOL.md, HARQ/1): each begins as a WebSocket with a handshake in
 * it, is raced over UDP where that is open, and carries requests for blobs. Further WebSockets join it, several at a
 * time or one after the other: it outlives each of them, and all of them for half a minute. Who asks is proved by each
 * request, so a link needs no login; how many there are and what they hold is bounded instead.
 */
import { codeOf, NgpuError } from "@ngpu/protocol/errors";
import {
  handshakeWithinMs,
  joinSubprotocol,
  keptLinkMs,
  linkCapabilities,
  linkPathIds,
  unknownLinkCode,
} from "@ngpu/protocol/harq/codedLink";
import { agree } from "@ngpu/protocol/harq/connection/agreedLimits";
import { messageSender } from "@ngpu/protocol/harq/link/messageSender";
import { createSocketInbox } from "@ngpu/protocol/harq/link/socketInbox";
import { createWebSocketPath } from "@ngpu/protocol/harq/link/webSocketPath";
import { messageLimits } from "@ngpu/protocol/harq/message/messageLimits";
import { randomConnectionId } from "@ngpu/protocol/harq/randomConnectionId";
import { respond } from "@ngpu/protocol/harq/security/handshake";
import { decodeHeader } from "@ngpu/protocol/harq/wire/datagramHeader";
import type { Clock } from "@ngpu/protocol/service/clock";
import { explainFailure } from "@ngpu/protocol/service/explainFailure";
import { nodePrimitives } from "@ngpu/protocol/service/harq/nodePrimitives";
import { startDataPath, type DataPath, type WorkerUdpSocket } from "@ngpu/protocol/service/harq/worker/dataPath";
import type { WorkerLink } from "@ngpu/protocol/service/harq/worker/workerLink";
import type { Log } from "@ngpu/protocol/service/log";
import type { SigningContext } from "@ngpu/protocol/signed";
import { bytesToHex, type Hex } from "viem";
import type { WebSocket } from "ws";
import type { BlobMessages } from "./blobMessages.ts";
import { heartbeat } from "./heartbeat.ts";

export interface CodedLinks {
  /** What an initiator has to know beforehand: X25519, of this process alone. */
  readonly transportKey: Hex;
  /** Port of UDP; undefined where it is not open. */
  readonly udpPort: number | undefined;
  /** A WebSocket that was upgraded for a link; closed where neither a handshake nor a known link's datagram comes. */
  accept(request: { socket: WebSocket; localAddress: string | undefined }): void;
  hasRoom(): boolean;
  counts(): { links: number; heldBytes: number; udpDatagrams: number };
  /** To be called a few times a second: ends what holds too much of what all may hold, and who is gone. */
  tend(): void;
  close(): Promise<void>;
}

interface OpenLink {
  readonly link: WorkerLink;
  /** Those that are open, each with what pings it. */
  readonly sockets: Map<WebSocket, () => void>;
  heardBytes: number;
  heardMs: number;
}

const mostLinks = 512;
/** WebSockets whose first message has not come. */
const mostOpening = 512;
/** Of messages that are not handled yet, of all links. */
const mostHeldBytes = 512 * 1024 * 1024;
/** Close codes of WebSockets (RFC 6455, and ours from 4400 on). */
const closeCodes = { goingAway: 1001, refused: 4400, unknownLink: unknownLinkCode } as const;
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
  const links = new Map<bigint, OpenLink>();
  let opening = 0;
  let hasFailed = false;
  // A thread of its own: what the network does must not delay the frames of the control plane.
  const dataPath = startDataPath({
    onFailure(error) {
      hasFailed = true;
      log.error({ err: error }, "the data path ended: blobs go over HTTP until the gateway starts again");
    },
  });
  const udp = options.udp === undefined ? undefined : await listenForUdp(dataPath, options.udp);

  async function open({ socket, localAddress }: Parameters<CodedLinks["accept"]>[0]): Promise<void> {
    const inbox = createSocketInbox(socket);
    const hello = await inbox.next(AbortSignal.timeout(handshakeWithinMs));
    const connectionId = randomConnectionId(random);
    const address = options.udp?.publicAddress ?? localAddress;
    const capabilities = { ...linkCapabilities, creditBytes: creditFor(heldBytes()) };
    const handshake = {
      ...{ primitives: nodePrimitives, staticKey, context, connectionId, capabilities },
      candidates: udp === undefined || address === undefined ? [] : [{ address, port: udp.address.port }],
      nowS: Math.floor(clock.nowMs() / 1_000),
    };
    const { reply, result } = await respond(handshake, hello);
    if (socket.readyState !== socket.OPEN) return;
    socket.send(reply);
    const leaving = new AbortController();
    makeRoom();
    const agreed = agree(capabilities, result.peer.capabilities);
    const link = dataPath.createLink({ keys: result.secrets, agreed });
    const entry = { link, sockets: new Map(), heardBytes: 0, heardMs: clock.monotonicMs() };
    links.set(connectionId, entry);
    keep(entry, socket);
    link.onMessage(async ({ bytes = new Uint8Array() }) => {
      await messages.handle(bytes, messageSender(link), leaving.signal).catch((error: unknown) => {
        if (codeOf(error) !== "WIRE_MALFORMED") return log.debug({ err: error }, "an answer was not taken");
        log.info({ code: codeOf(error) }, "a message was no request");
        void link.close(linkCodes.malformed, "malformed");
      });
    });
    link.openPath({ id: linkPathIds.stream, path: createWebSocketPath(inbox.socket) });
    if (udp !== undefined) {
      const path = udp.createPath({ connectionId, peerId: result.send.connectionId });
      link.acceptPath({ id: linkPathIds.udp, path });
    }
    inbox.handOver();
    void link.closed.then(() => {
      links.delete(connectionId);
      leaving.abort(new NgpuError("GATEWAY_UNREACHABLE"));
      for (const known of entry.sockets.keys()) known.close(closeCodes.goingAway);
    });
  }

  /** What a stranger costs: one look for the link that it names and, where there is that, one datagram to be opened. */
  async function join(socket: WebSocket): Promise<void> {
    const inbox = createSocketInbox(socket);
    const first = await inbox.next(AbortSignal.timeout(handshakeWithinMs));
    const header = decodeHeader(first);
    const entry = links.get(header.connectionId);
    if (entry === undefined) return socket.close(closeCodes.unknownLink);
    keep(entry, socket);
    entry.link.joinPath({ id: header.path, path: createWebSocketPath(inbox.socket), first });
    inbox.handOver();
  }

  function heldBytes(): number {
    return [...links.values()].reduce((total, { link }) => total + link.metrics().heldBytes, 0);
  }

  function keep({ sockets }: OpenLink, socket: WebSocket): void {
    sockets.set(socket, heartbeat(socket, clock));
    socket.once("close", () => sockets.delete(socket));
  }

  /** Where all places are taken, the link that is without a WebSocket and was not heard for longest gives way. */
  function makeRoom(): void {
    if (links.size < mostLinks) return;
    const [lost] = [...links.values()].filter(isWithoutSocket).toSorted((one, other) => one.heardMs - other.heardMs);
    void lost?.link.close(linkCodes.goingAway, "no room");
  }

  function endIfGone(entry: OpenLink): void {
    const { receivedBytes } = entry.link.metrics();
    if (receivedBytes > entry.heardBytes || !isWithoutSocket(entry)) entry.heardMs = clock.monotonicMs();
    entry.heardBytes = receivedBytes;
    const silentMs = clock.monotonicMs() - entry.heardMs;
    if (silentMs > keptLinkMs) void entry.link.close(linkCodes.goingAway, "connection lost");
  }

  return {
    transportKey: bytesToHex(staticKey.publicKey),
    udpPort: udp?.address.port,
    accept(request) {
      opening += 1;
      const isJoining = request.socket.protocol === joinSubprotocol;
      (isJoining ? join(request.socket) : open(request))
        .catch((error: unknown) => {
          log.info({ ...(explainFailure(error) ?? { err: error }) }, "handshake refused");
          request.socket.close(closeCodes.refused);
        })
        .finally(() => (opening -= 1));
    },
    hasRoom: () =>
      !hasFailed && opening < mostOpening && (links.size < mostLinks || [...links.values()].some(isWithoutSocket)),
    counts: () => ({
      links: links.size,
      heldBytes: heldBytes(),
      udpDatagrams: udp?.counts().received ?? 0,
    }),
    tend() {
      for (const entry of links.values()) {
        for (const checkAlive of entry.sockets.values()) checkAlive();
        endIfGone(entry);
      }
      const held = [...links.values()]
        .map(({ link }) => ({ link, bytes: link.metrics().heldBytes }))
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
      await Promise.all([...links.values()].map(({ link }) => link.close(linkCodes.goingAway, "going away")));
      await dataPath.close();
    },
  };
}

/** An eighth of what may still be held, so that the first who come do not take all; one window at least. */
function creditFor(heldBytes: number): number {
  const share = Math.floor((mostHeldBytes - heldBytes) / 8);
  return Math.max(messageLimits.windowBytes, Math.min(messageLimits.initialCreditBytes, share));
}

function isWithoutSocket({ sockets }: OpenLink): boolean {
  return [...sockets.keys()].every(({ readyState, OPEN }) => readyState !== OPEN);
}

/** Throws PORT_TAKEN. Strangers are heard with a token of their address alone, and told that address. */
async function listenForUdp(dataPath: DataPath, { host, port }: { host: string; port: number }): Promise<WorkerUdpSocket> {
  try {
    return await dataPath.openUdpSocket({ host, port, asksForTokens: true, answersObservations: true });
  } catch (cause) {
    await dataPath.close();
    const isTaken = cause instanceof Error && "code" in cause && cause.code === "EADDRINUSE";
    throw isTaken ? new NgpuError("PORT_TAKEN", { host, port, over: "UDP" }, { cause }) : cause;
  }
}
