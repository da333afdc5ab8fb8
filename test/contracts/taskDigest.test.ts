/** contracts/libraries/TaskDigest.sol against abi.encode and against its mirror protocol/src/taskDigest.ts. */
import { after, before, describe, it } from "node:test";
import { limits } from "@ngpu/protocol/limits";
import {
  assignedDigest,
  settlementDigest,
  termsDigest,
  type Assigned,
  type Settlement,
  type TaskTerms,
} from "@ngpu/protocol/taskDigest";
import { expect } from "chai";
import { encodeFunctionData, parseAbi, sliceHex, type Address, type Hex } from "viem";
import { createChain, type Chain, type ContractRef } from "./support/chain.ts";
import { createRandom, seedFor, type Random } from "./support/random.ts";

const abi = parseAbi([
  "struct TaskTerms { address payer; uint40 postedAt; uint40 deadline; uint8 backups; uint64 workCums; uint64 priceUsd6PerGcums; uint64 stakeWeiPerUsd6; bytes32 contentHash; }",
  "struct Seat { uint32 nodeId; uint32 powerCu; }",
  "struct Assigned { address assigner; Seat[] seats; }",
  "struct Settlement { uint32 nodeId; address payout; uint64 amountUsd6; bytes32 receiptHash; bytes32 outputCiphertext; }",
  "function ofTerms(TaskTerms terms) pure returns (bytes32, bytes32, bytes32)",
  "function ofAssigned(TaskTerms terms, Assigned assigned) pure returns (bytes23, bytes23, bytes23)",
  "function ofSettlement(TaskTerms terms, Settlement settlement) pure returns (bytes23, bytes23, bytes23)",
  "function ofRawSettlement(TaskTerms terms, Settlement settlement) pure returns (bytes23)",
]);

describe("TaskDigest", () => {
  let chain: Chain;
  let harness: ContractRef<typeof abi>;

  before(async () => {
    chain = await createChain();
    harness = await chain.deploy("TaskDigestHarness", abi, []);
  });
  after(() => chain.close());

  /** A value of the same type that differs in its lowest bit. */
  function otherThan(value: string | number | bigint): string | number | bigint {
    if (typeof value === "bigint") return value ^ 1n;
    if (typeof value === "number") return value % 2 === 0 ? value + 1 : value - 1;
    return value.slice(0, -1) + (value.endsWith("0") ? "1" : "0");
  }
  const terms = (random: Random): TaskTerms => ({
    payer: random.address(),
    postedAt: Number(random.uint(40)),
    deadline: Number(random.uint(40)),
    backups: Number(random.uint(8)),
    workCums: random.uint(64),
    priceUsd6PerGcums: random.uint(64),
    stakeWeiPerUsd6: random.uint(64),
    contentHash: random.bytes(32),
  });
  const assigned = (random: Random): Assigned => ({
    assigner: random.address(),
    seats: Array.from({ length: random.below(limits.maxBackups + 2) }, () => ({
      nodeId: Number(random.uint(32)),
      powerCu: Number(random.uint(32)),
    })),
  });
  const settlement = (random: Random): Settlement => ({
    nodeId: Number(random.uint(32)),
    payout: random.address(),
    amountUsd6: random.uint(64),
    receiptHash: random.bytes(32),
    outputCiphertext: random.bytes(32),
  });

  it("is what abi.encode and protocol/src/taskDigest.ts say for any words, type edges included", async () => {
    const random = createRandom(seedFor("task digests"));
    const all = (digest: Hex) => [digest, digest, digest];
    for (let i = 0; i < 120; i++) {
      const [its, seats, bill] = [terms(random), assigned(random), settlement(random)];
      const said = await chain.publicClient.readContract({ ...harness, functionName: "ofTerms", args: [its] });
      expect(said.map((hash) => sliceHex(hash, 0, 23))).to.deep.equal(all(termsDigest(its)));
      const ofAssigned = { ...harness, functionName: "ofAssigned", args: [its, seats] } as const;
      expect(await chain.publicClient.readContract(ofAssigned)).to.deep.equal(all(assignedDigest(its, seats)));
      const ofSettlement = { ...harness, functionName: "ofSettlement", args: [its, bill] } as const;
      expect(await chain.publicClient.readContract(ofSettlement)).to.deep.equal(all(settlementDigest(its, bill)));
    }
  });

  it("tells words apart that differ in one field, and the three kinds of digest from each other", () => {
    const random = createRandom(seedFor("task digests differ"));
    const [its, seats, bill] = [terms(random), assigned(random), settlement(random)];
    const others = [
      ...Object.entries(its).map(([field, value]) => termsDigest({ ...its, [field]: otherThan(value) })),
      ...Object.entries(bill).map(([field, value]) => settlementDigest(its, { ...bill, [field]: otherThan(value) })),
      assignedDigest(its, { ...seats, assigner: otherThan(seats.assigner) as Address }),
      assignedDigest(its, { ...seats, seats: [...seats.seats, { nodeId: 1, powerCu: 1 }] }),
      termsDigest(its),
      assignedDigest(its, seats),
      settlementDigest(its, bill),
    ];
    expect(new Set(others).size).to.equal(others.length);
  });

  it("never hashes words with dirty high bits to a digest of clean ones", async () => {
    const random = createRandom(seedFor("dirty words"));
    const [its, bill] = [terms(random), settlement(random)];
    const data = encodeFunctionData({ abi, functionName: "ofRawSettlement", args: [its, bill] });
    const clean = settlementDigest(its, bill);
    // The first byte of every word that has room above its type: payer, postedAt, deadline, … , payout, amount.
    for (const word of [0, 1, 2, 3, 4, 5, 6, 8, 9, 10]) {
      const at = 2 + 8 + word * 64;
      const dirty = `${data.slice(0, at)}ff${data.slice(at + 2)}` as Hex;
      const { data: digest } = await chain.publicClient.call({ to: harness.address, data: dirty });
      expect(digest?.slice(0, clean.length), `word ${word}`).to.match(/^0x[0-9a-f]{46}$/).and.not.equal(clean);
    }
  });
});
