/** How often the chain is asked: on common ticks, and more seldom when it says that it is asked too much. */
import { describe, it } from "node:test";
import { expect } from "chai";
import { nextPollMs } from "../lib/pollMs.ts";
import { createPoliteFetch } from "../lib/politeFetch.ts";

describe("polls", () => {
  it("fall due together, so that what is asked at one moment travels in one request", () => {
    const startMs = 1_796_058_490_096;
    for (const [everyMs, afterMs] of [
      [1_000, 3],
      [4_000, 700],
      [8_000, 3_999],
      [12_000, 11_000],
    ] as const) {
      const dueMs = startMs + afterMs + nextPollMs(everyMs, startMs + afterMs);
      expect(dueMs % everyMs).to.equal(0);
    }
    // A timer that fires a moment early is not set for the same tick again.
    expect(nextPollMs(4_000, 4_000 * 7 - 1)).to.equal(4_001);
  });

  it("stop for as long as an RPC asks that says 429, and for longer each time", async () => {
    let nowMs = 0;
    let retryAfter: string | undefined;
    const sentAtMs: number[] = [];
    const polite = createPoliteFetch({
      nowMs: () => nowMs,
      fetch: async () => {
        sentAtMs.push(nowMs);
        return new Response("", {
          status: 429,
          ...(retryAfter === undefined ? {} : { headers: { "retry-after": retryAfter } }),
        });
      },
    });
    for (; nowMs < 120_000; nowMs += 500) {
      const { status, headers } = await polite("http://rpc");
      expect(status).to.equal(429);
      expect(Number(headers.get("retry-after"))).to.be.within(1, 64);
    }
    expect(sentAtMs).to.deep.equal([0, 4_000, 12_000, 28_000, 60_000]);
    retryAfter = "90";
    nowMs = 124_000;
    await polite("http://rpc");
    nowMs = 124_000 + 63_000;
    await polite("http://rpc");
    expect(sentAtMs.at(-1)).to.equal(124_000);
  });

  it("go on as before once the RPC answers again", async () => {
    let nowMs = 0;
    let status = 429;
    let sent = 0;
    const polite = createPoliteFetch({
      nowMs: () => nowMs,
      fetch: async () => (sent++, new Response("{}", { status })),
    });
    await polite("http://rpc");
    nowMs = 4_000;
    status = 200;
    for (const _ of [1, 2, 3]) expect((await polite("http://rpc")).status).to.equal(200);
    expect(sent).to.equal(4);
    status = 429;
    await polite("http://rpc");
    nowMs = 8_000;
    status = 200;
    expect((await polite("http://rpc")).status).to.equal(200);
  });
});
