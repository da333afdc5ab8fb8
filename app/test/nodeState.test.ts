/** A node that is stopping says so, instead of showing no slots of none. */
import { describe, it } from "node:test";
import { expect } from "chai";
import { nodeState } from "../features/nodes/nodeState.ts";
import { slotsText } from "../features/nodes/slotsText.ts";

const staked = { draining: false, stakedWei: "100", thawingWei: "0", nodeClass: { minimumStakeWei: "100" } };
const node = staked as Parameters<typeof nodeState>[0];

describe("a node in the list", () => {
  it("is stopping when it announces no slots, and busy when none is free", () => {
    expect(slotsText({ slots: 0, freeSlots: 0 })).to.equal("stopping");
    expect(slotsText({ slots: 2, freeSlots: 0 })).to.equal("0 of 2");
    expect(nodeState(node, { slots: 0 }).word).to.equal("Stopping");
    expect(nodeState(node, { slots: 2 }).word).to.equal("Online");
    expect(nodeState(node, "offline").word).to.equal("Offline");
    expect(nodeState(node, undefined).word).to.equal("Staked");
    expect(nodeState({ ...node, draining: true }, { slots: 0 }).word).to.equal("Paused");
  });
});
