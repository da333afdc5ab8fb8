/**
 * The data plane in one process: a WebSocket hub and a store of ciphertext. It sees no plaintext, holds no key, decides
 * nothing about money, and forgets everything but blobs when it stops.
 */
import { isCarried } from "@ngpu/protocol/blobExchange/carriedFrames";
import type { Deployment } from "@ngpu/protocol/deployment";
import { NgpuError } from "@ngpu/protocol/errors";
import { codedPath, codedSubprotocol, joinSubprotocol } from "@ngpu/protocol/harq/codedLink";
import { relayPath, relaySubprotocol } from "@ngpu/protocol/harq/direct/relay";
import { gatewayLimits } from "@ngpu/protocol/limits";
import { createChainIdentity } from "@ngpu/protocol/service/chainIdentity";
import { explainFailure } from "@ngpu/protocol/service/explainFailure";
import type { Clock } from "@ngpu/protocol/service/clock";
import type { Log } from "@ngpu/protocol/service/log";
import { createLoop } from "@ngpu/protocol/service/loop";
import { webSocketOptions } from "@ngpu/protocol/harq/link/webSocketPath";
import type { Telemetry } from "@ngpu/protocol/service/telemetry";
import { closeCode, subprotocol, type Frame } from "@ngpu/protocol/wire";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { keccak256, stringToBytes, toHex, type PublicClient } from "viem";
import { WebSocketServer, type WebSocket } from "ws";
import { createAuthority } from "../chain/authority.ts";
import { createDemandWindows } from "../chain/demandWindows.ts";
import { createSessionAuthority } from "../session/sessionAuthority.ts";
import { createBlobMessages } from "./blobMessages.ts";
import { createBlobRoutes } from "./blobRoutes.ts";
import { createBlobStore } from "./blobStore.ts";
import { createBodyShelf } from "./bodyShelf.ts";
import { openCodedLinks } from "./codedLinks.ts";
import { createRelayDesk, type RelayLimits } from "./direct/relayDesk.ts";
import { createFrameCarriers } from "./frameCarriers.ts";
import { createFrameRules } from "./frameRules.ts";
import { createHttpRoutes, pathOf, type HttpHandler } from "./httpRoutes.ts";
import { createHub } from "./hub.ts";
import { createLink, linkLimits, type Link, type LinkLimits } from "./link.ts";
import { createModelParts } from "./modelParts.ts";
import { createOutputKeeping } from "./outputKeeping.ts";
import { createPace } from "./pace.ts";
import { createSessionBodies } from "./sessionBodies.ts";
import { createTaskWatch } from "./taskWatch.ts";
import { createTransfers } from "./transfers.ts";
import { verifyLogin, type Identity } from "./verifyLogin.ts";

export interface Gateway {
  /** What peers configure; its hash is the audience of a login. */
  url: string;
  /** Why it cannot serve now; empty when it can. */
  notReady(): string[];
  /** What its operator should know although it can. */
  notices(): string[];
  /**
   * Takes no new blob and no new peer, lets the transfers under way end, and then tells every peer to go elsewhere.
   */
  drain(): Promise<void>;
  isDraining(): boolean;
  close(): Promise<void>;
}

export interface GatewayOptions {
  host: string;
  /** 0 takes any free port. */
  port: number;
  /** Defaults to the address it listens on. */
  publicUrl?: string;
  allowedOrigins: string[];
  dataDir: string;
  /** Looked into for models' files before the packages of this installation. */
  modelFolders?: readonly string[];
  chainId: number;
  chain: PublicClient;
  deployment: Deployment;
  clock: Clock;
  log: Log;
  random: (length: number) => Uint8Array;
  pollMs?: number;
  storeBytes?: number;
  /** Where links of the coded transport are raced over UDP; over WebSockets alone where it is not given. */
  udp?: { host: string; port: number; publicAddress?: string };
  /** Whether clients and nodes are introduced for direct links and relayed; yes where it is not given. */
  offersDirect?: boolean;
  relays?: Partial<RelayLimits>;
  links?: Partial<LinkLimits>;
  mostLinks?: number;
  /** An HTTP connection on which nothing moves for so long is ended, or slow readers would keep files open for ever. */
  httpIdleMs?: number;
  telemetry?: Telemetry;
}

/** RFC 6455: the server goes down; peers connect again, here or elsewhere. */
const goingAway = 1001;
const peersCloseWithinMs = 1_000;
const loginWithinMs = 10_000;
const codedSubprotocols = [codedSubprotocol, joinSubprotocol];
/** Far above what a node or client needs; every frame of theirs costs the check of a signature. */
const linkPace = { perSecond: 100, burst: 200 };
/** Requests and answers of sessions are passed on unopened and cost no such check. */
const sessionPace = { perSecond: 1_000, burst: 2_000 };
const mostTasks = 10_000;
/**
 * Keepers judge a node by how long it was silent, so what they know of that must be much fresher than a heartbeat's
 * period.
 */
const rosterEveryMs = 250;
const rosterSpacingMs = 20;
const sweepEveryMs = 60_000;

export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const { host, port, allowedOrigins, dataDir, chainId, chain, deployment, clock, log, random } = options;
  const { mostLinks = 2_000 } = options;
  const limits = { ...linkLimits, ...options.links };
  const context = { chainId, verifyingContract: deployment.taskEscrow };
  const authority = createAuthority({ chain, deployment, clock });
  // Only who holds the port may open the store: opening it clears what another gateway would still be receiving.
  const starting: HttpHandler = (_request, response) => void response.writeHead(503, { connection: "close" }).end();
  const server = createServer(starting);
  const listening = await listen(server, host, port);
  server.on("error", (error) => log.error({ err: error }, "server error"));
  const url = (options.publicUrl ?? `http://${host}:${listening}`).replace(/\/+$/, "");
  const audience = keccak256(stringToBytes(url));
  const store = await createBlobStore({
    root: dataDir,
    randomName: () => toHex(random(16)).slice(2),
    ...(options.storeBytes === undefined ? {} : { storeBytes: options.storeBytes }),
  }).catch((error: unknown) => {
    server.close();
    throw error;
  });
  const identity = createChainIdentity({ chain, clock, log });
  const tasks = createTaskWatch({
    chain,
    deployment,
    pollMs: options.pollMs ?? 250,
    clock,
    log,
    onChange: (facts) => {
      hub.taskChanged(facts);
      keeping.taskChanged(facts, tasks.head()?.timestampS ?? 0);
    },
    identity,
    onReset: dropOldChain,
  });
  const keeping = createOutputKeeping({ store, windows: createDemandWindows({ chain, deployment }) });
  const rules = createFrameRules({ context, authority, tasks });
  const sessions = createSessionAuthority({ chain, deployment, clock });
  const { offersDirect = true } = options;
  const relays = createRelayDesk({ clock, random, log, ...(options.relays === undefined ? {} : { limits: options.relays }) });
  const hub = createHub({
    direct: offersDirect ? { relays, context, observer: () => observerOf(coded.udpPort, options.udp) } : undefined,
    rules,
    sessions,
    tasks,
    hasOutput: (taskId, hash) => store.has(taskId, hash),
    clock,
    log,
    mostTasks,
    onRosterChange: () => rosterLoop.trigger(),
  });
  const links = new Set<Link>();
  /** Those that have not logged in, in the order they came: when all places are taken, they give way. */
  const strangers = new Set<Link>();
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: gatewayLimits.maxFrameBytes,
    perMessageDeflate: false,
    handleProtocols: (offered) => (offered.has(subprotocol) ? subprotocol : false),
  });

  const codedSockets = new WebSocketServer({
    ...webSocketOptions,
    noServer: true,
    handleProtocols: (offered) => codedSubprotocols.find((name) => offered.has(name)) ?? false,
  });

  const relaySockets = new WebSocketServer({
    ...webSocketOptions,
    noServer: true,
    handleProtocols: (offered) => (offered.has(relaySubprotocol) ? relaySubprotocol : false),
  });

  const isAllowedOrigin = (origin: string | undefined): boolean =>
    origin === undefined || allowedOrigins.includes(origin);
  let isDraining = false;
  const shelf = createBodyShelf({ clock });
  const bodies = createSessionBodies({ shelf, sessions, authority, isConnected: (id) => hub.hasSession(id), clock });
  const blobs = createBlobRoutes({ store, tasks, authority, sessions: bodies, context, clock });
  const models = createModelParts({ authority, context, clock, folders: options.modelFolders ?? [] });
  const transfers = createTransfers();
  const carriers = createFrameCarriers({ random });
  const blobMessages = createBlobMessages({ blobs, models, transfers, log });
  const coded = await openCodedLinks({
    messages: {
      handle: (message, send, signal) =>
        isCarried(message) ? carriers.take(message, { send, signal }) : blobMessages.handle(message, send, signal),
    },
    context,
    udp: options.udp,
    clock,
    random,
    log,
  }).catch((error: unknown) => {
    server.close();
    throw error;
  });
  const answerHttp = createHttpRoutes({
    blobs,
    models,
    transfers,
    health: () => ({
      ok: tasks.isLive(),
      ...(isDraining ? { draining: true } : {}),
      chainId,
      block: Number(tasks.head()?.number ?? 0n),
      storedBytes: store.usedBytes(),
      transportKey: coded.transportKey,
      ...hub.counts(),
    }),
    roster: () => ({ nodes: hub.roster().nodes }),
    isAllowedOrigin,
    clock,
    log,
  });
  server.off("request", starting).on("request", answerHttp);
  server.requestTimeout = 120_000;
  server.timeout = options.httpIdleMs ?? 120_000;
  server.on("upgrade", (request, socket, head) => {
    if (pathOf(request) === codedPath) {
      const isFull = isDraining || !coded.hasRoom();
      const refusal = upgradeRefusal(request, { isAllowedOrigin, isFull, asks: codedSubprotocols });
      if (refusal !== undefined) return rejectUpgrade(socket, refusal);
      const localAddress = plainIp(request.socket.localAddress);
      return codedSockets.handleUpgrade(request, socket, head, (ws) => coded.accept({ socket: ws, localAddress }));
    }
    if (offersDirect && pathOf(request) === relayPath) {
      const isFull = isDraining || !relays.hasRoom();
      const refusal = upgradeRefusal(request, { isAllowedOrigin, isFull, asks: [relaySubprotocol] });
      if (refusal !== undefined) return rejectUpgrade(socket, refusal);
      return relaySockets.handleUpgrade(request, socket, head, (ws) => relays.accept(ws));
    }
    if (pathOf(request) !== "/v1/link") return rejectUpgrade(socket, "404 Not Found");
    const [eldest] = strangers;
    const isFull = isDraining || (links.size >= mostLinks && eldest === undefined);
    const refusal = upgradeRefusal(request, { isAllowedOrigin, isFull, asks: [subprotocol] });
    if (refusal !== undefined) return rejectUpgrade(socket, refusal);
    if (links.size >= mostLinks) {
      eldest?.close(closeCode.unauthorized);
      // At once: a peer that never answers the close would go on holding its socket.
      eldest?.checkAlive();
    }
    sockets.handleUpgrade(request, socket, head, (webSocket) => welcome(webSocket));
  });

  const rosterLoop = createLoop({
    name: "push roster",
    everyMs: rosterEveryMs,
    clock,
    log,
    pass: async (signal) => {
      hub.pushRoster();
      hub.keepAlive();
      for (const link of links) link.checkAlive();
      coded.tend();
      relays.tend();
      await clock.sleep(rosterSpacingMs, signal);
    },
  });
  const sweepLoop = createLoop({
    name: "sweep",
    everyMs: sweepEveryMs,
    clock,
    log,
    pass: async () => {
      shelf.sweep();
      const head = tasks.head();
      if (head === undefined || !tasks.isLive()) return;
      await keeping.apply();
      await store.sweep(head.timestampS);
      if (hub.awaitsFinality()) hub.finalise(await tasks.finalBlock());
    },
  });

  /** Whoever is logged in proved it to the old chain. Stored blobs stay until their time: nobody can ask for them. */
  function dropOldChain(): void {
    authority.forget();
    sessions.forget();
    keeping.forget();
    hub.forget();
    for (const link of [...links]) link.refuse(new NgpuError("CHAIN_RESET"), closeCode.unauthorized);
  }

  /** challenge → login → joined; anything else ends the link. */
  function welcome(socket: WebSocket): void {
    const nonce = toHex(random(32));
    const loginDeadline = new AbortController();
    const pace = createPace({ ...linkPace, clock });
    const paceOfSessions = createPace({ ...sessionPace, clock });
    let identity: Identity | undefined;
    let attempted = false;
    let gone = false;
    /** As the hub knows it: sessions' frames may go another way. */
    let joined: Link | undefined;
    let leaveCarrier = (): void => undefined;
    const link = createLink({
      socket,
      limits,
      clock,
      log,
      onFrame: async (frame) => {
        if (frame.t === "ask" || frame.t === "answer") await paceOfSessions();
        else if (identity?.role !== "keeper") await pace();
        if (identity !== undefined) return hub.handle(joined ?? link, identity, frame);
        if (attempted || frame.t !== "login")
          throw new NgpuError("WIRE_MALFORMED", { path: `${frame.t} before login` });
        attempted = true;
        try {
          const { login } = frame;
          const proven = await verifyLogin({
            ...{ login, nonce, audience, context, authority, sessions, tasks },
            nowMs: clock.nowMs(),
          });
          if (gone) return;
          loginDeadline.abort();
          identity = proven;
          strangers.delete(link);
          join(proven);
        } catch (error) {
          log.info({ ...(explainFailure(error) ?? { err: error }) }, "login refused");
          link.refuse(error, closeCode.unauthorized);
        }
      },
      onClose: () => {
        gone = true;
        loginDeadline.abort();
        links.delete(link);
        strangers.delete(link);
        leaveCarrier();
        if (identity !== undefined) hub.leave(joined ?? link, identity);
      },
    });
    const join = (proven: Identity): void => {
      const isOfSessions = proven.role === "node" || proven.role === "session";
      const carried = isOfSessions ? carriers.carry(link) : undefined;
      joined = carried?.link ?? link;
      leaveCarrier = carried?.end ?? leaveCarrier;
      hub.join(joined, proven);
      if (carried !== undefined) link.send({ t: "carrier", token: carried.token });
    };
    links.add(link);
    strangers.add(link);
    const challenge: Frame = { t: "challenge", nonce, audience, chainId, escrow: deployment.taskEscrow };
    link.send(challenge);
    void clock.sleep(2 * loginWithinMs, loginDeadline.signal).then(() => {
      if (identity === undefined && !gone) link.refuse(new NgpuError("AUTH_REQUIRED"), closeCode.unauthorized);
    });
  }

  const { telemetry } = options;
  telemetry?.gauge({ name: "nodes", help: "Nodes that are logged in.", read: () => hub.counts().nodes });
  telemetry?.gauge({ name: "keepers", help: "Keepers that are logged in.", read: () => hub.counts().keepers });
  telemetry?.gauge({ name: "clients", help: "Clients that are logged in.", read: () => hub.counts().clients });
  telemetry?.gauge({ name: "links", help: "Open links, logged in or not.", read: () => links.size });
  telemetry?.gauge({ name: "coded_links", help: "Links of the coded transport.", read: () => coded.counts().links });
  telemetry?.gauge({
    name: "coded_held_bytes",
    help: "Bytes of messages that are held for links of the coded transport.",
    read: () => coded.counts().heldBytes,
  });
  telemetry?.gauge({
    name: "coded_udp_datagrams",
    help: "Datagrams that came in over UDP since the start.",
    read: () => coded.counts().udpDatagrams,
  });
  telemetry?.gauge({ name: "relay_pairs", help: "Direct links with a relay here.", read: () => relays.counts().pairs });
  telemetry?.gauge({
    name: "relayed_bytes",
    help: "Bytes of direct links that were passed on since the start.",
    read: () => relays.counts().relayedBytes,
  });
  telemetry?.gauge({ name: "stored_bytes", help: "Bytes of sealed data on disk.", read: () => store.usedBytes() });
  telemetry?.gauge({
    name: "carried_links",
    help: "Peers whose requests and answers of sessions go over a coded link.",
    read: () => carriers.count(),
  });
  telemetry?.gauge({
    name: "session_body_bytes",
    help: "Bytes of requests and answers of sessions that wait to be fetched.",
    read: () => shelf.usedBytes(),
  });
  telemetry?.gauge({ name: "head_block", help: "Newest block read.", read: () => Number(tasks.head()?.number ?? 0n) });

  log.info({ url, dataDir }, "gateway is up");

  return {
    url,
    notReady: () => (tasks.isLive() ? [] : ["the chain does not answer"]),
    notices: () => identity.notices(),
    isDraining: () => isDraining,
    async drain() {
      isDraining = true;
      for (const link of strangers) link.refuse(new NgpuError("GATEWAY_DRAINING"), goingAway);
      await transfers.drain();
      const ended = [...sockets.clients].map((socket) => once(socket, "close"));
      for (const link of links) link.close(goingAway);
      void coded.close();
      relays.close();
      await Promise.race([Promise.all(ended), clock.sleep(peersCloseWithinMs)]);
    },
    async close() {
      for (const link of links) link.close(goingAway);
      await coded.close();
      relays.close();
      for (const { clients } of [sockets, codedSockets, relaySockets]) for (const socket of clients) socket.terminate();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await Promise.all([rosterLoop.stop(), sweepLoop.stop(), tasks.stop()]);
    },
  };
}

function upgradeRefusal(
  request: IncomingMessage,
  rules: { isAllowedOrigin: (origin: string | undefined) => boolean; isFull: boolean; asks: readonly string[] },
): string | undefined {
  const { isAllowedOrigin, isFull, asks } = rules;
  if (!isAllowedOrigin(request.headers.origin)) return "403 Forbidden";
  const offered = request.headers["sec-websocket-protocol"]?.split(",").map((name) => name.trim()) ?? [];
  if (!asks.some((name) => offered.includes(name))) return "400 Bad Request";
  return isFull ? "503 Service Unavailable" : undefined;
}

/** Where peers ask from where they are heard: a port, of a host of its own where one is named. */
function observerOf(port: number | undefined, udp: GatewayOptions["udp"]): string {
  if (port === undefined) return "";
  const host = udp?.publicAddress ?? "";
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}

/** An IPv4 address as itself, where a socket of both versions shows it as one of IPv6. */
function plainIp(address: string | undefined): string | undefined {
  return address?.replace(/^::ffff:/, "");
}

function rejectUpgrade(socket: Duplex, status: string): void {
  socket.on("error", () => socket.destroy());
  const later = status.startsWith("503") ? "retry-after: 2\r\n" : "";
  socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\n${later}content-length: 0\r\n\r\n`);
}

async function listen(server: ReturnType<typeof createServer>, host: string, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause: NodeJS.ErrnoException) => {
      reject(cause.code === "EADDRINUSE" ? new NgpuError("PORT_TAKEN", { host, port }, { cause }) : cause);
    });
    server.listen(port, host, resolve);
  });
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : port;
}
