/**
 * Sockets and connections in a thread of their own, so that the product's event loop is free whatever the network
 * does. Links have the same face as those of `createHarqLink`; their keys come as bytes. Use:
 *
 *     const dataPath = startDataPath();
 *     const udp = await dataPath.openUdpSocket({ port });
 *     const link = dataPath.createLink({ keys });
 *     link.openPath({ id: 1, path: udp.createPath({ connectionId, remote }) });
 *     link.openPath({ id: 0, path: dataPath.createWebSocketPath(url) });   // dialled there
 *     link.openPath({ id: 2, path: createWebSocketPath(socket) });         // a socket of this thread: bridged
 *     await dataPath.close();
 */
import { Worker } from "node:worker_threads";
import { NgpuError } from "../../../src/errors.ts";
import type { AgreedLimits } from "../../../src/harq/connection/agreedLimits.ts";
import type { CongestionClass } from "../../../src/harq/congestion/controller.ts";
import type { PathKind } from "../../../src/harq/connection/path.ts";
import type { LinkKeys } from "../linkKeys.ts";
import type { LinkPath } from "../../../src/harq/link/linkPath.ts";
import type { UdpAddress } from "../udpPath.ts";
import type { UdpCounts, UdpPathOptions } from "../udpSocket.ts";
import { createBridge, type Bridge } from "./bridge.ts";
import type { FromDataPath, PathPlan, ToDataPath, WorkerUdpOptions } from "./dataPathMessages.ts";
import { createWorkerLink, type WorkerLink, type WorkerLinkEnds } from "./workerLink.ts";

export interface WorkerUdpSocket {
  readonly address: UdpAddress;
  /** For links of the same data path. */
  createPath(options: UdpPathOptions): LinkPath;
  /** At most a tenth of a second old. */
  counts(): Readonly<UdpCounts>;
  close(): Promise<void>;
}

export interface DataPath {
  /** Rejects where the address cannot be listened at. */
  openUdpSocket(options?: WorkerUdpOptions): Promise<WorkerUdpSocket>;
  createLink(options: {
    readonly keys: LinkKeys;
    readonly congestion?: CongestionClass;
    readonly agreed?: AgreedLimits;
  }): WorkerLink;
  /** A WebSocket that is dialled, and stays, in that thread. */
  createWebSocketPath(url: string): LinkPath;
  /** CPU time of the thread, in microseconds; at most a tenth of a second old. */
  cpuUs(): number;
  /** Ends the thread; links that are open end without a word to the peer. */
  close(): Promise<void>;
}

export interface DataPathOptions {
  readonly onHandlerError?: (error: unknown) => void;
  /** The thread ended by an error of its own; its links are closed. */
  readonly onFailure?: (error: unknown) => void;
}

interface Socket {
  readonly open: PromiseWithResolvers<UdpAddress>;
  readonly closed: PromiseWithResolvers<void>;
  counts: UdpCounts;
}

/** Starts the thread; what fails in it closes its links and is told by `onFailure`. */
export function startDataPath({ onHandlerError, onFailure }: DataPathOptions = {}): DataPath {
  const worker = new Worker(new URL("./dataPathWorker.ts", import.meta.url));
  const sockets = new Map<number, Socket>();
  const links = new Map<number, WorkerLinkEnds>();
  const bridges = new Map<number, Bridge>();
  const plans = new WeakMap<LinkPath, PathPlan>();
  let lastId = 0;
  let cpuUs = 0;

  const say = (message: ToDataPath, transferred: readonly ArrayBuffer[] = []): void =>
    worker.postMessage(message, transferred);
  const planned = (kind: PathKind, plan: PathPlan): LinkPath => {
    const elsewhere = (): never => {
      throw new NgpuError("INTERNAL", { path: "of another thread" });
    };
    const path = { kind, start: elsewhere, roomBytes: elsewhere, send: elsewhere, stop: elsewhere };
    plans.set(path, plan);
    return path;
  };
  const planOf = (path: LinkPath): PathPlan => {
    const plan = plans.get(path);
    if (plan !== undefined) return plan;
    if (path.kind !== "stream") throw new NgpuError("INTERNAL", { bridged: path.kind });
    const bridge = (lastId += 1);
    bridges.set(bridge, createBridge({ bridge, path, say }));
    return { type: "bridge", bridge };
  };
  const fail = (): void => {
    for (const { fail } of links.values()) fail();
    for (const { stop } of bridges.values()) stop();
    for (const { closed } of sockets.values()) closed.resolve();
    links.clear();
    bridges.clear();
  };
  worker.on("error", (error) => {
    for (const { open } of sockets.values()) open.reject(error);
    fail();
    onFailure?.(error);
  });
  worker.on("exit", fail);
  worker.on("message", (message: FromDataPath) => {
    switch (message.type) {
      case "udpOpen":
        return sockets.get(message.socket)?.open.resolve(message.address);
      case "udpFailed":
        return sockets.get(message.socket)?.open.reject(message.error);
      case "udpClosed":
        return sockets.get(message.socket)?.closed.resolve();
      case "usage":
        cpuUs = message.cpuUs;
        return;
      case "udpCounts": {
        const socket = sockets.get(message.socket);
        if (socket !== undefined) socket.counts = message.counts;
        return;
      }
      case "bridgeSend":
        return bridges.get(message.bridge)?.send(message.bytes);
      case "bridgeStop":
        bridges.get(message.bridge)?.stop();
        bridges.delete(message.bridge);
        return;
    }
    links.get(message.link)?.take(message);
    if (message.type === "letGo") links.delete(message.link);
  });

  return {
    async openUdpSocket(options = {}) {
      const id = (lastId += 1);
      const socket: Socket = {
        open: Promise.withResolvers(),
        closed: Promise.withResolvers(),
        counts: { received: 0, sent: 0, unknown: 0, dropped: 0, errors: 0, queued: 0 },
      };
      sockets.set(id, socket);
      say({ type: "openUdp", socket: id, options });
      const address = await socket.open.promise;
      return {
        address,
        createPath: (path) => planned("datagram", { type: "udp", socket: id, path }),
        counts: () => socket.counts,
        close() {
          say({ type: "closeUdp", socket: id });
          return socket.closed.promise;
        },
      };
    },
    createLink({ keys, congestion = "fair", agreed }) {
      const id = (lastId += 1);
      const ends = createWorkerLink({ id, say, planOf, onHandlerError: (error) => onHandlerError?.(error) });
      links.set(id, ends);
      say({ type: "createLink", link: id, keys, congestion, agreed });
      return ends.link;
    },
    cpuUs: () => cpuUs,
    createWebSocketPath: (url) => planned("stream", { type: "webSocket", url }),
    async close() {
      await worker.terminate();
    },
  };
}
