/**
 * All that is due at a moment, in order: proofs of paths, answers, symbols, probes; and when something is due next.
 */
import { isTail } from "../message/sendingConditions.ts";
import type { Frame } from "../wire/frames.ts";
import { frameBytes } from "../wire/frameBytes.ts";
import type { Connection } from "./connectionState.ts";
import { askForKeys, keysDueUs } from "./keyChange.ts";
import { keepAlive, keepAliveDueUs, tendIdlePaths } from "./keepAlive.ts";
import { smallestDatagramBytes } from "./datagramBytes.ts";
import { hasWindow, type Path } from "./path.ts";
import { activePaths, bodyBytesForNew, conditionsOf, replyPath } from "./pathChoice.ts";
import { overheadBytes } from "./protection.ts";
import { donesDueUs, makeDones, makeReport, reportDueUs } from "./report.ts";
import { probe, probeDueUs } from "./tailProbe.ts";
import { leaveStalled, lookForStall, stallDueUs } from "./stall.ts";
import { noContent, sendPacket, sendStripes, sendSymbols, takeControl } from "./transmit.ts";
import { challengeDueUs, dueChallenge } from "./validation.ts";

const longestCancelWaitUs = 1_000_000;

export function transmit(connection: Connection, nowUs: number): void {
  tendIdlePaths(connection, nowUs);
  for (const path of connection.paths.values()) {
    const data = dueChallenge(connection, path, nowUs);
    if (data !== undefined) challenge(connection, path, data, nowUs);
    probeSize(connection, path, nowUs);
  }
  askForKeys(connection, nowUs);
  resume(connection);
  cancel(connection, nowUs);
  sendMessages(connection, nowUs);
  answer(connection, nowUs);
  const active = activePaths(connection);
  for (const path of connection.paths.values()) {
    flush(connection, path, nowUs);
    keepAlive(connection, path, nowUs);
    if (nowUs >= probeDueUs(connection, path, active)) probe(connection, path, nowUs);
  }
}

const earlyTries = 2;
/** Until enough came from an address that has not proved itself for a challenge to go there. */
const heldBackUs = 20_000;

function challenge(connection: Connection, path: Path, data: Uint8Array, nowUs: number): void {
  if (path.kind === "datagram" && path.isOurs) challengeInFull(connection, path, data, nowUs);
  // A report that is due takes the answer along, so that the peer knows of its sizes when it knows of the path.
  const control = connection.report.isUrgent ? [] : takeControl(path, 512);
  const asks: Frame[] = connection.mustHear ? [{ type: "ping" }] : [];
  const frames: Frame[] = [{ type: "challenge", data }, ...asks, ...control];
  const isStream = path.kind === "stream";
  const proofBytes = isStream ? smallestDatagramBytes : path.size.packetBytes();
  const paddedTo = path.isOurs && !(isStream && path.isValidated) ? { paddedTo: proofBytes } : {};
  const isSent = sendPacket(connection, path, { frames, type: "probe", ...paddedTo }, nowUs);
  if (isSent || path.challenge === undefined) return;
  path.control.unshift(...control);
  path.challenge.tries -= 1;
  path.challenge.nextUs = nowUs + heldBackUs;
}

/** The same in a packet of the largest size: whether that came is known no later than that the path is good. */
function challengeInFull(connection: Connection, path: Path, data: Uint8Array, nowUs: number): void {
  const isEarly = !path.isValidated && (path.challenge?.tries ?? 0) <= earlyTries;
  const bytes = isEarly ? path.size.probe(nowUs) : undefined;
  if (bytes === undefined) return;
  const content = { ...noContent, isSizeProbe: true };
  const frames: Frame[] = [{ type: "challenge", data }, { type: "ping" }];
  sendPacket(connection, path, { frames, type: "probe", content, paddedTo: bytes }, nowUs);
}

function probeSize(connection: Connection, path: Path, nowUs: number): void {
  if (!path.isValidated || path.kind === "stream") return;
  const bytes = path.size.probe(nowUs);
  if (bytes !== undefined) {
    const content = { ...noContent, isSizeProbe: true };
    sendPacket(connection, path, { frames: [{ type: "ping" }], content, paddedTo: bytes }, nowUs);
  }
  if (path.size.takeSmallPacket()) {
    sendPacket(connection, path, { frames: [{ type: "ping" }], content: noContent }, nowUs);
  }
}

function resume(connection: Connection): void {
  const path = connection.mustResume ? activePaths(connection)[0] : undefined;
  if (path === undefined) return;
  path.control.push(...connection.inbox.resumes());
  connection.mustResume = false;
}

function cancel(connection: Connection, nowUs: number): void {
  const cancellations = connection.outbox.cancellations();
  if (cancellations.length === 0 || nowUs < connection.cancel.nextUs) return;
  const path = activePaths(connection)[0];
  if (path === undefined) return;
  for (const cancellation of cancellations) path.control.push({ type: "cancel", ...cancellation });
  const waitUs = 1.25 * path.roundTrip.smoothedUs() * 2 ** connection.cancel.tries;
  connection.cancel = { tries: connection.cancel.tries + 1, nextUs: nowUs + Math.min(longestCancelWaitUs, waitUs) };
}

function sendMessages(connection: Connection, nowUs: number): void {
  const active = activePaths(connection);
  if (active.length === 0 || connection.mustHear) return;
  const { outbox } = connection;
  const body = bodyBytesForNew(connection);
  outbox.recut(Math.max(...active.map(({ size }) => size.packetBytes())) - overheadBytes);
  const before = conditionsOf(connection, active, nowUs);
  outbox.begin(body, before.loss);
  for (const path of active) lookForStall(path, nowUs);
  if (before.profile === "striped" && isTail(before)) leaveStalled(connection, active);
  if (connection.mustPlan) outbox.plan(before);
  connection.mustPlan = false;
  if (before.profile === "striped") {
    return sendStripes(connection, active, conditionsOf(connection, active, nowUs), nowUs);
  }
  for (const path of active) {
    const isIdle = sendSymbols(connection, path, conditionsOf(connection, active, nowUs), nowUs);
    if (isIdle) path.appLimitedUntilBytes = path.deliveredBytes + path.book.inFlightBytes() + 1;
  }
}

/** Verdicts and STATUS, on the path where the peer was heard. */
function answer(connection: Connection, nowUs: number): void {
  const path = replyPath(connection);
  if (path === undefined) return;
  const room = Math.min(path.size.packetBytes(), smallestDatagramBytes) - overheadBytes;
  const isDue = nowUs >= reportDueUs(connection);
  if (!isDue && nowUs < donesDueUs(connection)) return;
  const dones = makeDones(connection, { room: 600, nowUs, rttUs: path.roundTrip.smoothedUs(), withReport: isDue });
  const control = takeControl(path, 200);
  const used = [...dones, ...control].reduce((total, frame) => total + frameBytes(frame), 0);
  const report = isDue ? makeReport(connection, room - used, nowUs) : [];
  const frames = [...dones, ...control, ...report];
  connection.report.turn += 1;
  if (frames.length === 0) return;
  connection.counts.statusBytes += report.reduce((total, frame) => total + frameBytes(frame), overheadBytes);
  if (!sendPacket(connection, path, { frames }, nowUs)) path.control.unshift(...control);
}

function flush(connection: Connection, path: Path, nowUs: number): void {
  while (path.control.length > 0) {
    const before = [...path.control];
    const frames = takeControl(path, path.size.packetBytes() - overheadBytes);
    const type = frames.some((frame) => frame.type === "response") ? { type: "probeReply" as const } : {};
    if (frames.length > 0 && sendPacket(connection, path, { frames, ...type }, nowUs)) continue;
    path.control = before;
    return;
  }
}

const finestUs = 250;

export function nextStepUs(connection: Connection, nowUs: number): number {
  let dueUs = Math.min(reportDueUs(connection), donesDueUs(connection));
  if (connection.outbox.cancellations().length > 0) dueUs = Math.min(dueUs, connection.cancel.nextUs);
  const hasNext = connection.outbox.hasNext();
  const active = activePaths(connection);
  dueUs = Math.min(dueUs, keysDueUs(connection, active.length));
  for (const path of connection.paths.values()) {
    dueUs = Math.min(dueUs, challengeDueUs(connection, path), probeDueUs(connection, path, active), stallDueUs(path));
    dueUs = Math.min(dueUs, keepAliveDueUs(connection, path));
    if (path.isValidated && path.kind === "datagram") dueUs = Math.min(dueUs, path.size.nextUs());
    if (hasNext && active.includes(path) && hasWindow(path, path.size.packetBytes(), nowUs))
      dueUs = Math.min(dueUs, path.releaseUs);
  }
  return Math.max(dueUs, nowUs + finestUs);
}
