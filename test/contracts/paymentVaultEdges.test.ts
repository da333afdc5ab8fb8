/** What anyone may read of the vault, and sums that no other test looks at: contracts/PaymentVault.sol. */
import { after, before, beforeEach, describe, it } from "node:test";
import { expect } from "chai";
import { createWorld, type World } from "./support/world.ts";

describe("PaymentVault at its edges", () => {
  let world: World;
  before(async () => {
    world = await createWorld();
  });
  beforeEach(() => world.restore());
  after(() => world.close());

  it("says which token it holds and which contracts are rails, so that a payer knows before it approves", async () => {
    const { paymentVault, usd, escrow, settlement, actors, publicClient } = world;
    expect(await publicClient.readContract({ ...paymentVault, functionName: "token" })).to.equal(usd.address);
    const isRail = (account: `0x${string}`) =>
      publicClient.readContract({ ...paymentVault, functionName: "isRail", args: [account] });
    expect(await Promise.all([escrow.address, settlement.address, actors.deployer].map(isRail))).to.deep.equal([
      true,
      true,
      false,
    ]);
  });
});
