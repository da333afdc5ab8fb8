/** Two connections with paths between them on a virtual clock; keeps what was delivered, and to whom what was owed. */
import { createHash } from "node:crypto";
import { createConnection, step } from "@ngpu/protocol/harq/connection";
import type { CongestionController, ControllerOptions } from "@ngpu/protocol/harq/congestion/controller";
import type {
  Connection,
  ConnectionEvent,
  ConnectionInput,
  RememberedPath,
} from "@ngpu/protocol/harq/connection/connectionState";
import type { PathKind } from "@ngpu/protocol/harq/connection/path";
import type { Protection } from "@ngpu/protocol/harq/connection/protection";
import type { Hasher } from "@ngpu/protocol/harq/message/ports";
import type { Priority } from "@ngpu/protocol/harq/message/priority";
import { createErasureCodec } from "@ngpu/protocol/wire/fec/createErasureCodec";
import { createEventQueue, type EventQueue } from "./eventQueue.ts";
import { createLink, type Link, type LinkConditions } from "./lossyLink.ts";
import { createPlainProtection } from "./plainProtection.ts";
import { createRandom, type Random } from "./random.ts";

export interface Delivery {
  readonly message: number;
  readonly atUs: number;
  readonly length: number;
  readonly sha256: string;
}

export interface Side {
  readonly connection: Connection;
  readonly deliveries: Delivery[];
  readonly events: (ConnectionEvent & { readonly atUs: number })[];
  /** Sends a message of these bytes; outcome in `events`. */
  send(bytes: Uint8Array, priority?: Priority): number;
  feed(input: ConnectionInput): void;
  /** Most bytes of others' messages held at once. */
  mostHeldBytes(): number;
}

export interface WorldPath {
  readonly there: Link;
  readonly back: Link;
}

export interface World {
  readonly queue: EventQueue;
  readonly random: Random;
  readonly near: Side;
  readonly far: Side;
  openPath(id: number, options: PathSetup): WorldPath;
  /** Runs until the condition holds; false when it did not by `untilUs`. */
  runUntil(isReached: () => boolean, untilUs: number): boolean;
}

export interface PathSetup {
  readonly kind?: PathKind;
  readonly there: LinkConditions;
  readonly back?: LinkConditions;
  readonly memory?: RememberedPath;
  readonly rttUs?: number;
}

export interface WorldOptions {
  readonly seed: number;
  readonly createController: (options: ControllerOptions, kind: PathKind) => CongestionController;
  readonly largestDatagramBytes?: number;
  /** In place of ones without keys. */
  readonly protections?: { readonly near: Protection; readonly far: Protection };
  /** A clock that others go by too. */
  readonly queue?: EventQueue;
}

const codec = createErasureCodec();

export function createWorld(options: WorldOptions): World {
  const { seed, createController, largestDatagramBytes, queue = createEventQueue() } = options;
  const random = createRandom(seed);
  const routes = new Map<Side, Map<number, Link>>();

  const createSide = (protection: Protection = createPlainProtection(7n)): Side => {
    const connection = createConnection({
      codec,
      createHasher,
      protection,
      createController: (kind, options) => createController(options, kind),
      randomBytes: (count) => random.bytes(count),
      ...(largestDatagramBytes === undefined ? {} : { largestDatagramBytes }),
    });
    const deliveries: Delivery[] = [];
    const events: Side["events"] = [];
    const hashers = new Map<number, Hasher>();
    let scheduledUs = Infinity;
    let handle = 0;
    let mostHeldBytes = 0;
    const deliver = (event: ConnectionEvent): void => {
      events.push({ ...event, atUs: queue.nowUs() });
      if (event.type === "piece") {
        const hasher = hashers.get(event.message) ?? createHasher();
        hashers.set(event.message, hasher);
        hasher.update(event.bytes);
        feed({ type: "consumed", message: event.message, offset: event.offset + event.bytes.length });
      }
      if (event.type !== "message") return;
      const hasher = hashers.get(event.message) ?? createHasher();
      if (event.bytes !== undefined) hasher.update(event.bytes);
      const sha256 = Buffer.from(hasher.digest()).toString("hex");
      deliveries.push({ message: event.message, atUs: queue.nowUs(), length: event.length, sha256 });
      feed({ type: "consumed", message: event.message });
    };
    const feed = (input: ConnectionInput): void => {
      const result = step(connection, input, queue.nowUs());
      mostHeldBytes = Math.max(mostHeldBytes, connection.inbox.heldBytes());
      for (const { path, bytes } of result.datagrams) routes.get(side)?.get(path)?.send(bytes);
      if (result.nextUs < scheduledUs || scheduledUs <= queue.nowUs()) {
        scheduledUs = result.nextUs;
        const mine = scheduledUs;
        if (mine < Infinity) queue.at(mine, () => scheduledUs === mine && feed({ type: "tick" }));
      }
      for (const event of result.events) deliver(event);
    };
    const side: Side = {
      connection,
      deliveries,
      events,
      feed,
      send(bytes, priority = "bulk") {
        handle += 1;
        const source = { length: bytes.length, read: (at: number, length: number) => bytes.subarray(at, at + length) };
        feed({ type: "send", handle, source, priority });
        return handle;
      },
      mostHeldBytes: () => mostHeldBytes,
    };
    routes.set(side, new Map());
    return side;
  };

  const near = createSide(options.protections?.near);
  const far = createSide(options.protections?.far);
  return {
    queue,
    random,
    near,
    far,
    openPath(id, { kind = "datagram", there, back = there, memory, rttUs }) {
      const towards = (side: Side, conditions: LinkConditions): Link =>
        createLink({ queue, random, conditions, deliver: (bytes) => side.feed({ type: "datagram", path: id, bytes }) });
      const path = { there: towards(far, there), back: towards(near, back) };
      routes.get(near)!.set(id, path.there);
      routes.get(far)!.set(id, path.back);
      const opening = { type: "openPath", path: id, kind, ...(rttUs === undefined ? {} : { rttUs }) } as const;
      near.feed({ ...opening, ...(memory === undefined ? {} : { memory }) });
      if (kind === "stream") far.feed(opening);
      return path;
    },
    runUntil(isReached, untilUs) {
      while (!isReached()) if (!queue.runNext(untilUs)) return isReached();
      return true;
    },
  };
}

export function createHasher(): Hasher {
  const hash = createHash("sha256");
  return { update: (bytes) => void hash.update(bytes), digest: () => hash.digest() };
}

export function sha256Of(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
