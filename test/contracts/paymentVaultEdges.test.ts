/** What anyone may read of the vault, and sums that no other test looks at: contracts/PaymentVault.sol. */
import { after, before, beforeEach, describe, it } from "node:test";
import { expect } from "chai";
import { maxUint256, type Address } from "viem";
import { noPermit } from "./support/permit.ts";
import { codeOf } from "./support/revert.ts";
import { createWorld, type World } from "./support/world.ts";

const THAW_S = 60;
const MATURITY_S = 100;
const nothing = { availableUsd6: 0n, creditUsd6: 0n, reservedUsd6: 0n };

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

  /** A vault of its own in which account 9 is the only rail and account 8 earns; the payer has approved it. */
  async function aVault() {
    const { usd, actors } = world;
    const { payer, deployer } = actors;
    const [payee, rail] = [world.accountAt(8), world.accountAt(9)];
    const vault = await world.deploy("PaymentVault", world.paymentVault.abi, [usd.address, THAW_S, MATURITY_S]);
    await world.send(deployer, vault, "fixRails", [[rail]]);
    await world.send(payer, usd, "approve", [vault.address, maxUint256]);
    const read = world.publicClient.readContract;
    return {
      vault,
      payer,
      payee,
      rail,
      accountOf: (account: Address) => read({ ...vault, functionName: "accountOf", args: [account] }),
      tokensOf: (account: Address) => read({ ...usd, functionName: "balanceOf", args: [account] }),
      /** First second of the maturity period after the next. */
      aPeriod: async () => (Math.floor((await world.now()) / MATURITY_S) + 2) * MATURITY_S,
    };
  }

  it("pays out once what a pot credited: asked again it pays nothing, and the other payers' money stays", async () => {
    const { vault, payer, payee, rail, accountOf, tokensOf } = await aVault();
    await world.send(rail, vault, "hold", [payer, 150n, noPermit]);
    await world.send(rail, vault, "payFromHeld", [payee, 50n]);
    const pay = () => world.send(world.actors.stranger, vault, "payCredit", [payee]);
    await pay();
    expect(await codeOf(pay())).to.equal("PaymentZeroAmount");
    expect(await tokensOf(payee)).to.equal(50n);
    expect(await accountOf(payee)).to.deep.equal(nothing);
    expect(await tokensOf(vault.address), "still in the rail's pot").to.equal(100n);
  });

  it("shows an account all that it earned, young, older and mature: it has the sum once the last has matured", async () => {
    const { vault, payer, payee, rail, accountOf, tokensOf, aPeriod } = await aVault();
    const start = await aPeriod();
    await world.send(rail, vault, "reserve", [payer, 1_000n, noPermit]);
    for (const [period, amount] of [[0, 100n], [1, 20n], [2, 3n]] as const) {
      await world.send(rail, vault, "settle", [payer, payee, amount, amount], { at: start + period * MATURITY_S });
    }
    expect(await accountOf(payee)).to.deep.equal({ ...nothing, creditUsd6: 123n });
    await world.send(rail, vault, "payCredit", [payee], { at: start + 4 * MATURITY_S });
    expect(await tokensOf(payee)).to.equal(123n);
    expect(await accountOf(payer)).to.deep.equal({ ...nothing, reservedUsd6: 877n });
  });
});
