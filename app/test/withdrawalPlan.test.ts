/** Money leaves at once, or by a thaw while sessions are open. */
import { describe, it } from "node:test";
import { expect } from "chai";
import { thawLeftS, wayOut, whyNoWithdrawal } from "../lib/withdrawalPlan.ts";

const none = { thawingUsd6: 0n, unlockAt: 0, obligations: 0, availableUsd6: 5n };

describe("a withdrawal", () => {
  it("is instant without open sessions and thaws with one", () => {
    expect(wayOut(none)).to.equal("atOnce");
    expect(wayOut({ obligations: 1 })).to.equal("thaws");
    expect(whyNoWithdrawal(none)).to.equal(undefined);
    expect(whyNoWithdrawal({ ...none, obligations: 2 })).to.equal(undefined);
  });

  it("says why it cannot begin", () => {
    expect(whyNoWithdrawal({ ...none, availableUsd6: 0n })).to.equal("Nothing is available to withdraw.");
    const pending = { ...none, thawingUsd6: 1n, unlockAt: 50 };
    expect(whyNoWithdrawal({ ...pending, obligations: 1 })).to.match(/^One withdrawal at a time/);
    // What thaws does not hold up the rest once no session is open.
    expect(whyNoWithdrawal(pending)).to.equal(undefined);
  });

  it("counts down on chain time", () => {
    const pending = { ...none, thawingUsd6: 1n, unlockAt: 50 };
    expect(thawLeftS(pending, 20n)).to.equal(30);
    expect(thawLeftS(pending, 51n)).to.equal(0);
    expect(thawLeftS(pending, undefined)).to.equal(undefined);
    expect(thawLeftS(none, 20n)).to.equal(undefined);
  });
});
