/**
 * Ours over UDP and `ws` over TCP through a bad network of two namespaces, as the bench runs them: what goes in comes
 * out. Where a machine makes no namespaces that is printed, and nothing is proved.
 */
import { expect } from "chai";
import { describe, it } from "node:test";
import { pathOf } from "../../../scripts/bench/harq/conditions.ts";
import { openPair } from "../../../scripts/bench/harq/openPair.ts";
import { transfer, type Carrier } from "../../../scripts/bench/harq/transfer.ts";

const noisy = pathOf({ rttMs: 40, loss: 0.05, seed: 5 });

describe("a bad network of two namespaces", { timeout: 120_000 }, () => {
  const carriers: [string, Carrier, number][] = [
    ["a megabyte of ours over UDP", "harq", 1_000_000],
    ["a hundred kilobytes of ws over TCP", "bbr", 100_000],
  ];
  for (const [what, carrier, bytes] of carriers) {
    it(`carries ${what} whole where a twentieth is lost`, async () => {
      const missing = await openPair(noisy).then(
        (pair) => pair.close(),
        (error: unknown) => String(error),
      );
      if (missing !== undefined) return console.log(`not run: this machine makes no network namespaces (${missing})`);
      const { seconds, isCut } = await transfer({ carrier, conditions: noisy, bytes: [bytes], limitS: 60 });
      expect(isCut).to.equal(false);
      expect(seconds).to.have.length(1);
    });
  }
});
