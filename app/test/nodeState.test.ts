/** What is said of a node: that it is stopping, suspended or leaving, and what of its stake may leave. */
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { expect } from "chai";
import { nodeState } from "../features/nodes/nodeState.ts";
import { slotsText } from "../features/nodes/slotsText.ts";
import { contractNodeState, contractNodeStates } from "../lib/contractNodeState.ts";
import { freeStakeWei, mostExits, splitExits, whyNoExit } from "../lib/stakeParts.ts";

const minimum = { minimumStakeWei: "100" };
const staked = { draining: false, stakedWei: "100", thawingWei: "0", suspendedUntil: "0", nodeClass: minimum };
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

  it("is suspended until that time and no longer, and exiting before all else", () => {
    const suspended = { ...node, suspendedUntil: "500", draining: true };
    expect(nodeState(suspended, { slots: 2 }, 499n).word).to.match(/^Suspended until 1 Jan 1970/);
    expect(nodeState(suspended, { slots: 2 }, 500n).word).to.equal("Paused");
    expect(nodeState({ ...suspended, thawingWei: "1" }, { slots: 2 }, 1n).word).to.equal("Exiting");
  });
});

describe("a node by the contract", () => {
  const stake = { suspendedUntil: 500, stakedWei: 100n, thawingWei: 0n };

  it("has words for every state that the contract has", () => {
    const source = readFileSync(new URL("../../contracts/types/NodeTypes.sol", import.meta.url), "utf8");
    const states = /enum NodeState \{([^}]+)\}/
      .exec(source)?.[1]
      ?.split(",")
      .map((name) => name.trim());
    expect(states).to.deep.equal([...contractNodeStates]);
    const words = contractNodeStates.map((_, state) => contractNodeState({ ...stake, thawingWei: 1n, state }).word);
    for (const [index, word] of words.entries()) expect(word).to.match(new RegExp(`^${contractNodeStates[index]}`));
    expect(contractNodeState({ ...stake, state: 9 }).word).to.equal("State 9");
  });

  it("tells one without stake from one that leaves", () => {
    expect(contractNodeState({ ...stake, stakedWei: 0n, state: 3 }).word).to.equal("Not staked");
    expect(contractNodeState({ ...stake, state: 3 }).word).to.equal("Not eligible");
  });
});

describe("the stake of a node", () => {
  const exits = [
    { amountWei: 3n, unlockAt: 10 },
    { amountWei: 4n, unlockAt: 20 },
  ];

  it("is free as far as it neither thaws nor is locked", () => {
    expect(freeStakeWei({ stakedWei: 100n, thawingWei: 30n, lockedWei: 50n })).to.equal(20n);
    expect(freeStakeWei({ stakedWei: 100n, thawingWei: 60n, lockedWei: 50n })).to.equal(0n);
  });

  it("leaves exit by exit, each from its own second on", () => {
    expect(splitExits(exits, 9n)).to.deep.equal({ dueWei: 0n, thawing: exits });
    expect(splitExits(exits, 10n)).to.deep.equal({ dueWei: 3n, thawing: [exits[1]] });
    expect(splitExits(exits, 20n)).to.deep.equal({ dueWei: 7n, thawing: [] });
    expect(splitExits(exits, undefined).thawing).to.deep.equal(exits);
  });

  it("says why it cannot leave", () => {
    const all = { activeWei: 100n, lockedWei: 40n, exits: 1, amountWei: 60n };
    expect(whyNoExit(all)).to.equal(undefined);
    expect(whyNoExit({ ...all, amountWei: 61n })).to.match(/locked until the dispute windows of its latest fees end/);
    expect(whyNoExit({ ...all, lockedWei: 100n })).to.match(/^Locked until the dispute windows/);
    expect(whyNoExit({ ...all, amountWei: 101n })).to.equal("That is more than is active.");
    expect(whyNoExit({ ...all, exits: mostExits })).to.match(/^32 exits are pending/);
    expect(whyNoExit({ ...all, activeWei: 0n })).to.equal("Nothing is staked.");
    for (const amountWei of [undefined, 0n]) expect(whyNoExit({ ...all, amountWei })).to.equal("Enter an amount.");
  });
});
