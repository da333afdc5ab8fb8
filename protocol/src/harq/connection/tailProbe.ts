/**
 * Where nothing was sent for a round trip and a quarter and something is not done, a path is probed with two new
 * symbols, at most every second. After three probes without an answer it is suspect, and what was under way on it is
 * sent by another path. Where it may be their size that is lost, a small packet goes along.
 */
import type { Connection } from "./connectionState.ts";
import { abandon } from "./fates.ts";
import { smallestDatagramBytes } from "./datagramBytes.ts";
import type { Path } from "./path.ts";
import { noContent, probeSymbols, sendPacket } from "./transmit.ts";

const graceUs = 20_000;
const longestUs = 1_000_000;
const silentProbes = 3;
const symbolsPerProbe = 2;

/** When to probe this path if nothing else happens on it. */
export function probeDueUs(connection: Connection, path: Path, active: readonly Path[]): number {
  const { outbox } = connection;
  const isNeeded = active.includes(path) && (outbox.isOpen() || outbox.isBlocked());
  if (!path.isValidated || (!isNeeded && path.book.inFlightBytes() === 0)) return Infinity;
  const firstUs = 1.25 * path.roundTrip.smoothedUs() + graceUs;
  return path.askedUs + Math.max(firstUs, Math.min(longestUs, firstUs * 2 ** path.silentProbes));
}

export function probe(connection: Connection, path: Path, nowUs: number): void {
  path.silentProbes += 1;
  if (path.silentProbes > silentProbes && !path.isSuspect && connection.paths.size > 1) {
    suspect(connection, path, nowUs);
    return;
  }
  const mayRepair = path.kind === "datagram";
  const mayBeSize = path.size.packetBytes() > smallestDatagramBytes && path.silentProbes >= 2;
  if (mayRepair && probeSymbols(connection, path, symbolsPerProbe, nowUs) > 0 && !mayBeSize) return;
  sendPacket(connection, path, { frames: [{ type: "ping" }], content: noContent }, nowUs);
}

export function suspect(connection: Connection, path: Path, nowUs: number): void {
  path.isSuspect = true;
  path.retryUs = nowUs + path.retryEveryUs;
  abandon(path);
  connection.mustPlan = true;
  connection.events.push({ type: "pathSuspect", path: path.id });
}
