/**
 * A connection with its paths, its clock and the product's side of it. No socket and no timer of its own: both are
 * given. Use:
 *
 *     const link = createHarqLink({ ...nodeLinkPorts(), protection });
 *     link.openPath({ id: 0, path: createWebSocketPath(socket) });
 *     link.openPath({ id: 1, path: udp.createPath({ connectionId, remote }) });   // the side that speaks first
 *     link.acceptPath({ id: 1, path: udp.createPath({ connectionId }) });         // the side that is spoken to
 *     link.onMessage(async ({ bytes }) => { … });   // the peer's credit goes back when it resolves
 *     const outcome = await link.send(bytes, { priority: "interactive", signal, onProgress });
 *     await link.close();
 *
 * Datagrams that come in together are read together, then sent for once. A path that ends is left; what was under way
 * on it goes by another, or waits for one.
 */
import { NgpuError } from "../../errors.ts";
import { createConnection, feed, step } from "../connection.ts";
import type {
  ConnectionEvent,
  ConnectionInput,
  ConnectionOptions,
  RememberedPath,
} from "../connection/connectionState.ts";
import { isAuthentic } from "../connection/receive.ts";
import type { Protection } from "../connection/protection.ts";
import { rememberPath } from "../connection/rememberPath.ts";
import { createDeliveries, type MessageHandler, type PieceHandler } from "./deliveries.ts";
import type { LinkClock } from "./linkClock.ts";
import { metricsOf, type LinkMetrics } from "./linkMetrics.ts";
import type { LinkPath } from "./linkPath.ts";
import { createLinkSends, type SendOptions, type SendOutcome, type SendSource } from "./linkSends.ts";

export interface LinkOptions extends ConnectionOptions {
  readonly clock: LinkClock;
  /** Told of every event of the connection, for logs and metrics. */
  readonly onEvent?: (event: ConnectionEvent) => void;
  /** What a handler threw; the message counts as consumed all the same. */
  readonly onHandlerError?: (error: unknown) => void;
}

export interface LinkPathOptions {
  /** 0 to 255, the same at both ends, and not used for another path under the same keys. */
  readonly id: number;
  readonly path: LinkPath;
  /** Measured before, as by the handshake. */
  readonly rttUs?: number;
  readonly memory?: RememberedPath;
  /** What the peer gave for this address, where it asks strangers for one. */
  readonly token?: Uint8Array;
  /** A further stream of a link that is open: the peer takes it by its first datagram (`joinPath`). */
  readonly joins?: boolean;
}

export interface JoiningPath {
  readonly id: number;
  readonly path: LinkPath;
  /** What came in over it first. */
  readonly first: Uint8Array;
}

export interface LinkEnd {
  readonly code: number;
  readonly text: string;
  readonly byPeer: boolean;
}

export interface HarqLink {
  /**
   * Resolves with what became of the message: `good` once the peer has all of it and its hash fits; `cancelled` after
   * the signal, unless it was delivered before; `closed` where the link ended first. Rejects what cannot be a message.
   */
  send(source: SendSource, options?: SendOptions): Promise<SendOutcome>;
  /** One handler; messages that came before wait for it. A message's credit goes back when its promise resolves. */
  onMessage(handler: MessageHandler): void;
  /**
   * Messages above 16 MiB block by block, in order, each after the promise of the one before; `onMessage` is then told
   * of them without bytes, when the hash fits. Without this handler they are gathered, at most 64 MiB of them.
   */
  onPiece(handler: PieceHandler): void;
  /** A path on which this side speaks first. Both sides open streams; each opens a stream before anything comes. */
  openPath(options: LinkPathOptions): void;
  /** A datagram path that exists from the peer's first authentic datagram on. */
  acceptPath(options: Pick<LinkPathOptions, "id" | "path">): void;
  /**
   * A further stream, opened by whoever sent `first` over it. It is stopped at once, and nothing is kept of it, unless
   * that proves authentic, the id is free and there are fewer than 16 paths.
   */
  joinPath(joining: JoiningPath): void;
  closePath(id: number): void;
  rememberPath(id: number): RememberedPath | undefined;
  /** New keys after another handshake with the same peer; all paths are left and opened anew by the caller. */
  reconnect(protection: Protection): void;
  /** Tells the peer and ends what is open; resolves once the paths are let go. */
  close(code?: number, text?: string): Promise<void>;
  /** Resolves when either side has closed. */
  readonly closed: Promise<LinkEnd>;
  metrics(): LinkMetrics;
}

/** So many datagrams are read before something is sent, at most. */
const mostRead = 64;
/** While a path has no room it is looked at again after this. */
const roomUs = 1_000;
/** The farewell is said again meanwhile, to a peer that did not hear it. */
const lingerUs = 300_000;

/** A link without paths; whatever happens to it is told by `closed`, never thrown. */
export function createHarqLink(options: LinkOptions): HarqLink {
  const { clock } = options;
  const connection = createConnection(options);
  const paths = new Map<number, LinkPath>();
  let steps = 0;
  let read = 0;
  let isSoon = false;
  let isStepping = false;
  let dueUs = Infinity;
  let callOff = (): void => undefined;
  let end: LinkEnd | undefined;
  const { promise: closed, resolve: tellClosed } = Promise.withResolvers<LinkEnd>();
  const { promise: letGo, resolve: tellLetGo } = Promise.withResolvers<void>();

  const take = (input: ConnectionInput): void => feed(connection, input, clock.nowUs());
  const stepSoon = (): void => {
    if (isSoon) return;
    isSoon = true;
    clock.soon(() => {
      if (isSoon) run();
    });
  };
  const sends = createLinkSends((input) => {
    take(input);
    stepSoon();
  });
  const deliveries = createDeliveries({
    onError: (error) => options.onHandlerError?.(error),
    consumed(input) {
      take(input);
      stepSoon();
    },
    overflow: () => void link.close(tooMuch, "pieces are not taken"),
  });

  function run(): void {
    if (isStepping) return stepSoon();
    isStepping = true;
    isSoon = false;
    read = 0;
    steps += 1;
    for (const [id, path] of paths) take({ type: "room", path: id, bytes: path.roomBytes() });
    const { datagrams, events, nextUs } = step(connection, { type: "tick" }, clock.nowUs());
    for (const { path, bytes } of datagrams) paths.get(path)?.send(bytes);
    for (const event of events) on(event);
    isStepping = false;
    schedule(nextUs);
  }

  function schedule(nextUs: number): void {
    const nowUs = clock.nowUs();
    const wantedUs = connection.outbox.hasNext() ? Math.min(nextUs, nowUs + untilRoomUs()) : nextUs;
    if (wantedUs === dueUs) return;
    callOff();
    callOff = () => undefined;
    dueUs = wantedUs;
    if (dueUs === Infinity) return;
    callOff = clock.after(Math.min(longestTimerUs, Math.max(0, dueUs - nowUs)), () => {
      dueUs = Infinity;
      run();
    });
  }

  /** What a path took in this step may have gone out already: then the rest follows at once. */
  function untilRoomUs(): number {
    let leastUs = Infinity;
    for (const [id, path] of paths) {
      const known = connection.paths.get(id);
      if (known === undefined || !known.isValidated) continue;
      const bytes = known.size.packetBytes();
      if (known.roomBytes < bytes) leastUs = Math.min(leastUs, path.roomBytes() < bytes ? roomUs : 0);
    }
    return leastUs;
  }

  function on(event: ConnectionEvent): void {
    options.onEvent?.(event);
    switch (event.type) {
      case "sent":
        return sends.ended(event.handle, event.outcome);
      case "piece":
      case "message":
      case "messageFailed":
        return deliveries.take(event);
      case "closed":
        finish({ code: event.code, text: event.text, byPeer: event.byPeer });
    }
  }

  function finish(ended: LinkEnd): void {
    if (end !== undefined) return;
    end = ended;
    sends.endAll();
    deliveries.stop();
    for (const [id, path] of paths) if (path.kind === "stream" || ended.byPeer) leave(id);
    if (paths.size === 0) tellLetGo();
    else clock.after(lingerUs, leaveAll);
    tellClosed(ended);
  }

  function leave(id: number): void {
    const path = paths.get(id);
    paths.delete(id);
    path?.stop();
  }

  function leaveAll(): void {
    for (const id of [...paths.keys()]) leave(id);
    callOff();
    tellLetGo();
  }

  const receive = (id: number, bytes: Uint8Array, adopt?: () => void): void => {
    const before = connection.paths.get(id)?.arrivals.largest();
    take({ type: "datagram", path: id, bytes });
    if (adopt !== undefined && (connection.paths.get(id)?.arrivals.largest() ?? -1) > (before ?? -1)) {
      adopt();
      if (before !== undefined) take({ type: "movePath", path: id });
    }
    read += 1;
    if (read >= mostRead) run();
    else stepSoon();
  };

  const attach = (id: number, path: LinkPath): void => {
    leave(id);
    paths.set(id, path);
    path.start({
      datagram(bytes, adopt) {
        if (paths.get(id) === path) receive(id, bytes, adopt);
      },
      down() {
        if (paths.get(id) === path) link.closePath(id);
      },
    });
  };

  const link: HarqLink = {
    send: (source, sendOptions = {}) =>
      end === undefined ? sends.send(source, sendOptions) : Promise.resolve("closed"),
    onMessage: (handler) => deliveries.onMessage(handler),
    onPiece: (handler) => deliveries.onPiece(handler),
    openPath({ id, path, ...opening }) {
      if (end !== undefined) return path.stop();
      take({ type: "openPath", path: checkedId(id), kind: path.kind, ...opening });
      attach(id, path);
      stepSoon();
    },
    acceptPath({ id, path }) {
      if (end !== undefined) return path.stop();
      attach(checkedId(id), path);
    },
    joinPath({ id, path, first }) {
      const hasRoom = end === undefined && paths.size < mostPaths && !paths.has(checkedId(id));
      if (!hasRoom || !isAuthentic(connection, { path: id, bytes: first })) return path.stop();
      take({ type: "datagram", path: id, bytes: first, kind: path.kind });
      attach(id, path);
      stepSoon();
    },
    closePath(id) {
      leave(id);
      take({ type: "closePath", path: id });
      stepSoon();
    },
    rememberPath: (id) => rememberPath(connection, id),
    reconnect(protection) {
      for (const id of [...paths.keys()]) leave(id);
      take({ type: "reconnect", protection });
      stepSoon();
    },
    close(code = 0, text = "") {
      if (end === undefined) {
        take({ type: "close", code, text });
        run();
      }
      return letGo;
    },
    closed,
    metrics: () => metricsOf(connection, { steps, handedBytes: deliveries.heldBytes() }),
  };
  return link;
}

const tooMuch = 4;
const mostPaths = 16;
/** Of a 32-bit timer of milliseconds; the next step sees that it is not due yet. */
const longestTimerUs = 1e12;

function checkedId(id: number): number {
  if (!Number.isInteger(id) || id < 0 || id > 255) throw new NgpuError("INTERNAL", { path: id });
  return id;
}
