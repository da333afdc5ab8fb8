/** contracts/libraries/Billing.sol and Limits.sol against their mirrors protocol/src/units.ts and limits.ts. */
import { after, before, describe, it } from "node:test";
import { limits } from "@ngpu/protocol/limits";
import { amountUsd6, capMs, maxAmountUsd6, maxBillUsd6, standbyUsd6 } from "@ngpu/protocol/units";
import { expect } from "chai";
import { parseAbi } from "viem";
import { createChain, type Chain, type ContractRef } from "./support/chain.ts";
import { createRandom, seedFor } from "./support/random.ts";

const abi = parseAbi([
  "function amount(uint32 powerCu, uint32 durationMs, uint64 priceUsd6PerGcums) pure returns (uint256)",
  "function capMs(uint64 workCums, uint32 powerCu) pure returns (uint32)",
  "function standby(uint256 billUsd6) pure returns (uint256)",
  "function maxBill(uint64 workCums, uint64 priceUsd6PerGcums) pure returns (uint256)",
  "function maxAmount(uint64 workCums, uint64 priceUsd6PerGcums, uint8 backups) pure returns (uint256)",
  "function limits() pure returns (uint256[15])",
]);

describe("Billing", () => {
  let chain: Chain;
  let harness: ContractRef<typeof abi>;

  before(async () => {
    chain = await createChain();
    harness = await chain.deploy("BillingHarness", abi, []);
  });
  after(() => chain.close());

  const onChain = {
    amount: (powerCu: number, durationMs: number, price: bigint) =>
      chain.publicClient.readContract({ ...harness, functionName: "amount", args: [powerCu, durationMs, price] }),
    capMs: (workCums: bigint, powerCu: number) =>
      chain.publicClient.readContract({ ...harness, functionName: "capMs", args: [workCums, powerCu] }),
    standby: (billUsd6: bigint) =>
      chain.publicClient.readContract({ ...harness, functionName: "standby", args: [billUsd6] }),
    maxBill: (workCums: bigint, price: bigint) =>
      chain.publicClient.readContract({ ...harness, functionName: "maxBill", args: [workCums, price] }),
    maxAmount: (workCums: bigint, price: bigint, backups: number) =>
      chain.publicClient.readContract({ ...harness, functionName: "maxAmount", args: [workCums, price, backups] }),
  };

  describe("behaviour", () => {
    it("bills an hour of the reference machine at the local price with 0.36 USD", async () => {
      expect(await onChain.amount(1_000, 3_600_000, 100_000n)).to.equal(360_000n);
    });

    it("rounds a bill down, in the payer's favour", async () => {
      expect(await onChain.amount(1, 9_999, 100_000n)).to.equal(0n);
      expect(await onChain.amount(1, 10_000, 100_000n)).to.equal(1n);
    });

    it("caps at five quarters of the time that the work takes at that power", async () => {
      expect(await onChain.capMs(1_000_000n, 1_000)).to.equal(1_250);
      expect(await onChain.capMs(1_000_000n, 4_000)).to.equal(312);
    });

    it("saturates the cap at what a receipt can say, and gives a node without power none", async () => {
      expect(await onChain.capMs(2n ** 64n - 1n, 1)).to.equal(0xffff_ffff);
      expect(await onChain.capMs(2n ** 64n - 1n, 0)).to.equal(0);
    });
  });

  describe("property", () => {
    it("equals protocol/src/units.ts for any values, type edges included", async () => {
      const random = createRandom(seedFor("billing equality"));
      for (let i = 0; i < 150; i++) {
        const powerCu = Number(random.uint(32));
        const durationMs = Number(random.uint(32));
        const [price, workCums] = [random.uint(64), random.uint(64)];
        const said = { powerCu, durationMs, price, workCums };
        expect(await onChain.amount(powerCu, durationMs, price), Object.entries(said).join(" ")).to.equal(
          amountUsd6({ powerCu, durationMs, priceUsd6PerGcums: price }),
        );
        expect(await onChain.capMs(workCums, powerCu)).to.equal(capMs({ workCums, powerCu }));
        const most = maxBillUsd6({ workCums, priceUsd6PerGcums: price });
        expect(await onChain.maxBill(workCums, price)).to.equal(most);
        expect(await onChain.standby(most)).to.equal(standbyUsd6(most));
        const backups = random.below(256);
        const escrowed = maxAmountUsd6({ workCums, priceUsd6PerGcums: price, backups });
        expect(await onChain.maxAmount(workCums, price, backups)).to.equal(escrowed);
      }
    });

    it("never lets a bill within the cap and the standby of every backup exceed the escrow", async () => {
      const random = createRandom(seedFor("bill within escrow"));
      for (let i = 0; i < 150; i++) {
        const powerCu = Number(random.uint(32));
        const [price, workCums] = [random.uint(64), random.uint(64)];
        const longest = await onChain.capMs(workCums, powerCu);
        const bill = await onChain.amount(powerCu, longest, price);
        const backups = random.below(limits.maxBackups + 1);
        const due = bill + BigInt(backups) * (await onChain.standby(bill));
        const escrowed = await onChain.maxAmount(workCums, price, backups);
        expect(due <= escrowed, `${workCums} ${powerCu} ${price}`).to.equal(true);
      }
    });

    it("has the limits of protocol/src/limits.ts", async () => {
      const stated = await chain.publicClient.readContract({ ...harness, functionName: "limits" });
      expect(stated.map(Number)).to.deep.equal(Object.values(limits).map(Number));
    });
  });
});
