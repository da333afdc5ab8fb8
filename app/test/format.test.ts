/** Amounts keep every digit, are never rounded up, and can be typed back; files for spreadsheets carry no formula. */
import { describe, it } from "node:test";
import { expect } from "chai";
import { csvCell, csvOf } from "../lib/csv.ts";
import { formatAmount, formatMs, formatSeconds, formatUnitsExact } from "../lib/format.ts";
import { parseAmount } from "../lib/parseAmount.ts";
import { medianOf } from "../lib/stats.ts";

describe("amounts", () => {
  it("keep every digit in the exact form", () => {
    expect(formatUnitsExact(1n, 18)).to.equal("0.000000000000000001");
    expect(formatUnitsExact(-1_500_000n, 6)).to.equal("-1.5");
    expect(formatUnitsExact(2n ** 96n, 6)).to.equal("79228162514264337593543.950336");
  });

  it("are cut, never rounded up, and say so", () => {
    const { text, exact, truncated } = formatAmount({
      value: 1_999_999_999_999_999_999n,
      decimals: 18,
      least: 0,
      most: 4,
    });
    expect({ text, exact, truncated }).to.deep.equal({
      text: "1.9999",
      exact: "1.999999999999999999",
      truncated: true,
    });
  });

  it("never show a small amount as nothing", () => {
    expect(formatAmount({ value: 1n, decimals: 18, least: 0, most: 4 }).text).to.equal("< 0.0001");
    expect(formatAmount({ value: 0n, decimals: 6 }).text).to.equal("0.00");
  });

  it("group thousands for the eye only", () => {
    const { text, exact } = formatAmount({ value: 1_234_567_890_000n, decimals: 6 });
    expect({ text, exact }).to.deep.equal({ text: "1,234,567.89", exact: "1234567.89" });
  });

  it("come back from their exact form unchanged", () => {
    let seed = 42;
    for (let round = 0; round < 500; round++) {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
      const value = BigInt(seed) * BigInt(seed % 1_000_003) ** BigInt(round % 4);
      const decimals = round % 2 === 0 ? 6 : 18;
      expect(parseAmount(formatUnitsExact(value, decimals), decimals)).to.equal(value);
    }
  });

  it("send exactly what is held when all of it is meant, however the display is cut", () => {
    const held = 1_234_567_890_123_456_789n;
    expect(formatAmount({ value: held, decimals: 18, least: 0, most: 4 }).text).to.equal("1.2345");
    expect(formatUnitsExact(held, 18)).to.equal("1.234567890123456789");
    expect(parseAmount(formatUnitsExact(held, 18), 18)).to.equal(held);
  });

  it("are refused when they are no amount or finer than the token", () => {
    for (const text of ["", "1,5", "-1", "1e3", "0x10", "1.0000001", "abc", " . "])
      expect(parseAmount(text, 6)).to.equal(undefined);
    expect(parseAmount(" 0.5 ", 6)).to.equal(500_000n);
    expect(parseAmount("7.", 6)).to.equal(7_000_000n);
  });
});

describe("durations", () => {
  it("are cut to the unit a person reads", () => {
    expect([formatMs(999), formatMs(1_999), formatMs(61_000)]).to.deep.equal(["999 ms", "1.9 s", "1 min 1 s"]);
    expect([formatSeconds(0), formatSeconds(3_600), formatSeconds(90_061)]).to.deep.equal(["0 s", "1 h", "1 d 1 h"]);
  });
});

describe("the median", () => {
  it("is a value that occurred, the lower one of an even count", () => {
    expect(medianOf([3n, 1n, 2n])).to.equal(2n);
    expect(medianOf([4n, 1n, 2n, 3n])).to.equal(2n);
    expect(medianOf([])).to.equal(undefined);
  });
});

describe("CSV", () => {
  it("marks what a spreadsheet would take for a formula, and leaves numbers alone", () => {
    for (const text of ["=1+1", "+SUM(A1)", "-2+3", "@cmd", "\tx", "\rx"])
      expect(csvCell(text).replaceAll('"', "")[0]).to.equal("'");
    expect(csvCell("-1.5")).to.equal("-1.5");
    expect(csvCell("0.000159")).to.equal("0.000159");
  });

  it("quotes separators, quotes and line breaks", () => {
    expect(csvOf({ head: ["a", "b"], rows: [['x"y', "1,2"]] })).to.equal('a,b\r\n"x""y","1,2"\r\n');
  });
});
