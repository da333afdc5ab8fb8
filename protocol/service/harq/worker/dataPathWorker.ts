/** The thread that has the sockets and the connections: everything that costs time per packet. */
import { parentPort } from "node:worker_threads";
import { NgpuError } from "../../../src/errors.ts";
import { createHarqLink, type HarqLink } from "../../../src/harq/link/harqLink.ts";
import { createObserver } from "../direct/observer.ts";
import { protectionOf } from "../linkKeys.ts";
import type { LinkPath } from "../../../src/harq/link/linkPath.ts";
import { nodeLinkPorts } from "../nodeLinkPorts.ts";
import { openUdpSocket, type UdpSocket } from "../udpSocket.ts";
import { createWebSocketPath } from "../../../src/harq/link/webSocketPath.ts";
import { createBridgedPath, type BridgedPath } from "./bridgedPath.ts";
import type { FromDataPath, PathPlan, ToDataPath } from "./dataPathMessages.ts";

interface Entry {
  readonly link: HarqLink;
  /** Messages whose bytes are not all here yet. */
  readonly incoming: Map<number, { readonly bytes: Uint8Array; left: number; readonly begin: () => void }>;
  readonly cancels: Map<number, AbortController>;
  /** Handed over, and not said to be consumed: by message, and by offset for a piece. */
  readonly unconsumed: Map<string, () => void>;
  reportedSteps: number;
  readonly pathIds: Set<number>;
}

const reportEveryMs = 100;
const port = parentPort!;
const sockets = new Map<number, UdpSocket>();
const links = new Map<number, Entry>();
const bridges = new Map<number, BridgedPath>();

const say = (message: FromDataPath, bytes?: Uint8Array): void => {
  if (bytes !== undefined && ownsItsBuffer(bytes)) port.postMessage(message, [bytes.buffer as ArrayBuffer]);
  else port.postMessage(message);
};

port.on("message", (message: ToDataPath) => void take(message));
setInterval(report, reportEveryMs).unref();

async function take(message: ToDataPath): Promise<void> {
  switch (message.type) {
    case "openUdp":
      return openUdp(message);
    case "closeUdp":
      await sockets.get(message.socket)?.close();
      sockets.delete(message.socket);
      return say({ type: "udpClosed", socket: message.socket });
    case "createLink":
      links.set(message.link, createEntry(message));
      return;
    case "bridgeDatagram":
      return bridges.get(message.bridge)?.receive(message.bytes);
    case "bridgeSent":
      return bridges.get(message.bridge)?.onSent(message.bytes);
    case "bridgeDown":
      return bridges.get(message.bridge)?.down();
  }
  const entry = links.get(message.link);
  if (entry === undefined) return "opening" in message ? refuse(message.opening.plan) : undefined;
  switch (message.type) {
    case "openPath": {
      const { plan, ...opening } = message.opening;
      entry.pathIds.add(opening.id);
      return entry.link.openPath({ ...opening, path: pathOf(plan) });
    }
    case "acceptPath":
      entry.pathIds.add(message.opening.id);
      return entry.link.acceptPath({ id: message.opening.id, path: pathOf(message.opening.plan) });
    case "joinPath":
      entry.pathIds.add(message.opening.id);
      return entry.link.joinPath({ id: message.opening.id, path: pathOf(message.opening.plan), first: message.first });
    case "closePath":
      return entry.link.closePath(message.id);
    case "send":
      return beginSend(entry, message);
    case "sendPart":
      return takePart(entry, message);
    case "cancel":
      return entry.cancels.get(message.handle)?.abort();
    case "consumed":
      return consumed(entry, keyOf(message.message, message.offset));
    case "reconnect":
      return entry.link.reconnect(protectionOf(message.keys));
    case "close":
      return void entry.link.close(message.code, message.text);
  }
}

async function openUdp({ socket, options }: Extract<ToDataPath, { type: "openUdp" }>): Promise<void> {
  try {
    const { answersObservations = false, ...plain } = options;
    const observer = createObserver((answer, to) => open.send(answer, to));
    const open = await openUdpSocket(answersObservations ? { ...plain, onUnknown: observer } : plain);
    sockets.set(socket, open);
    say({ type: "udpOpen", socket, address: open.address });
  } catch (error) {
    say({ type: "udpFailed", socket, error: error as Error });
  }
}

function createEntry({ link: id, keys, congestion, agreed }: Extract<ToDataPath, { type: "createLink" }>): Entry {
  const protection = protectionOf(keys);
  const link = createHarqLink({ ...nodeLinkPorts(congestion), protection, ...(agreed && { agreed }) });
  const entry: Entry = {
    link,
    incoming: new Map(),
    cancels: new Map(),
    unconsumed: new Map(),
    reportedSteps: -1,
    pathIds: new Set(),
  };
  const handOver = (key: string): Promise<void> => new Promise((resolve) => entry.unconsumed.set(key, resolve));
  link.onMessage(async ({ bytes, ...message }) => {
    const done = handOver(keyOf(message.id));
    say({ type: "received", link: id, event: { type: "message", message: message.id, ...message, bytes } }, bytes);
    await done;
  });
  link.onPiece(async (piece) => {
    if (piece.type === "failed") {
      return say({ type: "received", link: id, event: { ...piece, type: "messageFailed" } });
    }
    const done = handOver(keyOf(piece.message, piece.offset + piece.bytes.length));
    say({ type: "received", link: id, event: piece }, piece.bytes);
    await done;
  });
  void link.closed.then(async (end) => {
    for (const resolve of entry.unconsumed.values()) resolve();
    reportOf(id, entry);
    say({ type: "closed", link: id, end });
    await link.close();
    links.delete(id);
    say({ type: "letGo", link: id });
  });
  return entry;
}

function beginSend(entry: Entry, { link, handle, length, priority }: Extract<ToDataPath, { type: "send" }>): void {
  const bytes = new Uint8Array(length);
  const abort = new AbortController();
  entry.cancels.set(handle, abort);
  const begin = async (): Promise<void> => {
    entry.incoming.delete(handle);
    const onProgress = (readBytes: number): void => say({ type: "progress", link, handle, readBytes });
    const outcome = await entry.link.send(bytes, { priority, signal: abort.signal, onProgress });
    entry.cancels.delete(handle);
    say({ type: "sent", link, handle, outcome });
  };
  entry.incoming.set(handle, { bytes, left: length, begin: () => void begin() });
  abort.signal.addEventListener("abort", () => {
    if (entry.incoming.has(handle)) void begin();
  });
}

function takePart(entry: Entry, { handle, offset, bytes }: Extract<ToDataPath, { type: "sendPart" }>): void {
  const message = entry.incoming.get(handle);
  if (message === undefined) return;
  message.bytes.set(bytes, offset);
  message.left -= bytes.length;
  if (message.left === 0) message.begin();
}

function consumed(entry: Entry, key: string): void {
  entry.unconsumed.get(key)?.();
  entry.unconsumed.delete(key);
}

function keyOf(message: number, offset?: number): string {
  return offset === undefined ? `${message}` : `${message}:${offset}`;
}

function pathOf(plan: PathPlan): LinkPath {
  switch (plan.type) {
    case "udp": {
      const socket = sockets.get(plan.socket);
      if (socket === undefined) throw new NgpuError("INTERNAL", { socket: plan.socket });
      return socket.createPath(plan.path);
    }
    case "webSocket":
      return createWebSocketPath(new WebSocket(plan.url));
    case "bridge": {
      const { bridge } = plan;
      const path = createBridgedPath({
        send(bytes) {
          // Small datagrams lie in memory that others use too.
          const own = bytes.slice();
          say({ type: "bridgeSend", bridge, bytes: own }, own);
        },
        stop() {
          bridges.delete(bridge);
          say({ type: "bridgeStop", bridge });
        },
      });
      bridges.set(bridge, path);
      return path;
    }
  }
}

/** Of a link that is gone: the other thread lets go of the socket. */
function refuse(plan: PathPlan): void {
  if (plan.type === "bridge") say({ type: "bridgeStop", bridge: plan.bridge });
}

function report(): void {
  const { user, system } = process.threadCpuUsage();
  say({ type: "usage", cpuUs: user + system });
  for (const [socket, { counts }] of sockets) say({ type: "udpCounts", socket, counts: counts() });
  for (const [id, entry] of links) if (entry.link.metrics().steps !== entry.reportedSteps) reportOf(id, entry);
}

function reportOf(id: number, entry: Entry): void {
  const metrics = entry.link.metrics();
  entry.reportedSteps = metrics.steps;
  const memories = [...entry.pathIds].flatMap((path) => {
    const memory = entry.link.rememberPath(path);
    return memory === undefined ? [] : [[path, memory] as const];
  });
  say({ type: "report", link: id, report: { metrics, memories: new Map(memories) } });
}

/** Nothing else lies in its memory, so that it may be given away. */
function ownsItsBuffer({ buffer, length }: Uint8Array): boolean {
  return buffer instanceof ArrayBuffer && buffer.byteLength <= length + largestRest;
}

/** Of a message's last symbol, which is padded for coding. */
const largestRest = 16_384;
