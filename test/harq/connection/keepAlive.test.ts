/** Paths of UDP on a link that rests: kept through a NAT that forgets, left where it forgot, let go after a while. */
import { test } from "node:test";
import { expect } from "chai";
import { aWorld, data, quiet, ready } from "../support/connections.ts";
import type { World, WorldPath } from "../support/world.ts";

const second = 1_000_000;

function withBoth(): { world: World; udp: WorldPath } {
  const world = aWorld();
  world.openPath(0, { kind: "stream", there: { ...quiet, queueBytes: Infinity } });
  const udp = world.openPath(1, { there: quiet });
  ready(world, [0, 1]);
  return { world, udp };
}

function rest(world: World, seconds: number): void {
  world.runUntil(() => false, world.queue.nowUs() + seconds * second);
}

function send(world: World): number {
  const before = world.far.deliveries.length;
  const sentUs = world.queue.nowUs();
  world.near.send(data);
  expect(world.runUntil(() => world.far.deliveries.length > before, sentUs + 20 * second)).to.equal(true);
  return world.queue.nowUs() - sentUs;
}

test("a path that rests is asked for a sign of life before a binding of 30 s ends, and hardly more often", () => {
  const { world, udp } = withBoth();
  rest(world, 2);
  let idleUs = 0;
  let before = udp.there.wireBytes();
  const sentAtUs: number[] = [];
  for (let at = 0; at < 2_400; at += 1) {
    rest(world, 0.1);
    idleUs = udp.there.wireBytes() === before ? idleUs + second / 10 : 0;
    if (idleUs === 0) sentAtUs.push(world.queue.nowUs());
    before = udp.there.wireBytes();
    expect(idleUs).to.be.below(25 * second);
  }
  expect(sentAtUs.length).to.be.within(10, 16);
  expect(world.near.connection.paths.get(1)!.isSuspect).to.equal(false);
});

test("a path whose binding is gone is found out while the link rests, and the WebSocket carries what comes next", () => {
  const { world, udp } = withBoth();
  rest(world, 2);
  for (const link of [udp.there, udp.back]) link.change({ isDown: true });
  rest(world, 28);
  expect(world.near.connection.paths.get(1)!.isSuspect).to.equal(true);
  const before = udp.there.wireBytes();
  expect(send(world)).to.be.below(second);
  expect(udp.there.wireBytes() - before).to.be.below(5_000);
});

test("a path lapses after five minutes without messages, and is proved anew when one is to be sent", () => {
  const { world, udp } = withBoth();
  send(world);
  rest(world, 330);
  const before = udp.there.wireBytes();
  rest(world, 600);
  expect(udp.there.wireBytes(), "nothing is sent to keep it").to.equal(before);
  expect(world.near.connection.paths.get(1)!.hasLapsed).to.equal(true);
  expect(world.far.connection.paths.get(1)!.isSuspect, "while nobody looked").to.equal(false);
  send(world);
  rest(world, 1);
  expect(world.near.connection.paths.get(1)!.isSuspect).to.equal(false);
  send(world);
  expect(udp.there.wireBytes() - before).to.be.above(data.length);
});

test("the other end does not answer over a path that it has not heard for a minute", () => {
  const { world, udp } = withBoth();
  send(world);
  rest(world, 400);
  for (const link of [udp.there, udp.back]) link.change({ isDown: true });
  const before = udp.back.wireBytes();
  const sentUs = world.queue.nowUs();
  world.far.send(data);
  expect(world.runUntil(() => world.near.deliveries.length === 1, sentUs + second)).to.equal(true);
  expect(udp.back.wireBytes() - before).to.be.below(5_000);
});

test("a path that is the only one never lapses", () => {
  const world = aWorld();
  const udp = world.openPath(1, { there: quiet });
  ready(world, [1]);
  rest(world, 900);
  const before = udp.there.wireBytes();
  rest(world, 60);
  expect(udp.there.wireBytes()).to.be.above(before);
  send(world);
});
