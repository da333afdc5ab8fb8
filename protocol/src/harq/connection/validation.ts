/**
 * A path proves itself by answering a challenge: before that no symbol goes over it. It is asked with growing pauses
 * up to 30 s (10 s where there is no other, 1 s while messages wait as well), and said to have failed after eight; one
 * that fell silent later is asked again after 30 s, then ever less often.
 */
import type { Connection } from "./connectionState.ts";
import { abandon } from "./fates.ts";
import type { Path } from "./path.ts";

const manyTries = 8;
const longestWaitUs = 30_000_000;
/** Where no path is good, the peer may have something to say and cannot: it knows no address before it is asked. */
const longestAloneUs = 10_000_000;
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
  if (challenge === undefined || nowUs < nextUs(connection, challenge)) return undefined;
  if (challenge.tries === manyTries && !path.isValidated) {
    abandon(path);
    connection.events.push({ type: "pathFailed", path: path.id });
  }
  challenge.tries += 1;
  challenge.sentUs = nowUs;
  const waitUs = Math.max(shortestWaitUs, 1.5 * path.roundTrip.smoothedUs());
  challenge.nextUs = nowUs + Math.min(longestWaitUs, waitUs * 2 ** Math.max(0, Math.min(16, challenge.tries - 3)));
  return challenge.data;
}

/** A long pause that began while nothing waited is cut short by the first message that has no other path. */
function nextUs(connection: Connection, challenge: NonNullable<Path["challenge"]>): number {
  if ([...connection.paths.values()].some(({ isValidated }) => isValidated)) return challenge.nextUs;
  const longestUs = connection.outbox.queuedBytes() > 0 ? longestNeededUs : longestAloneUs;
  return Math.min(challenge.nextUs, challenge.sentUs + longestUs);
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

export function challengeDueUs(connection: Connection, path: Path): number {
  const { challenge } = path;
  return Math.min(challenge === undefined ? Infinity : nextUs(connection, challenge), path.isSuspect ? path.retryUs : Infinity);
}
