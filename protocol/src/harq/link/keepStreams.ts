/**
 * Opens and closes the WebSockets of a dialled link as `planStreams` says: it looks ten times a second while messages
 * are under way, every second otherwise, and at once when a WebSocket ends.
 */
import { linkPathIds, mostStripes, unknownLinkCode } from "../codedLink.ts";
import type { HarqLink } from "./harqLink.ts";
import type { LinkClock } from "./linkClock.ts";
import type { LinkPathMetrics } from "./linkMetrics.ts";
import { largeBytes, planStreams } from "./streamPlan.ts";
import { createWebSocketPath, type BinarySocket } from "./webSocketPath.ts";

/** A WebSocket that is being opened to join the link. */
export type JoiningSocket = BinarySocket & {
  addEventListener(type: "close", listener: (event: { readonly code: number }) => void): void;
};

export interface KeepStreamsOptions {
  readonly link: HarqLink;
  readonly clock: LinkClock;
  readonly rttUs: number;
  /** The link's first, which is open. */
  readonly first: JoiningSocket;
  dial(): JoiningSocket;
}

const busyLookUs = 100_000;
const idleLookUs = 1_000_000;
const firstRetryUs = 250_000;
const longestRetryUs = 4_000_000;
/** What ends sooner was refused. */
const heldUs = 3_000_000;
const openWithinUs = 10_000_000;
const lastPathId = 255;

/** Ends with the link, which it closes when the peer has gone or does not know it any more. */
export function keepStreams({ link, clock, rttUs, first, dial }: KeepStreamsOptions): void {
  const openedUs = clock.nowUs();
  /** By path id; those being opened have none. */
  const open = new Map<number, JoiningSocket>();
  const opening = new Set<JoiningSocket>();
  let isOver = false;
  let nextId: number = linkPathIds.firstJoined;
  let retryUs = 0;
  let retryAfterUs = firstRetryUs;
  let seenBytes = 0;
  let lookedUs = openedUs;
  let silentUs = 0;
  let pathlessUs = 0;
  let largeUs = -Infinity;
  let rescuedUs = -Infinity;
  /** Of streams that there were when the large message began. */
  let stallsBefore = 0;
  let callOff = (): void => undefined;

  function look(): void {
    callOff();
    if (isOver) return;
    const nowUs = clock.nowUs();
    const { receivedBytes, queuedBytes, heldBytes, paths } = link.metrics();
    const inFlightBytes = paths.reduce((total, path) => total + path.inFlightBytes, 0);
    const isWaiting = queuedBytes + inFlightBytes > 0;
    const passedUs = Math.min(idleLookUs, nowUs - lookedUs);
    lookedUs = nowUs;
    silentUs = isWaiting && receivedBytes === seenBytes ? silentUs + passedUs : 0;
    seenBytes = receivedBytes;
    pathlessUs = paths.length === 0 ? pathlessUs + passedUs : 0;
    const hasJoined = paths.some(({ id, isValidated }) => isValidated && id >= linkPathIds.firstJoined);
    if (hasJoined) retryAfterUs = firstRetryUs;
    const underWayBytes = queuedBytes + inFlightBytes + heldBytes;
    const stalls = paths.reduce((total, path) => total + path.stalls, 0);
    if (underWayBytes < largeBytes) stallsBefore = stalls;
    else largeUs = nowUs;
    const streams = open.size + opening.size;
    const plan = planStreams({
      ...{ nowUs, streams, openedUs, silentUs, pathlessUs, underWayBytes, largeUs, rescuedUs },
      isUdpUsed: paths.some(isUsable),
      stalls: stalls - stallsBefore,
    });
    if (plan === "over") return void link.close();
    if (plan.rescues) rescuedUs = nowUs;
    if (nowUs >= retryUs) for (let at = streams; at < Math.min(mostStripes, plan.least); at += 1) join();
    const kept = paths.filter(({ id }) => open.has(id));
    kept.sort((one, other) => Number(other.isSuspect) - Number(one.isSuspect));
    for (const { id } of kept.slice(0, -plan.most)) link.closePath(id);
    callOff = clock.after(underWayBytes > 0 ? busyLookUs : idleLookUs, look);
  }

  function join(): void {
    const dialledUs = clock.nowUs();
    const socket = dial();
    opening.add(socket);
    const late = clock.after(openWithinUs, () => socket.close());
    socket.addEventListener("open", () => {
      late();
      opening.delete(socket);
      const id = freeId();
      if (isOver || id === undefined) return socket.close();
      keep(id, socket);
      link.openPath({ id, path: createWebSocketPath(socket), rttUs, joins: true });
    });
    socket.addEventListener("close", ({ code }) => {
      late();
      opening.delete(socket);
      if (code === unknownLinkCode) return void link.close();
      const nowUs = clock.nowUs();
      // One that held, or one of several that fail together, says nothing new.
      if (nowUs - dialledUs > heldUs || nowUs < retryUs) return;
      retryUs = nowUs + retryAfterUs;
      retryAfterUs = Math.min(longestRetryUs, 2 * retryAfterUs);
    });
  }

  /** An id that was used lately may still be in use at the other end. */
  function freeId(): number | undefined {
    for (let tried = 0; tried < lastPathId; tried += 1) {
      const id = nextId;
      nextId = nextId === lastPathId ? linkPathIds.firstJoined : nextId + 1;
      if (!open.has(id)) return id;
    }
    return undefined;
  }

  function keep(id: number, socket: JoiningSocket): void {
    open.set(id, socket);
    socket.addEventListener("close", () => {
      open.delete(id);
      clock.soon(look);
    });
  }

  keep(linkPathIds.stream, first);
  void link.closed.then(() => {
    isOver = true;
    callOff();
    for (const socket of [...opening, ...open.values()]) socket.close();
  });
  look();
}

function isUsable({ kind, isValidated, isSuspect }: LinkPathMetrics): boolean {
  return kind === "datagram" && isValidated && !isSuspect;
}
