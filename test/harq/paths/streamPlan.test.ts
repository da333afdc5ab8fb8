/** How many WebSockets a dialled link has, decided from what was seen. */
import { expect } from "chai";
import { test } from "node:test";
import { planStreams, type StreamsSeen } from "@ngpu/protocol/harq/link/streamPlan";

const nowUs = 100_000_000;
/** One WebSocket, no UDP, a large message on its way over it. */
const seen: StreamsSeen = {
  nowUs,
  streams: 1,
  isUdpUsed: false,
  openedUs: nowUs - 5_000_000,
  silentUs: 0,
  pathlessUs: 0,
  underWayBytes: 1_000_000,
  largeUs: nowUs,
  stalls: 0,
  rescuedUs: -Infinity,
};

const cases: readonly [string, Partial<StreamsSeen>, ReturnType<typeof planStreams>][] = [
  ["one carries a large message that nothing holds up", {}, { least: 1, most: 8, rescues: false }],
  ["eight where it stalls", { stalls: 1 }, { least: 8, most: 8, rescues: false }],
  ["one where only small ones stall", { stalls: 5, underWayBytes: 5_000 }, { least: 1, most: 8, rescues: false }],
  ["one where UDP carries it", { stalls: 5, isUdpUsed: true }, { least: 1, most: 8, rescues: false }],
  ["one while UDP may still answer", { stalls: 5, openedUs: nowUs - 400_000 }, { least: 1, most: 8, rescues: false }],
  ["one more after three seconds of silence", { silentUs: 3e6 }, { least: 2, most: 8, rescues: true }],
  [
    "no more for the same silence at once",
    { silentUs: 4e6, streams: 2, rescuedUs: nowUs - 1e6 },
    { least: 1, most: 8, rescues: false },
  ],
  [
    "one again after a calm minute",
    { streams: 8, underWayBytes: 0, largeUs: nowUs - 60e6 },
    { least: 1, most: 1, rescues: false },
  ],
  ["another where there is none", { streams: 0, pathlessUs: 1e6 }, { least: 1, most: 8, rescues: false }],
  ["none where nothing was heard for a quarter of a minute", { silentUs: 15e6 }, "over"],
  ["none where no path came about for as long", { pathlessUs: 15e6 }, "over"],
];

for (const [title, changed, plan] of cases) {
  test(title, () => {
    expect(planStreams({ ...seen, ...changed })).to.deep.equal(plan);
  });
}
