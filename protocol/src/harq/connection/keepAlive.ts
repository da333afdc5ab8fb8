/**
 * A NAT forgets a binding of UDP that is silent: many after 30 s, whatever RFC 4787 asks of them. The end that opened
 * a path therefore asks for a report when it asked for none for about 20 s; without an answer the path is suspect, as
 * ever (`tailProbe.ts`). Where another path is there, one that carried nothing for five minutes may lapse, and so
 * may, for the other end, one on which three of those questions did not come: it is proved anew when it is next needed.
 */
import type { Connection } from "./connectionState.ts";
import type { Path } from "./path.ts";
import { noContent, sendPacket } from "./transmit.ts";

const everyUs = 20_000_000;
/** Either way: links that began together do not go on asking together. */
const jitter = 0.15;
const restingUs = 300_000_000;
const unheardUs = 60_000_000;

/** When to ask if nothing else does; Infinity for a path that is not kept. */
export function keepAliveDueUs(connection: Connection, path: Path): number {
  const isKept = path.kind === "datagram" && path.isOurs && path.isValidated && !path.isSuspect;
  if (!isKept || path.book.inFlightBytes() > 0) return Infinity;
  return path.askedUs + everyUs * (1 + jitter * spread(connection, path));
}

export function keepAlive(connection: Connection, path: Path, nowUs: number): void {
  if (nowUs < keepAliveDueUs(connection, path)) return;
  sendPacket(connection, path, { frames: [{ type: "ping" }], content: noContent }, nowUs);
}

/** Before paths are chosen: lets those go that are likely to be dead, and asks for them again where they are needed. */
export function tendIdlePaths(connection: Connection, nowUs: number): void {
  const { outbox, inbox, paths } = connection;
  const isNeeded = outbox.isOpen() || outbox.isBlocked();
  const isResting = nowUs - connection.busyUs >= restingUs;
  if (isNeeded || inbox.isIncomplete()) connection.busyUs = nowUs;
  for (const path of paths.values()) {
    if (path.hasLapsed) {
      if (isNeeded) reviveLapsed(path, nowUs);
    } else if (isIdle(path) && paths.size > 1) {
      const hasLapsed = path.isOurs ? isResting : nowUs - path.arrivals.largestAtUs() >= unheardUs;
      if (hasLapsed) lapse(path);
    }
  }
}

/** The path proves itself again; until then others carry what there is. */
export function reviveLapsed(path: Path, nowUs: number): void {
  path.hasLapsed = false;
  path.retryUs = nowUs;
}

function lapse(path: Path): void {
  path.hasLapsed = true;
  path.isSuspect = true;
  path.retryUs = Infinity;
}

function isIdle({ kind, isValidated, isSuspect, book }: Path): boolean {
  return kind === "datagram" && isValidated && !isSuspect && book.inFlightBytes() === 0;
}

/** From −1 to 1, of the connection's id, which is random, and different each time. */
function spread({ protection }: Connection, { nextNumber }: Path): number {
  const seed = Number((protection.connectionId ?? 0n) & 0xffffn) + nextNumber * 40_503;
  return (seed % 65_536) / 32_768 - 1;
}
