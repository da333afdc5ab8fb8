/** The session rail's packing, price maths, ids and limits: protocol/src/session equals contracts/libraries, fuzzed. */
import { after, before, describe, it } from "node:test";
import { billing, packBills, unpackBills, weightOf, type BillRecord } from "@ngpu/protocol/session/packedBills";
import { sessionLimits } from "@ngpu/protocol/session/sessionLimits";
import { dueUsd6, feeUsd6, payLane } from "@ngpu/protocol/session/sessionMoney";
import { firstHeadOf, nextHeadOf, sessionIdOf, sessionTaskIdOf } from "@ngpu/protocol/session/voucherChain";
import { expect } from "chai";
import { concat, parseAbi } from "viem";
import type { ContractRef } from "./support/chain.ts";
import { createRandom, seedFor, type Random } from "./support/random.ts";
import { CHAIN_ID, createWorld, type World } from "./support/world.ts";

const abi = parseAbi([
  "struct LaneMoney { uint64 weight; uint64 paidUsd6; uint64 allotmentUsd6; uint32 seq; uint32 powerCu; }",
  "function isWellFormed(bytes bills) pure returns (bool)",
  "function weigh(bytes bills) pure returns (uint256)",
  "function weighPlainly(bytes bills) pure returns (uint256)",
  "function due(uint256 weight, uint32 powerCu, uint64 priceUsd6PerGcums) pure returns (uint256)",
  "function fee(uint64 paidUsd6, uint16 feeBps) pure returns (uint64)",
  "function pay(LaneMoney lane, uint256 dueUsd6) pure returns (uint64 paidUsd6, LaneMoney later)",
  "function sessionIdOf(address settlement, address payer, bytes32 clientNonce, bytes32 modelId) view returns (bytes32)",
  "function firstHead(bytes32 sessionId, uint32 nodeId) pure returns (bytes32)",
  "function nextHead(bytes32 prevHead, bytes32 billsHash, bytes32 receiptsRoot) pure returns (bytes32)",
  "function taskIdOf(bytes32 sessionId, uint32 nodeId, uint64 seq) pure returns (bytes32)",
  "function limits() pure returns (uint256[6])",
  "function packing() pure returns (uint256[4])",
]);

describe("The session rail in Solidity and TypeScript", () => {
  let world: World;
  let harness: ContractRef<typeof abi>;
  const random = createRandom(seedFor("session parity"));

  before(async () => {
    world = await createWorld();
    harness = await world.deploy("SessionHarness", abi, []);
  });
  after(() => world.close());

  it("packs, unpacks and weighs records alike", async () => {
    for (let round = 0; round < 40; round++) {
      const records = someRecords(random, 1 + random.below(random.below(8) === 0 ? 600 : 20));
      const bills = packBills(records);
      expect(unpackBills(bills)).to.deep.equal(records);
      const weight = weightOf(records);
      for (const functionName of ["weigh", "weighPlainly"] as const) {
        expect(await world.publicClient.readContract({ ...harness, functionName, args: [bills] })).to.equal(weight);
      }
      const wellFormed = { ...harness, functionName: "isWellFormed", args: [bills] } as const;
      expect(await world.publicClient.readContract(wellFormed)).to.equal(true);
    }
  });

  it("refuse the same bytes: none, half a record, and more than 4,096", async () => {
    const most = packBills(someRecords(random, billing.maxRecords));
    for (const bills of ["0x", "0x00", "0x0000000102", concat([most, "0x00000001"])] as const) {
      expect(() => unpackBills(bills)).to.throw(RangeError);
      const read = { ...harness, functionName: "isWellFormed", args: [bills] } as const;
      expect(await world.publicClient.readContract(read)).to.equal(false);
    }
    for (const records of [[], someRecords(random, billing.maxRecords + 1), [{ kind: "execution", ms: 2 ** 31 }]]) {
      expect(() => packBills(records as BillRecord[])).to.throw(RangeError);
    }
    expect(unpackBills(most)).to.have.length(billing.maxRecords);
  });

  it("price a lane, its fee and its payment alike", async () => {
    for (let round = 0; round < 60; round++) {
      const [weight, price] = [random.uint(64), random.uint(64)];
      const powerCu = Number(random.uint(32));
      const due = dueUsd6({ weight, powerCu, priceUsd6PerGcums: price });
      const dueCall = { ...harness, functionName: "due", args: [weight, powerCu, price] } as const;
      expect(await world.publicClient.readContract(dueCall)).to.equal(due);
      const [allotmentUsd6, feeBps] = [random.uint(64), random.below(501)];
      const least = due < allotmentUsd6 ? due : allotmentUsd6;
      const paidUsd6 = least / BigInt(1 + random.below(5));
      const lane = { weight, paidUsd6, allotmentUsd6, seq: 1, powerCu };
      const payCall = { ...harness, functionName: "pay", args: [lane, due] } as const;
      const [paid, later] = await world.publicClient.readContract(payCall);
      const expected = payLane({ dueUsd6: due, paidUsd6, allotmentUsd6 });
      expect([paid, due - later.paidUsd6]).to.deep.equal([expected.paidUsd6, expected.owedUsd6]);
      const feeCall = { ...harness, functionName: "fee", args: [paid, feeBps] } as const;
      expect(await world.publicClient.readContract(feeCall)).to.equal(feeUsd6(paid, feeBps));
    }
  });

  it("name sessions, heads and tasks alike", async () => {
    for (let round = 0; round < 20; round++) {
      const [settlement, payer] = [random.address(), random.address()];
      const [a, b, c] = [random.bytes(32), random.bytes(32), random.bytes(32)];
      const [nodeId, seq] = [Number(random.uint(32)), random.uint(64)];
      const read = world.publicClient.readContract;
      const id = sessionIdOf({ chainId: CHAIN_ID, settlement, payer, clientNonce: a, modelId: b });
      expect(await read({ ...harness, functionName: "sessionIdOf", args: [settlement, payer, a, b] })).to.equal(id);
      const first = firstHeadOf({ sessionId: a, nodeId });
      expect(await read({ ...harness, functionName: "firstHead", args: [a, nodeId] })).to.equal(first);
      const next = nextHeadOf({ prevHead: a, billsHash: b, receiptsRoot: c });
      expect(await read({ ...harness, functionName: "nextHead", args: [a, b, c] })).to.equal(next);
      const taskId = sessionTaskIdOf({ sessionId: a, nodeId, seq });
      expect(await read({ ...harness, functionName: "taskIdOf", args: [a, nodeId, seq] })).to.equal(taskId);
    }
  });

  it("hold the same limits", async () => {
    const limits = await world.publicClient.readContract({ ...harness, functionName: "limits" });
    expect(limits.map(Number)).to.deep.equal(Object.values(sessionLimits));
    const packing = await world.publicClient.readContract({ ...harness, functionName: "packing" });
    const { bytesPerRecord, maxRecords, executionBps, standbyBps } = billing;
    expect(packing).to.deep.equal([BigInt(bytesPerRecord), BigInt(maxRecords), executionBps, standbyBps]);
  });
});

function someRecords(random: Random, count: number): BillRecord[] {
  return Array.from({ length: count }, () => ({
    kind: random.below(4) === 0 ? "standby" : "execution",
    ms: random.below(6) === 0 ? random.pick([0, 1, billing.maxMs]) : random.below(100_000),
  }));
}
