/** Which paths carry symbols at the moment, and what they say together. */
import type { SendingConditions } from "../message/sendingConditions.ts";
import { symbolHeaderBytes } from "../wire/frameBytes.ts";
import type { Connection } from "./connectionState.ts";
import type { Path } from "./path.ts";
import { overheadBytes } from "./protection.ts";

/** Datagram paths that work; where there is none, streams; where all are suspect, any of them. */
export function activePaths(connection: Connection): Path[] {
  const validated = [...connection.paths.values()].filter((path) => path.isValidated);
  const healthy = validated.filter((path) => !path.isSuspect);
  const candidates = healthy.length > 0 ? healthy : validated;
  const datagrams = candidates.filter(({ kind }) => kind === "datagram");
  if (datagrams.length === 0) return candidates;
  const room = smallestBody(datagrams);
  const fits = connection.outbox.open().every(({ parts }) => parts.symbolBytes + symbolHeaderBytes <= room);
  return fits ? datagrams : candidates;
}

/** Room for frames in a datagram that any path could carry on which a new message may travel. */
export function bodyBytesForNew(connection: Connection): number {
  const paths = [...connection.paths.values()];
  const datagrams = paths.filter(({ kind }) => kind === "datagram");
  return smallestBody(datagrams.length > 0 ? datagrams : paths);
}

function smallestBody(paths: readonly Path[]): number {
  return paths.reduce((least, { size }) => Math.min(least, size.packetBytes()), Infinity) - overheadBytes;
}

export function conditionsOf(connection: Connection, active: readonly Path[]): SendingConditions {
  const isLossy = active.some(({ kind }) => kind === "datagram");
  const over = (value: (path: Path) => number): number[] => active.map(value);
  return {
    profile: isLossy ? "coded" : active.length > 1 ? "striped" : "framed",
    loss: Math.max(0.002, ...over(({ loss }) => loss.bound())),
    unclampedLoss: Math.max(0, ...over(({ loss }) => loss.unclampedBound())),
    meanBurst: Math.max(1, ...over(({ loss }) => loss.meanBurst())),
    rttUs: Math.min(...over(({ roundTrip }) => roundTrip.smoothedUs())),
    bytesPerSecond: Math.max(
      1,
      over(({ controller }) => controller.bytesPerSecond()).reduce((sum, rate) => sum + rate, 0),
    ),
    isCongested: active.length > 0 && active.every(({ controller }) => controller.isCongested()),
    queuedBytes: connection.outbox.queuedBytes(),
  };
}

const unansweredTries = 3;

/** Where answers go: the path the peer was last heard on; each in turn where it does not confirm what it was told. */
export function replyPath(connection: Connection): Path | undefined {
  const { doneRepeats, report, paths } = connection;
  const isUnheard =
    report.idle > unansweredTries || [...doneRepeats.values()].some(({ tries }) => tries > unansweredTries);
  if (isUnheard && paths.size > 1) {
    const validated = [...paths.values()].filter(({ isValidated }) => isValidated);
    if (validated.length > 0) return validated[report.turn % validated.length];
  }
  const heard = connection.replyPath === undefined ? undefined : connection.paths.get(connection.replyPath);
  if (heard !== undefined && !heard.isSuspect) return heard;
  return activePaths(connection)[0] ?? heard ?? [...connection.paths.values()][0];
}
