/** Paths come and go; what was under way on one that goes is sent again elsewhere by deficits. */
import type { Connection, ConnectionInput } from "./connectionState.ts";
import { smallestDatagramBytes, streamDatagramBytes } from "./datagramBytes.ts";
import { abandon } from "./fates.ts";
import { createPath, type Path } from "./path.ts";
import { beginChallenge } from "./validation.ts";

type Opening = Omit<Extract<ConnectionInput, { type: "openPath" }>, "type"> & { readonly isOurs: boolean };

const assumedRttUs = 200_000;

export function openPath(connection: Connection, opening: Opening, nowUs: number): Path {
  const { kind, memory, token, isOurs, joins = !isOurs } = opening;
  const { createController, largestDatagramBytes = smallestDatagramBytes, agreed } = connection.options;
  const largestBytes = Math.min(largestDatagramBytes, agreed?.largestDatagramBytes ?? Infinity);
  const packetBytes = kind === "stream" ? streamDatagramBytes : smallestDatagramBytes;
  closePath(connection, opening.path);
  const numbers = connection.closedPaths.get(opening.path);
  const remembered = memory === undefined ? {} : { memory: memory.congestion };
  const expectedRttUs = opening.rttUs ?? memory?.congestion.smallestRttUs ?? assumedRttUs;
  const path = createPath({
    id: opening.path,
    kind,
    isOurs,
    isValidated: kind === "stream" && !joins,
    nowUs,
    controller: createController(kind, { nowUs, packetBytes, assumedRttUs: expectedRttUs, ...remembered }),
    assumedRttUs: expectedRttUs,
    smallestPacketBytes: packetBytes,
    largestPacketBytes: kind === "stream" ? packetBytes : largestBytes,
    ...(memory === undefined ? {} : { lossMemory: memory.loss }),
    ...(numbers === undefined ? {} : { numbers }),
    ...(token === undefined ? {} : { token }),
  });
  connection.paths.set(path.id, path);
  connection.busyUs = nowUs;
  beginChallenge(connection, path, nowUs);
  return path;
}

export function closePath(connection: Connection, id: number): void {
  const path = connection.paths.get(id);
  if (path === undefined) return;
  abandon(path);
  connection.mustPlan = true;
  connection.paths.delete(id);
  connection.mustHear ||= connection.paths.size === 0 && connection.outbox.isOpen();
  connection.closedPaths.set(id, { nextNumber: path.nextNumber, arrivals: path.arrivals });
  if (connection.replyPath === id) connection.replyPath = undefined;
}

/** The same path to an address that has to prove itself; what it may send starts anew. */
export function movePath(connection: Connection, id: number, nowUs: number): void {
  const path = connection.paths.get(id);
  if (path === undefined) return;
  path.isValidated = false;
  path.isOurs = false;
  path.sentBytes = 0;
  path.receivedBytes = 0;
  beginChallenge(connection, path, nowUs);
}
