/** What a path sends while nobody knows where its peer is, and whom it believes: on a clock that a test moves. */
import type { LinkClock } from "@ngpu/protocol/harq/link/linkClock";
import { createPunchedPath } from "@ngpu/protocol/service/harq/direct/punchedPath";
import { createUdpPath, type UdpAddress } from "@ngpu/protocol/service/harq/udpPath";
import { expect } from "chai";
import { describe, it } from "node:test";

const at = (port: number): UdpAddress => ({ address: "203.0.113.9", port });
const challenge = Uint8Array.of(7, 7, 7);

function aPath(options: { delayUs?: number; targets?: UdpAddress[] } = {}) {
  const { delayUs = 0, targets = [at(1), at(2)] } = options;
  const timers: { dueUs: number; act: () => void }[] = [];
  let nowUs = 0;
  const clock: LinkClock = {
    nowUs: () => nowUs,
    after(us, act) {
      const timer = { dueUs: nowUs + us, act };
      timers.push(timer);
      return () => void (timers.includes(timer) && timers.splice(timers.indexOf(timer), 1));
    },
    soon: (act) => act(),
  };
  const sent: { atMs: number; port: number; bytes: number }[] = [];
  const send = (bytes: Uint8Array, to: UdpAddress): void =>
    void sent.push({ atMs: nowUs / 1_000, port: to.port, bytes: bytes.length });
  const inner = createUdpPath({ remote: undefined, send, room: () => 64, stopped: () => undefined });
  let heard = 0;
  let moves = 0;
  const path = createPunchedPath({ inner, send, targets, delayUs, heardBytes: () => heard, clock });
  path.start({
    datagram(bytes, adopt) {
      // Only what begins with 1 is authentic.
      if (bytes[0] !== 1) return;
      heard += bytes.length;
      if (adopt === undefined) return;
      adopt();
      moves += 1;
    },
    down: () => undefined,
  });
  return {
    ...{ path, inner, sent, timers },
    moves: () => moves,
    pass(ms: number) {
      const untilUs = nowUs + ms * 1_000;
      for (;;) {
        const [next] = timers.filter(({ dueUs }) => dueUs <= untilUs).toSorted((a, b) => a.dueUs - b.dueUs);
        if (next === undefined) break;
        timers.splice(timers.indexOf(next), 1);
        nowUs = next.dueUs;
        next.act();
      }
      nowUs = untilUs;
    },
    timesTo: (port: number) => sent.filter((datagram) => datagram.port === port).map(({ atMs }) => atMs),
  };
}

describe("a path through two routers", () => {
  it("sends a challenge to every address at once and six times more, and then no more", () => {
    const { path, pass, timesTo } = aPath();
    path.send(challenge);
    pass(60_000);
    for (const port of [1, 2]) expect(timesTo(port)).to.deep.equal([0, 50, 100, 200, 400, 800, 1_600]);
  });

  it("sends at most 24 datagrams to each address, whatever the link wants to send", () => {
    const { path, pass, timesTo } = aPath();
    for (let count = 0; count < 1_000; count += 1) path.send(challenge);
    pass(60_000);
    expect(timesTo(1)).to.have.length(24);
  });

  it("holds back until its moment, and then begins with the newest", () => {
    const { path, pass, timesTo, sent } = aPath({ delayUs: 30_000 });
    path.send(new Uint8Array(9));
    path.send(challenge);
    pass(29);
    expect(sent).to.deep.equal([]);
    pass(61);
    expect(timesTo(1)).to.deep.equal([30, 80]);
    expect(new Set(sent.map(({ bytes }) => bytes))).to.deep.equal(new Set([challenge.length]));
  });

  it("goes where something authentic came from, before its own moment too, and nowhere else", () => {
    const { path, inner, pass, sent, moves } = aPath({ delayUs: 30_000 });
    inner.receive(Uint8Array.of(0, 0), at(8));
    expect(inner.remote()).to.equal(undefined);
    inner.receive(Uint8Array.of(1, 0), at(9));
    path.send(challenge);
    pass(2_000);
    expect(sent).to.deep.equal([{ atMs: 0, port: 9, bytes: 3 }]);
    expect(moves(), "found, not moved").to.equal(0);
  });

  it("stays where its peer is heard, and moves to another address after three seconds of silence", () => {
    const { inner, pass, moves } = aPath();
    inner.receive(Uint8Array.of(1), at(9));
    inner.receive(Uint8Array.of(1), at(10));
    pass(2_900);
    inner.receive(Uint8Array.of(1), at(10));
    expect([inner.remote()?.port, moves()]).to.deep.equal([9, 0]);
    pass(3_100);
    inner.receive(Uint8Array.of(0), at(11));
    expect(inner.remote()?.port).to.equal(9);
    inner.receive(Uint8Array.of(1), at(10));
    expect([inner.remote()?.port, moves()]).to.deep.equal([10, 1]);
  });

  it("keeps routers awake with a byte every ten seconds, and leaves no timer behind", () => {
    const { path, inner, pass, sent, timers } = aPath({ targets: [] });
    inner.receive(Uint8Array.of(1), at(9));
    pass(35_000);
    expect(sent.map(({ atMs, bytes }) => [atMs, bytes])).to.deep.equal([10_000, 20_000, 30_000].map((ms) => [ms, 1]));
    path.stop();
    expect(timers).to.deep.equal([]);
  });
});
