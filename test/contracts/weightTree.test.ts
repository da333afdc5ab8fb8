/** The libraries of selection, and protocol/src/selection held equal to them by random histories. */
import { after, before, beforeEach, describe, it } from "node:test";
import { draw } from "@ngpu/protocol/selection/draw";
import { median } from "@ngpu/protocol/selection/median";
import { nodeWeight } from "@ngpu/protocol/selection/nodeWeight";
import { scoreStep } from "@ngpu/protocol/selection/scoreStep";
import { createWeightTree, type WeightTree } from "@ngpu/protocol/selection/weightTree";
import { expect } from "chai";
import hre from "hardhat";
import { encodeFunctionData, parseAbi, toHex, type Abi, type Hex } from "viem";
import { createChain, eventsOf, type Chain, type ContractRef } from "./support/chain.ts";
import { createRandom, seedFor, type Random } from "./support/random.ts";

const abi = parseAbi([
  "event Changed(uint32 member, uint32 position, uint32 weight)",
  "struct Change { uint32 member; uint32 weight; }",
  "struct Hit { uint32 member; uint32 start; uint32 weight; }",
  "function set(Change[] changes)",
  "function age(uint32 positions, uint8 depth)",
  "function draw(bytes32 seed, bytes32 subject, uint256 count) view returns (uint32[])",
  "function gasOfDraw(bytes32 seed, bytes32 subject, uint256 count) view returns (uint256)",
  "function hitAt(uint256 point) view returns (Hit)",
  "function weightOf(uint32 member) view returns (uint32)",
  "function shape() view returns (uint8 depth, uint32 positions, uint32 total, uint256 vacant)",
  "function median(uint32[] values) pure returns (uint32)",
  "function nodeWeight(uint128 stakeWei, uint32 powerCu, uint16 qualityBps) pure returns (uint32)",
  "function scoreStep(uint32 formerCu, uint32 measuredCu) pure returns (uint32)",
]);
const MAX_TOTAL = 2 ** 32 - 1;
const UINT32 = 2n ** 32n;

interface Change {
  member: number;
  weight: number;
}

describe("WeightTree", () => {
  let chain: Chain;
  let harness: ContractRef<typeof abi>;

  before(async () => {
    chain = await createChain();
    harness = await chain.deploy("SelectionHarness", abi, []);
    await chain.remember();
  });
  beforeEach(() => chain.restore());
  after(() => chain.close());

  const set = (changes: Change[]) => chain.send(chain.accountAt(0), harness, "set", [changes]);
  const drawn = (seed: Hex, subject: Hex, count: number) =>
    chain.publicClient.readContract({ ...harness, functionName: "draw", args: [seed, subject, BigInt(count)] });
  const shape = async () => {
    const [depth, positions, total, vacant] = await chain.publicClient.readContract({
      ...harness,
      functionName: "shape",
    });
    return { depth, positions, total, vacant };
  };

  /** Both trees take the same changes; says where each member came to stand. */
  async function setBoth(tree: WeightTree, changes: Change[]) {
    const expected = changes.map(({ member, weight }) => ({ member, ...tree.set(member, weight) }));
    for (let from = 0; from < changes.length; from += 24) {
      const receipt = await set(changes.slice(from, from + 24));
      expect(eventsOf(receipt, harness, "Changed")).to.deep.equal(expected.slice(from, from + 24));
    }
  }

  function aWeight(random: Random): number {
    const kind = random.below(6);
    if (kind === 0) return 0;
    if (kind === 1) return Number(random.uint(32));
    return 1 + random.below(kind === 2 ? 10 : 1_000_000);
  }

  describe("property", () => {
    it("gives the same positions, weights and draws as protocol/src/selection, for any history", async () => {
      const random = createRandom(seedFor("weight tree"));
      for (const members of [3, 9, 70, 130]) {
        await chain.restore();
        const tree = createWeightTree();
        for (let round = 0; round < 4; round++) {
          const changes = Array.from({ length: members }, () => ({
            member: 1 + random.below(members),
            weight: aWeight(random),
          }));
          await setBoth(tree, changes);
          expect(await shape()).to.deep.include({ depth: tree.depth, total: tree.total });
          for (let i = 0; i < 6; i++) {
            const [seed, subject, count] = [random.bytes(32), random.bytes(32), random.below(20)];
            const here = draw({ tree, seed, subject, count });
            expect(await drawn(seed, subject, count), `${members} members, round ${round}`).to.deep.equal(here);
            expect(new Set(here).size, "nobody is drawn twice").to.equal(here.length);
            const shorter = draw({ tree, seed, subject, count: Math.floor(count / 2) });
            expect(here.slice(0, shorter.length)).to.deep.equal(shorter);
          }
        }
      }
    });

    it("draws everybody when asked for all, and nobody from an empty pool", async () => {
      const tree = createWeightTree();
      expect(await drawn(toHex(1, { size: 32 }), toHex(1, { size: 32 }), 5)).to.deep.equal([]);
      await setBoth(tree, [1, 2, 3, 4, 5].map((member) => ({ member, weight: member * 7 })));
      const all = await drawn(toHex(1, { size: 32 }), toHex(2, { size: 32 }), 16);
      expect([...all].sort()).to.deep.equal([1, 2, 3, 4, 5]);
    });

    it("draws in proportion to weight", () => {
      const tree = createWeightTree();
      const weights = [100, 300, 600];
      for (const [index, weight] of weights.entries()) tree.set(index + 1, weight);
      const draws = 3_000;
      const counts = [0, 0, 0];
      const random = createRandom(seedFor("proportion"));
      for (let i = 0; i < draws; i++) {
        const [member] = draw({ tree, seed: random.bytes(32), subject: random.bytes(32), count: 1 });
        counts[(member ?? 0) - 1] = (counts[(member ?? 0) - 1] ?? 0) + 1;
      }
      for (const [index, weight] of weights.entries()) {
        const expected = (draws * weight) / 1_000;
        // Seven standard deviations: one run in 10^11 is wrong by chance.
        const tolerance = 7 * Math.sqrt(expected * (1 - weight / 1_000));
        expect(Math.abs((counts[index] ?? 0) - expected)).to.be.lessThan(tolerance);
      }
    });

    it("covers the whole line: the hit of every point contains it", async () => {
      const random = createRandom(seedFor("line"));
      const tree = createWeightTree();
      await setBoth(tree, Array.from({ length: 40 }, (_, i) => ({ member: i + 1, weight: aWeight(random) % 100_000 })));
      for (const point of [0, tree.total - 1, ...Array.from({ length: 12 }, () => random.below(tree.total))]) {
        const hit = await chain.publicClient.readContract({
          ...harness,
          functionName: "hitAt",
          args: [BigInt(point)],
        });
        expect(hit).to.deep.equal(tree.hitAt(point));
        expect(point >= hit.start && point < hit.start + hit.weight, `${point}`).to.equal(true);
      }
    });

    it("agrees on median, weight of a node and score step, at the edges too", async () => {
      const random = createRandom(seedFor("selection arithmetic"));
      const { readContract } = chain.publicClient;
      for (let i = 0; i < 40; i++) {
        const values = Array.from({ length: 1 + random.below(6) }, () => Number(random.uint(32)));
        expect(await readContract({ ...harness, functionName: "median", args: [values] })).to.equal(median(values));
        const stakeWei = random.uint(128);
        const [powerCu, qualityBps] = [Number(random.uint(32)), random.below(10_001)];
        const weight = { ...harness, functionName: "nodeWeight", args: [stakeWei, powerCu, qualityBps] } as const;
        expect(await readContract(weight)).to.equal(nodeWeight({ stakeWei, powerCu, qualityBps }));
        const [formerCu, measuredCu] = [Number(random.uint(32) % UINT32), Number(random.uint(32))];
        const step = { ...harness, functionName: "scoreStep", args: [formerCu, measuredCu] } as const;
        expect(await readContract(step)).to.equal(scoreStep({ formerCu, measuredCu }));
      }
    });

    it("gives a machine that is split into several registrations no more weight", () => {
      const random = createRandom(seedFor("splitting"));
      for (let i = 0; i < 500; i++) {
        const whole = { powerCu: random.below(100_000), qualityBps: random.below(10_001) };
        const [a, b] = [random.uint(64), random.uint(64)];
        const apart = nodeWeight({ ...whole, stakeWei: a }) + nodeWeight({ ...whole, stakeWei: b });
        expect(apart).to.be.at.most(nodeWeight({ ...whole, stakeWei: a + b }));
      }
    });
  });

  describe("behaviour", () => {
    it("takes back the place of a member that lost its weight", async () => {
      await setBoth(createWeightTree(), [
        { member: 1, weight: 5 },
        { member: 2, weight: 6 },
        { member: 1, weight: 0 },
        { member: 3, weight: 7 },
        { member: 1, weight: 8 },
      ]);
      expect(await shape()).to.deep.equal({ depth: 1, positions: 3, total: 21, vacant: 0n });
    });

    it("clips a weight to what is left of 32 bits, so that no sum can overflow", async () => {
      await setBoth(createWeightTree(), [
        { member: 1, weight: MAX_TOTAL - 10 },
        { member: 2, weight: 50 },
        { member: 3, weight: 1 },
        { member: 1, weight: 1 },
        { member: 3, weight: 4 },
      ]);
      expect(await shape()).to.deep.include({ total: 15, positions: 3 });
    });

    it("dust griefing: members without weight take up no place", async () => {
      await set(Array.from({ length: 24 }, (_, i) => ({ member: i + 1, weight: 0 })));
      expect(await shape()).to.deep.equal({ depth: 0, positions: 0, total: 0, vacant: 0n });
    });

    it("holds two million members in seven levels and gives a full tree's newcomer no weight", async () => {
      const most = 8 ** 7;
      await set([{ member: 1, weight: 3 }]);
      await chain.send(chain.accountAt(0), harness, "age", [most - 1, 7]);
      await set([{ member: 2, weight: 4 }]);
      expect(await shape()).to.deep.equal({ depth: 7, positions: most, total: 7, vacant: 0n });
      await set([{ member: 3, weight: 5 }]);
      expect(await shape()).to.deep.include({ depth: 7, positions: most, total: 7 });
      await set([
        { member: 1, weight: 0 },
        { member: 3, weight: 5 },
      ]);
      const seed = toHex(9, { size: 32 });
      expect([...(await drawn(seed, seed, 3))].sort()).to.deep.equal([2, 3]);
    });

    it("reads seven words of a full-height tree a draw, and writes seven an update", async () => {
      await set([{ member: 1, weight: 3 }]);
      await chain.send(chain.accountAt(0), harness, "age", [8 ** 7 - 2, 7]);
      await set([{ member: 2, weight: 4_000_000 }]);
      const seed = toHex(9, { size: 32 });
      const data = encodeFunctionData({ abi, functionName: "draw", args: [seed, seed, 1n] });
      const read = await slotsOf(data, "SLOAD");
      // Seven words, the member's number, and the head of the tree (depth and total).
      expect(read.size).to.equal(7 + 2);
      const change = [{ member: 2, weight: 5_000_000 }] as const;
      const update = encodeFunctionData({ abi, functionName: "set", args: [change] });
      // Seven words and the head.
      expect((await slotsOf(update, "SSTORE")).size).to.equal(7 + 1);
      const gas = await chain.publicClient.readContract({
        ...harness,
        functionName: "gasOfDraw",
        args: [seed, seed, 1n],
      });
      const receipt = await set([...change]);
      console.log(`full height: draw ${gas} gas, update ${receipt.gasUsed} gas in a transaction of its own`);
    });
  });

  /** Distinct storage slots that a call touches with `operation`. */
  async function slotsOf(data: Hex, operation: "SLOAD" | "SSTORE"): Promise<Set<string>> {
    const trace = (await chain.connection.provider.request({
      method: "debug_traceCall",
      params: [
        { to: harness.address, data, gas: toHex(5_000_000) },
        "latest",
        { disableStorage: true, disableMemory: true },
      ],
    })) as { structLogs: { op: string; stack: string[] }[] };
    const touched = trace.structLogs.filter(({ op }) => op === operation).map(({ stack }) => stack.at(-1) ?? "");
    return new Set(touched);
  }

  it("is what the artifact says", async () => {
    const artifact = await hre.artifacts.readArtifact("SelectionHarness");
    const named = (artifact.abi as Abi).filter((entry) => entry.type === "function").map(({ name }) => name);
    expect(named.sort()).to.deep.equal(abi.filter(({ type }) => type === "function").map(({ name }) => name).sort());
  });
});
