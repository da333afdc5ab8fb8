/**
 * A path proves itself by answering a challenge: before that no symbol goes over it. It is asked with growing pauses
 * up to 30 s (1 s while messages wait and there is no other), and said to have failed after eight; one that fell
 * silent later is asked again after 30 s, then ever less often.
 */
import type { Connection } from "./connectionState.ts";
import { abandon } from "./fates.ts";
import type { Path } from "./path.ts";

const manyTries = 8;
const longestWaitUs = 30_000_000;
/** While messages wait for any path at all. */
const longestNeededUs = 1_000_000;
const shortestWaitUs = 50_000;
const longestRetryUs = 600_000_000;

export function beginChallenge(connection: Connection, path: Path, nowUs: number): void {
  const data = connection.options.randomBytes(8);
  path.challenge = { data, tries: 0, sentUs: nowUs, nextUs: nowUs };
}

/** The CHALLENGE that is due on a path. */
export function dueChallenge(connection: Connection, path: Path, nowUs: number): Uint8Array | undefined {
  if (path.isSuspect && path.challenge === undefined && nowUs >= path.retryUs) {
    path.retryEveryUs = Math.min(longestRetryUs, 2 * path.retryEveryUs);
    path.retryUs = nowUs + path.retryEveryUs;
    beginChallenge(connection, path, nowUs);
  }
  const { challenge } = path;
  if (challenge === undefined || nowUs < challenge.nextUs) return undefined;
  if (challenge.tries === manyTries && !path.isValidated) {
    abandon(path);
    connection.events.push({ type: "pathFailed", path: path.id });
  }
  challenge.tries += 1;
  challenge.sentUs = nowUs;
  const waitUs = Math.max(shortestWaitUs, 1.5 * path.roundTrip.smoothedUs());
  const isNeeded =
    connection.outbox.queuedBytes() > 0 && ![...connection.paths.values()].some(({ isValidated }) => isValidated);
  challenge.nextUs =
    nowUs +
    Math.min(isNeeded ? longestNeededUs : longestWaitUs, waitUs * 2 ** Math.max(0, Math.min(16, challenge.tries - 3)));
  return challenge.data;
}

export function onResponse(connection: Connection, path: Path, data: Uint8Array, nowUs: number): void {
  const { challenge } = path;
  if (challenge === undefined || !data.every((byte, at) => byte === challenge.data[at])) return;
  path.challenge = undefined;
  path.token = undefined;
  if (challenge.tries === 1) path.roundTrip.sample(nowUs - challenge.sentUs, nowUs);
  path.isSuspect = false;
  path.silentProbes = 0;
  path.retryUs = Infinity;
  if (path.isValidated) return;
  path.isValidated = true;
  connection.events.push({ type: "pathValidated", path: path.id });
}

export function challengeDueUs(path: Path): number {
  return Math.min(path.challenge?.nextUs ?? Infinity, path.isSuspect ? path.retryUs : Infinity);
}
