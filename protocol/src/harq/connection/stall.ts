/**
 * A stream that lost a segment delivers nothing for a round trip or more. Its TCP sends that again by itself; where
 * other streams are there, the end of a message need not wait for it: what stands behind the stall no longer counts as
 * under way, so that blocks are completed by whichever streams are alive.
 */
import type { Connection } from "./connectionState.ts";
import { tellLate } from "./fates.ts";
import type { Path } from "./path.ts";

const roundTrips = 1.5;
const graceUs = 20_000;

/** When the path counts as stalled if nothing arrives before; Infinity where nothing is under way or it is known. */
export function stallDueUs(path: Path): number {
  const { kind, book, deliveredUs, flightStartUs, isStalled } = path;
  if (kind === "datagram" || isStalled || book.inFlightBytes() === 0) return Infinity;
  return Math.max(deliveredUs, flightStartUs) + patienceUs(path);
}

export function lookForStall(path: Path, nowUs: number): void {
  if (nowUs < stallDueUs(path)) return;
  path.isStalled = true;
  path.stalls += 1;
}

/** The same as the receiver sees it; called before what came in is counted. */
export function noteGap({ inbox }: Connection, path: Path, nowUs: number): void {
  if (path.kind === "datagram" || !inbox.isIncomplete() || path.arrivals.largest() < 0) return;
  if (nowUs >= path.arrivals.largestAtUs() + patienceUs(path)) path.stalls += 1;
}

/** At the end of what is to be sent; before it the stall ends in time by itself. */
export function leaveStalled(connection: Connection, active: readonly Path[]): void {
  if (active.every(({ isStalled }) => isStalled)) return;
  for (const path of active) if (path.isStalled) tellLate(connection, path);
}

function patienceUs({ roundTrip }: Path): number {
  return roundTrips * roundTrip.smallestUs() + graceUs;
}
