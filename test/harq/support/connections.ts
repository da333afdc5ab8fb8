/** Small parts that tests of connections share: a quiet path, two ends on a virtual clock, and a connection by itself. */
import { expect } from "chai";
import { createConnection, step } from "@ngpu/protocol/harq/connection";
import type { AgreedLimits } from "@ngpu/protocol/harq/connection/agreedLimits";
import type { Connection, ConnectionInput, StepResult } from "@ngpu/protocol/harq/connection/connectionState";
import { createErasureCodec } from "@ngpu/protocol/wire/fec/createErasureCodec";
import { createDoubling, createFixedRate } from "./controllers.ts";
import type { LinkConditions } from "./lossyLink.ts";
import { createPlainProtection } from "./plainProtection.ts";
import { createRandom } from "./random.ts";
import { createHasher, createWorld, type World } from "./world.ts";

export const rate = 2_500_000;
export const quiet: LinkConditions = { delayUs: 20_000, bytesPerSecond: rate, queueBytes: 1_000_000 };
export const data = createRandom(8).bytes(600_000);

export function aWorld(largestDatagramBytes?: number): World {
  const createController = createDoubling({ bytesPerSecond: 0.9 * rate });
  return createWorld({
    seed: 1,
    createController,
    ...(largestDatagramBytes === undefined ? {} : { largestDatagramBytes }),
  });
}

export function ready(world: World, paths: readonly number[]): void {
  const isValid = (id: number): boolean =>
    [world.near, world.far].every(({ connection }) => connection.paths.get(id)?.isValidated === true);
  expect(world.runUntil(() => paths.every(isValid), 10_000_000)).to.equal(true);
}

export function aConnection(connectionId = 7n, agreed?: AgreedLimits): Connection {
  const random = createRandom(Number(connectionId));
  return createConnection({
    codec: createErasureCodec(),
    createHasher,
    protection: createPlainProtection(connectionId),
    createController: createFixedRate({ bytesPerSecond: 1e9, windowBytes: 4_000_000 }),
    randomBytes: (count) => random.bytes(count),
    largestDatagramBytes: 1_472,
    ...(agreed && { agreed }),
  });
}

/** Two connections with nothing between them but half a millisecond. */
export function createPump(one: Connection, other: Connection) {
  let nowUs = 0;
  let underWay: { to: Connection; input: ConnectionInput }[] = [];
  const events: StepResult["events"][number][] = [];
  const feed = (connection: Connection, input: ConnectionInput): void => {
    const result = step(connection, input, nowUs);
    events.push(...result.events);
    const to = connection === one ? other : one;
    for (const datagram of result.datagrams) underWay.push({ to, input: { type: "datagram", ...datagram } });
  };
  return {
    events,
    feed,
    runUntil(isReached: () => boolean, forUs = 20_000_000): void {
      const endUs = nowUs + forUs;
      while (nowUs < endUs && !isReached()) {
        nowUs += 500;
        const arriving = underWay;
        underWay = [];
        for (const { to, input } of arriving) feed(to, input);
        feed(one, { type: "tick" });
        feed(other, { type: "tick" });
      }
    },
  };
}
