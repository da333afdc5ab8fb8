/** A session in the dApp: its state by time, its money as a bar, what may be done, and a bill recomputed by hand. */
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { sessionTaskIdOf } from "@ngpu/protocol/session/voucherChain";
import { unpackBills } from "@ngpu/protocol/session/packedBills";
import { expect } from "chai";
import type { Hex } from "viem";
import { sessionCsv } from "../features/session/sessionCsv.ts";
import { billPage } from "../lib/session/billPages.ts";
import { checkSessionBill, type SettledVoucher, type ShownBill } from "../lib/session/checkSessionBill.ts";
import { holdsAllotment, reclaimableAt } from "../lib/session/laneReclaim.ts";
import { phaseWords, sessionPhase } from "../lib/session/sessionPhase.ts";
import { spentPermille } from "../lib/session/spend.ts";
import { voucherFaults, voucherFaultWords } from "../lib/session/voucherFaults.ts";
import { whyNotClose, whyNotFinish, whyNotReclaim, whyNotReplace, whyNotTopUp } from "../lib/session/whyNot.ts";
import { hash } from "./support/rows.ts";

const types = readFileSync(new URL("../../contracts/types/SessionTypes.sol", import.meta.url), "utf8");
const enumOf = (name: string): string[] | undefined =>
  new RegExp(`enum ${name} \\{([^}]+)\\}`)
    .exec(types)?.[1]
    ?.split(",")
    .map((value) => value.trim());

describe("a session's state", () => {
  const times = { status: "Open", closesAt: 100n, settleWindowS: 60n } as const;

  it("follows the clock, second by second, until a transaction finishes it", () => {
    const phases = [99n, 100n, 159n, 160n].map((nowS) => sessionPhase(times, nowS));
    expect(phases).to.deep.equal(["open", "settling", "settling", "over"]);
    // Closing early moves closesAt; the index's word for it changes nothing.
    expect(sessionPhase({ ...times, status: "Closed", closesAt: 50n }, 60n)).to.equal("settling");
    expect(sessionPhase({ ...times, status: "Finished" }, 0n)).to.equal("finished");
  });

  it("has a word of its own in each phase", () => {
    expect(new Set(Object.values(phaseWords).map(({ word }) => word)).size).to.equal(4);
  });

  it("is full only when everything is spent", () => {
    const of = (paidUsd6: bigint, putInUsd6: bigint): number => spentPermille({ paidUsd6, putInUsd6 });
    expect([of(0n, 100n), of(999_999n, 1_000_000n), of(100n, 100n), of(5n, 0n)]).to.deep.equal([0, 999, 1_000, 0]);
    expect(of(120n, 100n)).to.equal(1_000);
  });
});

describe("what may be done with a session", () => {
  const mine = { phase: "open", isPayer: true } as const;

  it("is closed by its payer while it is open", () => {
    expect(whyNotClose(mine)).to.equal(undefined);
    expect(whyNotClose({ ...mine, isPayer: false })).to.match(/^Only the payer/);
    expect(whyNotClose({ ...mine, phase: "settling" })).to.equal("It has closed.");
  });

  it("is topped up with what the payer has", () => {
    const asked = { ...mine, amountUsd6: 5n, reachableUsd6: 5n };
    expect(whyNotTopUp(asked)).to.equal(undefined);
    expect(whyNotTopUp({ ...asked, amountUsd6: 6n })).to.match(/^That is more than/);
    expect(whyNotTopUp({ ...asked, amountUsd6: undefined })).to.equal("Enter an amount.");
    expect(whyNotTopUp({ ...asked, phase: "over" })).to.equal("It has closed.");
  });

  it("gets another signer, one at a time", () => {
    const [current, other] = [`0x${"aa".repeat(20)}`, `0x${"bb".repeat(20)}`];
    const asked = { ...mine, signer: other, current, formerUntil: 0n, nowS: 10n };
    expect(whyNotReplace(asked)).to.equal(undefined);
    expect(whyNotReplace({ ...asked, formerUntil: 11n })).to.match(/^A signer was replaced lately/);
    expect(whyNotReplace({ ...asked, formerUntil: 10n })).to.equal(undefined);
    expect(whyNotReplace({ ...asked, signer: current.toUpperCase().replace("0X", "0x") })).to.match(/already/);
    for (const signer of ["", "0x12", `0x${"00".repeat(20)}`])
      expect(whyNotReplace({ ...asked, signer })).to.match(/^Enter the address/);
  });

  it("returns its rest once its window is over and its lanes are reclaimed", () => {
    const asked = { phase: "over", settleUntil: 160n, lanesLeft: 0 } as const;
    expect(whyNotFinish(asked)).to.equal(undefined);
    expect(whyNotFinish({ ...asked, lanesLeft: 2 })).to.equal("Its 2 lanes must be reclaimed first.");
    expect(whyNotFinish({ ...asked, phase: "settling" })).to.match(/^Vouchers may be settled until/);
    expect(whyNotFinish({ ...asked, phase: "finished" })).to.match(/^It is finished/);
  });

  it("frees a lane when it was released, when the session is over, or when a claim has lapsed", () => {
    const session = { settleUntil: 160n, settleWindowS: 60n };
    const states = enumOf("LaneState") ?? [];
    const floors = enumOf("FloorState") ?? [];
    const lane = { state: states.indexOf("Active"), releasedAt: 0, floor: floors.indexOf("Unclaimed"), burnableAt: 0 };
    const releasing = { ...lane, state: states.indexOf("Releasing"), releasedAt: 120 };
    expect(reclaimableAt(lane, session)).to.equal(160n);
    expect(reclaimableAt(releasing, session)).to.equal(120n);
    expect(reclaimableAt({ ...releasing, floor: floors.indexOf("Claimed"), burnableAt: 115 }, session)).to.equal(175n);
    expect(reclaimableAt({ ...releasing, floor: floors.indexOf("Burned"), burnableAt: 115 }, session)).to.equal(120n);
    expect(whyNotReclaim({ reclaimableAt: 120n, nowS: 119n })).to.match(/^Vouchers of it may be settled until/);
    expect(whyNotReclaim({ reclaimableAt: 120n, nowS: 120n })).to.equal(undefined);
    const holding = states.filter((_, state) => holdsAllotment({ state }));
    expect(holding).to.deep.equal(["Active", "Releasing"]);
  });
});

describe("a refused voucher", () => {
  it("has words for every fault that the contract knows", () => {
    expect(voucherFaults.map(([name]) => name)).to.deep.equal(enumOf("VoucherFault"));
    expect(voucherFaultWords(99)).to.equal("fault 99");
  });
});

describe("the pages of a lane's bills", () => {
  it("begin with the newest and keep their numbers while records arrive", () => {
    expect(billPage({ records: 120n, asked: undefined })).to.deep.equal({
      ...{ page: 3, pages: 3, firstSeq: 101n, lastSeq: 120n },
    });
    for (const records of [120n, 5_000n])
      expect(billPage({ records, asked: 2 })).to.include({ firstSeq: 51n, lastSeq: 100n });
    expect(billPage({ records: 50n, asked: 9 })).to.include({ page: 1, pages: 1, firstSeq: 1n, lastSeq: 50n });
  });

  it("leave out no record and show none twice", () => {
    const shown = Array.from({ length: 4 }, (_, index) => billPage({ records: 170n, asked: index + 1 }));
    const numbers = shown.flatMap(({ firstSeq, lastSeq }) =>
      Array.from({ length: Number(lastSeq - firstSeq) + 1 }, (_, index) => Number(firstSeq) + index),
    );
    expect(numbers).to.deep.equal(Array.from({ length: 170 }, (_, index) => index + 1));
  });
});

describe("a session's bill, recomputed", () => {
  const lane = { sessionId: hash(77), nodeId: 1 };
  /** Two executions of 7 ms cost 0.7 units each, 2,000 ms of standby cost 20: 0, 1 and 20 by the lane's sums. */
  const amounts = [0n, 1n, 20n];
  const vouchers = settledIn(lane.nodeId);
  const frozen = { priceUsd6PerGcums: 100_000n, powerCu: 1_000 };
  const billOf = (seq: number, changes: Partial<ShownBill> = {}): ShownBill => {
    const { kind = "execution", ms = 0 } = vouchers.flatMap(({ bills }) => unpackBills(bills))[seq - 1] ?? {};
    return {
      id: sessionTaskIdOf({ ...lane, seq: BigInt(seq) }),
      seq: BigInt(seq),
      kind: kind === "standby" ? "Standby" : "Execution",
      durationMs: BigInt(ms),
      powerCu: 1_000n,
      priceUsd6PerGcums: 100_000n,
      amountUsd6: amounts[seq - 1] ?? 0n,
      ...changes,
    };
  };
  const check = (bill: ShownBill, changes: Partial<Parameters<typeof checkSessionBill>[0]> = {}) =>
    checkSessionBill({ lane, bill, vouchers, frozen, ...changes });

  it("is what the contract's own sums give, and a lane's bills add up to its last one", () => {
    for (const [index, amountUsd6] of amounts.entries()) {
      const { ok, steps } = check(billOf(index + 1));
      expect(steps.filter((step) => !step.ok)).to.deep.equal([]);
      expect(ok).to.equal(true);
      expect(steps.find(({ what }) => what.startsWith("Amount"))?.expected).to.equal(String(amountUsd6));
    }
    expect(amounts.reduce((sum, amount) => sum + amount, 0n)).to.equal(vouchers[0]?.cumulativeUsd6);
  });

  it("is refused for whatever in it does not follow from the events", () => {
    const wrong: [string, ReturnType<typeof check>][] = [
      ["Task id", check(billOf(2, { id: hash(1) }))],
      ["Kind and time", check(billOf(2, { durationMs: 8n }))],
      ["Kind and time", check(billOf(3, { kind: "Execution" }))],
      ["Price", check(billOf(2, { priceUsd6PerGcums: 100_001n }))],
      ["Power", check(billOf(2, { powerCu: 1_001n }))],
      ["Amount", check(billOf(2, { amountUsd6: 2n }))],
      ["Price", check(billOf(2), { frozen: { ...frozen, priceUsd6PerGcums: 1n } })],
      ["Power", check(billOf(2), { frozen: { ...frozen, powerCu: 1 } })],
      [
        "The voucher's sum",
        check(billOf(2), { vouchers: vouchers.map((voucher) => ({ ...voucher, cumulativeUsd6: 9n })) }),
      ],
    ];
    for (const [what, { ok, steps }] of wrong) {
      expect(ok, what).to.equal(false);
      expect(steps.filter((step) => !step.ok).map((step) => step.what.startsWith(what))).to.deep.equal([true]);
    }
  });

  it("counts the records of every voucher before it, and sees a missing one", () => {
    const bills = "0x00000007" as const;
    const three = [1n, 2n, 3n].map((firstSeq, index) => ({
      ...{ firstSeq, bills, powerCu: 1_000, priceUsd6PerGcums: 100_000n, cumulativeUsd6: [0n, 1n, 2n][index] ?? 0n },
    }));
    const third = { ...billOf(1), id: sessionTaskIdOf({ ...lane, seq: 3n }), seq: 3n, amountUsd6: 1n };
    expect(check(third, { vouchers: three }).ok).to.equal(true);
    const gap = check(third, { vouchers: [three[0], three[2]].filter((voucher) => voucher !== undefined) });
    expect(gap.steps.find(({ what }) => what.startsWith("Records follow"))?.ok).to.equal(false);
    expect(check(billOf(1, { seq: 4n }), { vouchers: three })).to.deep.equal({ ok: false, settled: false, steps: [] });
  });

  it("goes into the file with every digit, lane by lane", () => {
    const row = { powerCu: "1000", priceUsd6PerGcums: "100000", receiptsRoot: hash(5), block: "1", tx: hash(6) };
    const bill = (node: string, seq: string) => ({
      ...row,
      ...{ id: hash(Number(seq)), node: { id: node }, seq, kind: "Standby" as const, durationMs: "7", amountUsd6: "1" },
      timestamp: "0",
    });
    const [, ...rows] = sessionCsv([bill("10", "1"), bill("2", "10"), bill("2", "9")])
      .trimEnd()
      .split("\r\n");
    expect(rows.map((line) => line.split(",").slice(1, 3))).to.deep.equal([
      ["2", "9"],
      ["2", "10"],
      ["10", "1"],
    ]);
    expect(rows[0]).to.contain(",standby,1000,7,0.1,0.000001,");
  });
});

/** The vouchers of a lane in the case that the index is tested with; their sums are the contract's. */
function settledIn(nodeId: number): SettledVoucher[] {
  interface Case {
    blocks: { events: { event: string; params: Record<string, string | number> }[] }[];
  }
  const source = readFileSync(new URL("../../subgraph/tests/sessions.json", import.meta.url), "utf8");
  const events = (JSON.parse(source) as Case).blocks.flatMap(({ events: ofBlock }) => ofBlock);
  return events
    .filter(({ event, params }) => event === "BillsSettled" && params.nodeId === nodeId)
    .map(({ params }) => ({
      firstSeq: BigInt(params.firstSeq ?? 0),
      powerCu: Number(params.powerCu),
      priceUsd6PerGcums: BigInt(params.priceUsd6PerGcums ?? 0),
      cumulativeUsd6: BigInt(params.cumulativeUsd6 ?? 0),
      bills: params.bills as Hex,
    }))
    .slice(0, 1);
}
