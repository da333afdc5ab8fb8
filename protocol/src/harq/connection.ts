/**
 * A connection as a state machine: `step` takes one input and the time and gives datagrams to send, events for the
 * application and when to step again. No I/O, no clock, no randomness of its own: the same inputs give the same
 * outputs.
 */
import type { Connection, ConnectionInput, ConnectionOptions, StepResult } from "./connection/connectionState.ts";
import { tickKeys } from "./connection/keyChange.ts";
import { closePath, movePath, openPath } from "./connection/openPath.ts";
import { isAuthentic, receive } from "./connection/receive.ts";
import { nextStepUs, transmit } from "./connection/timers.ts";
import { sendPacket } from "./connection/transmit.ts";
import { createInbox } from "./message/inbox.ts";
import { createOutbox } from "./message/outbox.ts";

export function createConnection(options: ConnectionOptions): Connection {
  return {
    options,
    protection: options.protection,
    paths: new Map(),
    closedPaths: new Map(),
    inbox: createInbox(options, options.agreed?.ownCreditBytes),
    outbox: createOutbox(options, options.agreed?.peerCreditBytes),
    counts: {
      sentBytes: 0,
      sentPackets: 0,
      receivedBytes: 0,
      statusBytes: 0,
      sourceBytes: 0,
      repairBytes: 0,
      refused: 0,
    },
    doneRepeats: new Map(),
    replyPath: undefined,
    report: { lastUs: -Infinity, isUrgent: false, idle: 0, turn: 0 },
    cancel: { tries: 0, nextUs: 0 },
    keyAskings: 0,
    mustResume: false,
    mustHear: false,
    busyUs: 0,
    mustPlan: false,
    isClosed: false,
    farewell: undefined,
    events: [],
    datagrams: [],
  };
}

/**
 * Takes an input without sending what it calls for: whoever reads many datagrams in a row feeds all of them and steps
 * once. Datagrams and events are kept for that step, which has to follow soon.
 */
export function feed(connection: Connection, input: ConnectionInput, nowUs: number): void {
  if (connection.isClosed) sayAgain(connection, input, nowUs);
  else take(connection, input, nowUs);
}

export function step(connection: Connection, input: ConnectionInput, nowUs: number): StepResult {
  tickKeys(connection, nowUs);
  feed(connection, input, nowUs);
  if (connection.isClosed) repeatFarewell(connection, nowUs);
  else transmit(connection, nowUs);
  const { datagrams, events } = connection;
  connection.datagrams = [];
  connection.events = [];
  return { datagrams, events, nextUs: connection.isClosed ? nextFarewellUs(connection) : nextStepUs(connection, nowUs) };
}

function take(connection: Connection, input: ConnectionInput, nowUs: number): void {
  switch (input.type) {
    case "tick":
      return;
    case "datagram":
      return receive(connection, input, nowUs);
    case "openPath":
      openPath(connection, { ...input, isOurs: true }, nowUs);
      return;
    case "closePath":
      return closePath(connection, input.path);
    case "room": {
      const path = connection.paths.get(input.path);
      if (path !== undefined) path.roomBytes = input.bytes;
      return;
    }
    case "movePath":
      return movePath(connection, input.path, nowUs);
    case "reconnect":
      for (const id of [...connection.paths.keys()]) closePath(connection, id);
      connection.closedPaths.clear();
      connection.protection = input.protection;
      connection.mustResume = true;
      connection.mustHear = false;
      return;
    case "send":
      return connection.outbox.enqueue(input);
    case "cancel":
      connection.events.push(...connection.outbox.cancel(input.handle, input.code));
      connection.cancel = { tries: 0, nextUs: nowUs };
      return;
    case "consumed":
      if (input.offset === undefined) connection.inbox.consumed(input.message);
      else connection.inbox.consumedPieces(input.message, input.offset);
      connection.report.isUrgent = true;
      return;
    case "close":
      connection.farewell = { frame: input, saidUs: -Infinity, left: farewells };
      repeatFarewell(connection, nowUs);
      connection.isClosed = true;
      connection.events.push({ type: "closed", code: input.code, text: input.text, byPeer: false });
  }
}

const farewellEveryUs = 100_000;
/** Nothing confirms a farewell, so it is said more than once: a peer that has nothing to send would wait for ever. */
const farewells = 3;

function repeatFarewell(connection: Connection, nowUs: number): void {
  const { farewell } = connection;
  if (farewell === undefined || nowUs < nextFarewellUs(connection)) return;
  farewell.left -= 1;
  farewell.saidUs = nowUs;
  for (const path of connection.paths.values()) {
    sendPacket(connection, path, { frames: [farewell.frame], type: "close" }, nowUs);
  }
}

function nextFarewellUs({ farewell }: Connection): number {
  return farewell === undefined || farewell.left === 0 ? Infinity : farewell.saidUs + farewellEveryUs;
}

/** To a peer that still sends, beyond those. */
function sayAgain(connection: Connection, input: ConnectionInput, nowUs: number): void {
  const { farewell, paths } = connection;
  if (input.type !== "datagram" || farewell === undefined || nowUs < farewell.saidUs + farewellEveryUs) return;
  const path = paths.get(input.path);
  if (path === undefined || !isAuthentic(connection, input)) return;
  farewell.saidUs = nowUs;
  sendPacket(connection, path, { frames: [farewell.frame], type: "close" }, nowUs);
}
