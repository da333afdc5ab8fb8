/** Which paths carry symbols at the moment, and what they say together. */
import type { SendingConditions } from "../message/sendingConditions.ts";
import { symbolHeaderBytes } from "../wire/frameBytes.ts";
import type { Connection } from "./connectionState.ts";
import { hasWindow, streamWindowBytes, type Path } from "./path.ts";
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

/**
 * Room for frames in a datagram that any path could carry on which a new message may travel. On streams it is less
 * than they could carry: what is sent over several must come in many parts.
 */
export function bodyBytesForNew({ paths: all, options }: Connection): number {
  const paths = [...all.values()];
  const datagrams = paths.filter(({ kind }) => kind === "datagram");
  const most = (options.agreed?.largestSymbolBytes ?? Infinity) + symbolHeaderBytes;
  if (datagrams.length > 0) return Math.min(most, smallestBody(datagrams));
  return Math.min(most, stripeBodyBytes, smallestBody(paths));
}

const stripeBodyBytes = 4_096;
const youngBytes = 262_144;

/**
 * Room for frames in the next datagram on a path. One of several streams carries little at a time, and so does one
 * that has only begun: TCP's first flight is shorter than the longest datagram, which would look like a stall.
 */
export function bodyBytesOn(connection: Connection, path: Path, profile: SendingConditions["profile"]): number {
  const most = path.size.packetBytes() - overheadBytes;
  const isYoung = path.kind === "stream" && path.deliveredBytes < youngBytes;
  if (profile !== "striped" && !isYoung) return most;
  const largest = connection.outbox.open().reduce((bytes, { parts }) => Math.max(bytes, parts.symbolBytes), 0);
  return Math.min(most, Math.max(stripeBodyBytes, largest + symbolHeaderBytes));
}

/** The stream on which the least is under way for what it delivers. */
export function nextStripe(active: readonly Path[], nowUs: number): Path | undefined {
  let best: { readonly path: Path; readonly share: number } | undefined;
  for (const path of active) {
    const share = path.book.inFlightBytes() / streamWindowBytes(path, nowUs);
    const isOpen = path.releaseUs <= nowUs && hasWindow(path, stripeBodyBytes, nowUs);
    if (isOpen && share < (best?.share ?? Infinity)) best = { path, share };
  }
  return best?.path;
}

function smallestBody(paths: readonly Path[]): number {
  return paths.reduce((least, { size }) => Math.min(least, size.packetBytes()), Infinity) - overheadBytes;
}

export function conditionsOf(connection: Connection, active: readonly Path[], nowUs: number): SendingConditions {
  const isLossy = active.some(({ kind }) => kind === "datagram");
  const isStriped = !isLossy && active.length > 1;
  const over = (value: (path: Path) => number): number[] => active.map(value);
  return {
    profile: isLossy ? "coded" : isStriped ? "striped" : "framed",
    loss: Math.max(0.002, ...over(({ loss }) => loss.bound())),
    unclampedLoss: Math.max(0, ...over(({ loss }) => loss.unclampedBound())),
    meanBurst: Math.max(1, ...over(({ loss }) => loss.meanBurst())),
    rttUs: Math.min(...over(({ roundTrip }) => (isStriped ? roundTrip.smallestUs() : roundTrip.smoothedUs()))),
    bytesPerSecond: Math.max(
      1,
      over((path) => (isStriped ? stripeRate(path, nowUs) : path.controller.bytesPerSecond())).reduce(
        (sum, rate) => sum + rate,
        0,
      ),
    ),
    isCongested: active.length > 0 && active.every(({ controller }) => controller.isCongested()),
    queuedBytes: connection.outbox.queuedBytes(),
  };
}

/** TCP hides from congestion control how much it could send; what was delivered lately is known. */
function stripeRate(path: Path, nowUs: number): number {
  return (streamWindowBytes(path, nowUs) * 1e6) / path.roundTrip.smallestUs();
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
