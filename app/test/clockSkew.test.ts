/** A device's wrong clock is noticed, a right one left alone, and a server that says nothing believed to agree. */
import { describe, it } from "node:test";
import { expect } from "chai";
import { readClockSkew } from "../lib/clockSkew.ts";

const serverMs = Date.parse("2026-11-30T12:00:00Z");
const answering = (date: string | null) => async () => ({ headers: new Headers(date === null ? {} : { date }) });
const skewOf = (deviceMs: number, fetch: Parameters<typeof readClockSkew>[0]["fetch"]) =>
  readClockSkew({ fetch, nowMs: () => deviceMs });

describe("the clock of this device", () => {
  it("is corrected by what it is ahead or behind", async () => {
    const server = answering(new Date(serverMs).toUTCString());
    expect(await skewOf(serverMs + 3_600_000, server)).to.equal(3_600_000);
    expect(await skewOf(serverMs - 60_000, server)).to.equal(-60_000);
  });

  it("is left alone within a few seconds, and where nobody says the time", async () => {
    expect(await skewOf(serverMs + 1_500, answering(new Date(serverMs).toUTCString()))).to.equal(0);
    expect(await skewOf(serverMs, answering(null))).to.equal(0);
    expect(await skewOf(serverMs, () => Promise.reject(new Error("offline")))).to.equal(0);
  });
});
