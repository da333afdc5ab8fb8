/** What a datagram that came in does: opened, then each of its frames in turn. */
import { codeOf } from "../../errors.ts";
import { decodeRetry } from "../security/retry.ts";
import { unwrapToken } from "../security/tokenEnvelope.ts";
import { decodeHeader, type DatagramHeader } from "../wire/datagramHeader.ts";
import { decodeFrames } from "../wire/decodeFrames.ts";
import type { Frame, StatusFrame } from "../wire/frames.ts";
import type { Connection } from "./connectionState.ts";
import { onFates } from "./fates.ts";
import { onRetry } from "./onRetry.ts";
import { reviveLapsed } from "./keepAlive.ts";
import { openPath } from "./openPath.ts";
import type { Path, PathKind } from "./path.ts";
import { noteGap } from "./stall.ts";
import { onResponse } from "./validation.ts";

export interface IncomingDatagram {
  readonly path: number;
  /** Of the path that it opens. */
  readonly kind?: PathKind;
  readonly bytes: Uint8Array;
}

/**
 * Length, connection, repeat and key are checked in this order; the packet number counts only once it proved
 * authentic.
 */
export function receive(connection: Connection, { path: id, bytes, kind = "datagram" }: IncomingDatagram, nowUs: number): void {
  const retry = decodeRetry(bytes);
  if (retry !== undefined && onRetry(connection, retry, nowUs)) return;
  const opened = openDatagram(connection, id, unwrapToken(bytes).datagram);
  if (opened === undefined) {
    connection.counts.refused += 1;
    return;
  }
  const path = connection.paths.get(id) ?? openPath(connection, { path: id, kind, isOurs: false }, nowUs);
  noteGap(connection, path, nowUs);
  if (path.hasLapsed) reviveLapsed(path, nowUs);
  path.arrivals.add(opened.header.packetNumber, nowUs);
  path.receivedBytes += bytes.length;
  connection.counts.receivedBytes += bytes.length;
  for (const frame of opened.frames) onFrame(connection, path, frame, nowUs);
}

export function isAuthentic(connection: Connection, { path, bytes }: IncomingDatagram): boolean {
  return openDatagram(connection, path, unwrapToken(bytes).datagram) !== undefined;
}

function openDatagram(connection: Connection, path: number, bytes: Uint8Array) {
  try {
    const header: DatagramHeader = decodeHeader(bytes);
    if (
      header.path !== path ||
      (connection.paths.get(path) ?? connection.closedPaths.get(path))?.arrivals.isRepeat(header.packetNumber)
    )
      return undefined;
    const body = connection.protection.open(header, bytes);
    return body === undefined ? undefined : { header, frames: decodeFrames(body) };
  } catch (error) {
    if (codeOf(error) === "WIRE_MALFORMED") return undefined;
    throw error;
  }
}

function onFrame(connection: Connection, path: Path, frame: Frame, nowUs: number): void {
  const { inbox, outbox, events, report } = connection;
  const asks = (): void => {
    path.hasUnreported = true;
    connection.replyPath = path.id;
  };
  switch (frame.type) {
    case "symbol":
    case "end": {
      asks();
      const received = frame.type === "symbol" ? inbox.onSymbol(frame) : inbox.onEnd(frame);
      events.push(...received.events);
      report.isUrgent ||= received.isProgress;
      return;
    }
    case "status":
      return onStatus(connection, frame, nowUs);
    case "done":
      path.control.push({ type: "doneAck", message: frame.message });
      events.push(...outbox.remove(frame.message, frame.verdict));
      return;
    case "doneAck":
      return inbox.onDoneAck(frame.message);
    case "ping":
      asks();
      report.isUrgent = true;
      return;
    case "challenge":
      path.control.push({ type: "response", data: frame.data.slice() });
      return;
    case "response":
      return onResponse(connection, path, frame.data, nowUs);
    case "cancel":
      events.push(...inbox.onCancel(frame).events);
      return;
    case "resume":
      connection.mustPlan = true;
      connection.mustHear = false;
      if (outbox.onResume(frame) === "unknown") {
        path.control.push({ type: "cancel", message: frame.message, length: frame.length, code: unknownMessage });
      }
      return;
    case "close":
      connection.isClosed = true;
      events.push({ type: "closed", code: frame.code, text: frame.text, byPeer: true });
  }
}

const unknownMessage = 2;

function onStatus(connection: Connection, status: StatusFrame, nowUs: number): void {
  connection.outbox.onStatus(status);
  connection.mustHear = false;
  connection.mustPlan = true;
  const path = connection.paths.get(status.path);
  if (path === undefined || status.largest >= path.nextNumber) return;
  onFates(connection, path, status, nowUs);
}
