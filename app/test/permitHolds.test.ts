/** When a signed permit is asked for again. */
import { describe, it } from "node:test";
import { expect } from "chai";
import { permitHolds } from "../lib/permitHolds.ts";

const owner = `0x${"1".repeat(40)}` as const;
const genesis = `0x${"a".repeat(64)}` as const;
const head = { number: 9n, timestamp: 1_000n, finalised: 5n, genesis };
const signed = { owner, genesis, deadline: 2_200n };

describe("a signed permit", () => {
  it("holds until a minute before its deadline, by the chain's clock", () => {
    const holdsAt = (timestamp: bigint) => permitHolds({ ...signed, now: { owner, head: { ...head, timestamp } } });
    expect([1_000n, 2_139n, 2_140n, 5_000n].map(holdsAt)).to.deep.equal([true, true, false, false]);
  });

  it("is of no use to another account or on another chain", () => {
    expect(permitHolds({ ...signed, now: { owner: `0x${"2".repeat(40)}`, head } })).to.equal(false);
    expect(permitHolds({ ...signed, now: { owner: undefined, head } })).to.equal(false);
    const other = { ...head, genesis: `0x${"b".repeat(64)}` } as const;
    expect(permitHolds({ ...signed, now: { owner, head: other } })).to.equal(false);
  });
});
