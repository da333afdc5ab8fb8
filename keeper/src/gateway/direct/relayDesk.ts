/**
 * Pairs of WebSockets whose messages are passed on as they are: path 0 of direct links (docs/PROTOCOL.md §13). Each
 * side shows the ticket that it was given with its introduction; what the two say is sealed, and nothing is kept of it
 * beyond what waits in a socket.
 *
 *   issued → one side is there, and not read → both are there → ended
 *
 * While much waits towards one side the other is not read, so a side that reads slowly slows its own peer down and
 * costs no memory.
 */
import { ticketBytes } from "@ngpu/protocol/harq/direct/relay";
import { NgpuError } from "@ngpu/protocol/errors";
import type { Clock } from "@ngpu/protocol/service/clock";
import type { Log } from "@ngpu/protocol/service/log";
import { bytesToHex, toHex, type Hex } from "viem";
import type { RawData, WebSocket } from "ws";
import { heartbeat } from "../heartbeat.ts";

export interface RelayTickets {
  readonly client: Hex;
  readonly node: Hex;
}

export interface RelayDesk {
  /** A pair for a client and a node of that task. Throws NODE_BUSY when there are too many. */
  issue(pair: { taskId: Hex; nodeId: number }): RelayTickets;
  /** A WebSocket that was upgraded for a side of a pair; closed where no good ticket comes in time. */
  accept(socket: WebSocket): void;
  hasRoom(): boolean;
  /** Its pairs end a while later: an output is fetched at about the time at which the task ends. */
  taskEnded(taskId: Hex): void;
  /** To be called a few times a second: ends what has had its time, and who is gone. */
  tend(): void;
  counts(): { pairs: number; relayedBytes: number };
  close(): void;
}

interface Side {
  readonly socket: WebSocket;
  readonly checkAlive: () => void;
  /** What came in one piece with the ticket, while there is nobody to pass it on to. */
  readonly early: { readonly data: RawData; readonly isBinary: boolean }[];
}

interface Pair {
  readonly taskId: Hex;
  readonly nodeId: number;
  readonly tickets: RelayTickets;
  readonly sides: Side[];
  bytes: number;
  endsAtMs: number;
}

export interface RelayLimits {
  readonly mostPairs: number;
  readonly mostPairsOfNode: number;
  /** Of one pair, both directions together. */
  readonly mostPairBytes: number;
  readonly mostPairMs: number;
  /** Towards one side; the other is read again when half of it has gone out. */
  readonly mostWaitingBytes: number;
  readonly joinWithinMs: number;
  readonly afterTaskMs: number;
}

export const relayLimits: RelayLimits = {
  mostPairs: 512,
  mostPairsOfNode: 32,
  mostPairBytes: 256 * 1024 * 1024,
  mostPairMs: 3_600_000,
  mostWaitingBytes: 65_536,
  joinWithinMs: 15_000,
  afterTaskMs: 60_000,
};

/** More than one piece of a stream holds, of datagrams that a link sends before it heard anything. */
const mostEarly = 1_024;

/** Close codes of WebSockets (RFC 6455, and ours from 4400 on). */
const closeCodes = { over: 1000, goingAway: 1001, refused: 4400, tooMuch: 4413 } as const;

export function createRelayDesk(options: {
  clock: Clock;
  random: (length: number) => Uint8Array;
  log: Log;
  limits?: Partial<RelayLimits>;
}): RelayDesk {
  const { clock, random, log } = options;
  const limits = { ...relayLimits, ...options.limits };
  const pairs = new Set<Pair>();
  /** Each good once. */
  const tickets = new Map<Hex, Pair>();
  const strangers = new Map<WebSocket, number>();
  let relayedBytes = 0;

  function join(socket: WebSocket, first: RawData, isBinary: boolean): void {
    strangers.delete(socket);
    const shown = isBinary && Buffer.isBuffer(first) && first.length === ticketBytes ? bytesToHex(first) : undefined;
    const pair = shown === undefined ? undefined : tickets.get(shown);
    if (shown === undefined || pair === undefined) return socket.close(closeCodes.refused);
    tickets.delete(shown);
    pair.sides.push({ socket, checkAlive: heartbeat(socket, clock), early: [] });
    socket.once("close", () => end(pair, closeCodes.over));
    const [one, other] = pair.sides;
    if (one === undefined || other === undefined) return wait(pair);
    pair.endsAtMs = clock.monotonicMs() + limits.mostPairMs;
    pass(pair, one, other);
    pass(pair, other, one);
    one.socket.resume();
  }

  /** A socket that is not read any more still tells what it has read. */
  function wait(pair: Pair): void {
    for (const { socket, early } of pair.sides) {
      socket.pause();
      socket.on("message", (data, isBinary) => {
        if (pair.sides.length > 1) return;
        if (early.length >= mostEarly) return end(pair, closeCodes.tooMuch);
        early.push({ data, isBinary });
      });
    }
  }

  function pass(pair: Pair, from: Side, { socket: to }: Side): void {
    const take = (data: RawData, isBinary: boolean): void => {
      if (!isBinary || !Buffer.isBuffer(data)) return end(pair, closeCodes.refused);
      pair.bytes += data.length;
      relayedBytes += data.length;
      if (pair.bytes > limits.mostPairBytes) return end(pair, closeCodes.tooMuch);
      to.send(data, () => {
        if (from.socket.isPaused && to.bufferedAmount <= limits.mostWaitingBytes / 2) from.socket.resume();
      });
      if (to.bufferedAmount > limits.mostWaitingBytes) from.socket.pause();
    };
    for (const { data, isBinary } of from.early.splice(0)) take(data, isBinary);
    from.socket.on("message", take);
  }

  function end(pair: Pair, code: number): void {
    if (!pairs.delete(pair)) return;
    for (const ticket of Object.values(pair.tickets)) tickets.delete(ticket);
    for (const { socket } of pair.sides) {
      // A socket that is not read would never see the answer to its close.
      if (socket.isPaused) socket.resume();
      socket.removeAllListeners("message");
      socket.close(code);
    }
    log.debug({ taskId: pair.taskId, nodeId: pair.nodeId, bytes: pair.bytes, code }, "relay ended");
  }

  return {
    issue({ taskId, nodeId }) {
      const ofNode = [...pairs].filter((pair) => pair.nodeId === nodeId).length;
      if (pairs.size >= limits.mostPairs || ofNode >= limits.mostPairsOfNode) {
        throw new NgpuError("NODE_BUSY", { pairs: pairs.size, ofNode });
      }
      const issued = { client: toHex(random(ticketBytes)), node: toHex(random(ticketBytes)) };
      const endsAtMs = clock.monotonicMs() + limits.joinWithinMs;
      const pair: Pair = { taskId, nodeId, tickets: issued, sides: [], bytes: 0, endsAtMs };
      pairs.add(pair);
      for (const ticket of Object.values(issued)) tickets.set(ticket, pair);
      return issued;
    },
    accept(socket) {
      strangers.set(socket, clock.monotonicMs() + limits.joinWithinMs);
      socket.on("error", (error) => log.debug({ err: error }, "relay socket"));
      socket.once("close", () => strangers.delete(socket));
      socket.once("message", (data, isBinary) => join(socket, data, isBinary));
    },
    hasRoom: () => strangers.size < limits.mostPairs,
    taskEnded(taskId) {
      const endsAtMs = clock.monotonicMs() + limits.afterTaskMs;
      for (const pair of pairs) if (pair.taskId === taskId) pair.endsAtMs = Math.min(pair.endsAtMs, endsAtMs);
    },
    tend() {
      const nowMs = clock.monotonicMs();
      for (const [socket, untilMs] of strangers) if (nowMs > untilMs) socket.terminate();
      for (const pair of pairs) {
        if (nowMs > pair.endsAtMs) end(pair, closeCodes.over);
        else for (const { checkAlive } of pair.sides) checkAlive();
      }
    },
    counts: () => ({ pairs: pairs.size, relayedBytes }),
    close() {
      for (const pair of [...pairs]) end(pair, closeCodes.goingAway);
      for (const socket of strangers.keys()) socket.terminate();
    },
  };
}
