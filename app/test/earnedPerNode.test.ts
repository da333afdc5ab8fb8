/** What a class of machines earned is the sum of single tasks and of sessions, less the fee. */
import { describe, it } from "node:test";
import { expect } from "chai";
import { earnedPerNode } from "../features/earn/earnedPerNode.ts";

const node = (id: string, classId = "0") => ({ id, nodeClass: { id: classId } });

describe("what nodes earned", () => {
  it("is added up per node over both rails, without the treasury's fee", () => {
    const bills = [
      { id: "a", amountUsd6: "5", node: node("1") },
      { id: "b", amountUsd6: "7", node: node("3", "1") },
    ];
    const vouchers = [
      { id: "c", paidUsd6: "150", node: node("1"), session: { feeBps: 100 } },
      { id: "d", paidUsd6: "40", node: node("2"), session: { feeBps: 0 } },
    ];
    expect(earnedPerNode({ bills, vouchers }, "0")).to.have.members([154n, 40n]);
    expect(earnedPerNode({ bills, vouchers }, "1")).to.deep.equal([7n]);
    expect(earnedPerNode({ bills: [], vouchers: [] }, "0")).to.deep.equal([]);
  });
});
