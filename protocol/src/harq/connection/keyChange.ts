/** A change of keys on the paths there are: asked for by a PING in the next phase, on each working path in turn. */
import type { Connection } from "./connectionState.ts";
import { activePaths } from "./pathChoice.ts";
import { noContent, sendPacket } from "./transmit.ts";

const patienceUs = 25_000;

/** What a packet and its report may take on the slowest path. */
export function ptoUs({ paths }: Connection): number {
  let longestUs = 0;
  for (const { roundTrip } of paths.values()) {
    longestUs = Math.max(longestUs, 1.125 * roundTrip.smoothedUs() + 4 * roundTrip.variationUs());
  }
  return longestUs + patienceUs;
}

/** Tells the keys the time, so that old ones go and new ones are asked for. */
export function tickKeys(connection: Connection, nowUs: number): void {
  connection.protection.phases?.tick(nowUs, () => ptoUs(connection));
}

/** Sends the question for the next phase when it is due and a path works. */
export function askForKeys(connection: Connection, nowUs: number): void {
  const { phases } = connection.protection;
  if (phases === undefined || nowUs < phases.askingDueUs()) return;
  const active = activePaths(connection);
  const path = active[connection.keyAskings % active.length];
  if (path === undefined) return;
  const keyPhase = phases.takeAsking(nowUs);
  if (keyPhase === undefined) return;
  connection.keyAskings += 1;
  sendPacket(connection, path, { frames: [{ type: "ping" }], content: { ...noContent, keyPhase } }, nowUs);
}

/** Infinity while no path could carry the question. */
export function keysDueUs(connection: Connection, pathsActive: number): number {
  return pathsActive === 0 ? Infinity : (connection.protection.phases?.askingDueUs() ?? Infinity);
}
