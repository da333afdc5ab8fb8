/** What anyone may read of the vault, and sums that no other test looks at: contracts/PaymentVault.sol. */
import { after, before, beforeEach, describe, it } from "node:test";
import { expect } from "chai";
import { maxUint256, parseAbi, zeroHash, type Address, type Hex } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { eventsOf } from "./support/chain.ts";
import { devKey } from "./support/devKey.ts";
import { noPermit, signPermit } from "./support/permit.ts";
import { codeOf, revertOf } from "./support/revert.ts";
import { createWorld, type World } from "./support/world.ts";

const THAW_S = 60;
const MATURITY_S = 100;
/** Returns one word of zeros whatever it is called with: a token of which nobody has anything and nothing arrives. */
const EMPTY_TOKEN: Hex = "0x60206000f3";
const hostile = parseAbi([
  "function approve(address spender, uint256 value) returns (bool)",
  "function setFee(uint256 feeBps)",
]);
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

  it("lets a key commit the last base unit of cap and money in its last second, and nothing in the second it expires", async () => {
    const { vault, payer, payee: key, rail, accountOf } = await aVault();
    const heldBy = () => world.publicClient.readContract({ ...vault, functionName: "heldBy", args: [rail] });
    const keyOf = () => world.publicClient.readContract({ ...vault, functionName: "keyOf", args: [payer, key] });
    const expiry = (await world.now()) + 1_000;
    const spend = (amount: bigint, at: number) =>
      world.send(rail, vault, "holdByKey", [payer, key, amount], { at });
    await world.send(payer, vault, "deposit", [payer, 50n]);
    await world.send(payer, vault, "authorizeKey", [key, 60n, expiry]);
    const receipt = await spend(50n, expiry - 10);
    expect(eventsOf(receipt, vault, "KeySpent")).to.deep.equal([{ payer, key, amountUsd6: 50n, capLeftUsd6: 10n }]);
    expect(eventsOf(receipt, vault, "Held")).to.deep.equal([{ rail, payer, amountUsd6: 50n }]);
    await world.send(payer, vault, "deposit", [payer, 20n], { at: expiry - 5 });
    const last = await spend(10n, expiry - 1);
    expect(eventsOf(last, vault, "KeySpent")[0]?.capLeftUsd6).to.equal(0n);
    await world.send(payer, vault, "authorizeKey", [key, 60n, expiry]);
    expect(await revertOf(spend(1n, expiry + 1))).to.deep.equal({ name: "PaymentKeyInvalid", args: [payer, key] });
    const next = (await world.now()) + 10;
    await world.send(payer, vault, "authorizeKey", [key, 60n, next]);
    expect(await codeOf(spend(1n, next)), "in the very second").to.equal("PaymentKeyInvalid");
    await world.send(payer, vault, "authorizeKey", [key, 60n, next + 100]);
    const revoked = await world.send(payer, vault, "beginKeyRevocation", [key]);
    expect(eventsOf(revoked, vault, "KeyRevoked")).to.deep.equal([{ payer, key }]);
    expect(await keyOf()).to.deep.equal({ capUsd6: 60n, expiry: next + 100, revoked: true });
    expect(await codeOf(spend(1n, next + 10))).to.equal("PaymentKeyInvalid");
    expect(await heldBy()).to.equal(60n);
    expect(await accountOf(payer)).to.deep.equal({ ...nothing, availableUsd6: 10n });
  });

  it("thaws to the second and clears what it finished, cancelled or lost to a debt: each base unit ends in one place", async () => {
    const { vault, payer, payee, rail, accountOf, tokensOf } = await aVault();
    const { stranger } = world.actors;
    const pending = { ...vault, functionName: "withdrawalOf", args: [payer] } as const;
    const withdrawalOf = () => world.publicClient.readContract(pending);
    const begin = (amount: bigint) => world.send(payer, vault, "beginWithdrawal", [payee, amount]);
    const finish = (at: number) => world.send(stranger, vault, "finishWithdrawal", [payer], { at });
    const cleared = { thawingUsd6: 0n, unlockAt: 0, to: `0x${"00".repeat(20)}`, obligations: 2 };
    await world.send(payer, vault, "deposit", [payer, 100n]);
    for (const obligations of [1, 2]) {
      const added = await world.send(rail, vault, "addObligation", [payer]);
      expect(eventsOf(added, vault, "ObligationsChanged")).to.deep.equal([{ payer, obligations }]);
    }
    await begin(40n);
    const first = (await world.now()) + THAW_S;
    expect(await revertOf(finish(first - 1))).to.deep.equal({
      name: "PaymentWithdrawalStillThawing",
      args: [payer, first],
    });
    await finish(first);
    expect(await withdrawalOf()).to.deep.equal(cleared);
    expect(await tokensOf(payee)).to.equal(40n);

    await begin(25n);
    const cancelled = await world.send(payer, vault, "cancelWithdrawal", []);
    expect(eventsOf(cancelled, vault, "WithdrawalCancelled")).to.deep.equal([{ account: payer, amountUsd6: 25n }]);
    expect(await withdrawalOf()).to.deep.equal(cleared);
    expect((await accountOf(payer)).availableUsd6).to.equal(60n);

    await begin(45n);
    await world.send(rail, vault, "collectOwed", [payer, stranger, 60n]);
    expect((await accountOf(stranger)).creditUsd6, "15 available and 45 that thawed").to.equal(60n);
    expect(await codeOf(finish((await world.now()) + 2 * THAW_S))).to.equal("PaymentWithdrawalNotBegun");
    await world.send(payer, vault, "deposit", [payer, 5n]);
    await begin(5n);
    const ended = await world.send(rail, vault, "endObligation", [payer]);
    expect(eventsOf(ended, vault, "ObligationsChanged")).to.deep.equal([{ payer, obligations: 1 }]);
    expect(await codeOf(world.send(payer, vault, "withdraw", [payer, 1n])), "one is left").to.equal(
      "PaymentWithdrawalThaws",
    );
    expect(await tokensOf(vault.address)).to.equal(65n);
  });

  it("takes the shortest and the longest windows that it may have, and holds to the last base unit what they hold", async () => {
    const { payer, payee, rail, vault, accountOf } = await aVault();
    for (const [thaw, maturity] of [[60, 10], [14 * 86_400, 7 * 86_400]] as const) {
      const own = await world.deploy("PaymentVault", vault.abi, [world.usd.address, thaw, maturity]);
      const read = world.publicClient.readContract;
      expect(await read({ ...own, functionName: "withdrawalThaw" })).to.equal(thaw);
      expect(await read({ ...own, functionName: "maturitySeconds" })).to.equal(maturity);
    }
    for (const [thaw, args] of [[59, [59, 60, 1_209_600]], [1_209_601, [1_209_601, 60, 1_209_600]]] as const) {
      const deployed = world.deploy("PaymentVault", vault.abi, [world.usd.address, thaw, MATURITY_S]);
      expect(await revertOf(deployed)).to.deep.equal({ name: "PaymentThawOutOfBounds", args });
    }
    await world.send(rail, vault, "hold", [payer, 30n, noPermit]);
    await world.send(rail, vault, "payFromHeld", [payee, 10n]);
    await world.send(rail, vault, "returnFromHeld", [payer, 20n]);
    expect(await codeOf(world.send(rail, vault, "payFromHeld", [payee, 1n]))).to.equal("PaymentHeldInsufficient");
    expect([await accountOf(payee), await accountOf(payer)]).to.deep.equal([
      { ...nothing, creditUsd6: 10n },
      { ...nothing, availableUsd6: 20n },
    ]);
  });

  it("credits no signed deposit that did not arrive: a token that only says yes leaves its account with nothing", async () => {
    const { payer, stranger } = world.actors;
    const token = world.accountAt(11);
    await world.connection.networkHelpers.setCode(token, EMPTY_TOKEN);
    const vault = await world.deploy("PaymentVault", world.paymentVault.abi, [token, THAW_S, MATURITY_S]);
    const args = [payer, 70n, 0n, 2n ** 40n, zeroHash, 27, zeroHash, zeroHash] as const;
    expect(await revertOf(world.send(stranger, vault, "depositWithAuthorization", args))).to.deep.equal({
      name: "PaymentTokenShort",
      args: [70n, 0n],
    });
    const account = { ...vault, functionName: "accountOf", args: [payer] } as const;
    expect(await world.publicClient.readContract(account)).to.deep.equal(nothing);
  });

  it("leaves a good permit unused while available money suffices: the wallet keeps its tokens and its nonce", async () => {
    const { vault, payer, rail, accountOf, tokensOf } = await aVault();
    await world.send(payer, vault, "deposit", [payer, 300n]);
    const owner = privateKeyToAccount(devKey(2));
    const permit = await signPermit(world, { owner, token: world.usd, spender: vault.address, value: 7n });
    const before = await tokensOf(payer);
    await world.send(rail, vault, "reserve", [payer, 300n, permit]);
    const nonces = { ...world.usd, functionName: "nonces", args: [payer] } as const;
    expect(await world.publicClient.readContract(nonces)).to.equal(0n);
    expect(await tokensOf(payer)).to.equal(before);
    expect(await accountOf(payer)).to.deep.equal({ ...nothing, reservedUsd6: 300n });
  });

  it("says when the next credit matures, the older one first: until then the vault keeps both", async () => {
    const { vault, payer, payee, rail, tokensOf, aPeriod } = await aVault();
    const start = await aPeriod();
    const pay = (at: number) => world.send(world.actors.stranger, vault, "payCredit", [payee], { at });
    await world.send(rail, vault, "reserve", [payer, 1_000n, noPermit]);
    await world.send(rail, vault, "settle", [payer, payee, 100n, 100n], { at: start });
    expect(await revertOf(pay(start + 1))).to.deep.equal({
      name: "PaymentCreditImmature",
      args: [payee, start + 2 * MATURITY_S],
    });
    await world.send(rail, vault, "settle", [payer, payee, 20n, 20n], { at: start + MATURITY_S });
    expect(await revertOf(pay(start + MATURITY_S + 1))).to.deep.equal({
      name: "PaymentCreditImmature",
      args: [payee, start + 2 * MATURITY_S],
    });
    expect([await tokensOf(payee), await tokensOf(vault.address)]).to.deep.equal([0n, 1_000n]);
    await pay(start + 2 * MATURITY_S);
    expect(await revertOf(pay(start + 2 * MATURITY_S + 1))).to.deep.equal({
      name: "PaymentCreditImmature",
      args: [payee, start + 3 * MATURITY_S],
    });
    expect([await tokensOf(payee), await tokensOf(vault.address)]).to.deep.equal([100n, 900n]);
  });

  it("pulls the last single base unit out of the wallet, and collects no more than there is, down to nothing", async () => {
    const { vault, payer, payee, rail, accountOf, tokensOf } = await aVault();
    await world.send(payer, vault, "deposit", [payer, 9n]);
    const before = await tokensOf(payer);
    await world.send(rail, vault, "hold", [payer, 10n, noPermit]);
    expect([before - (await tokensOf(payer)), await tokensOf(vault.address)]).to.deep.equal([1n, 10n]);
    const collect = { ...vault, functionName: "collectOwed", args: [payer, payee, 5n], account: rail } as const;
    expect((await world.publicClient.simulateContract(collect)).result).to.equal(0n);
    await world.send(rail, vault, "returnFromHeld", [payer, 4n]);
    expect((await world.publicClient.simulateContract(collect)).result).to.equal(4n);
    await world.send(rail, vault, "collectOwed", [payer, payee, 5n]);
    expect([(await accountOf(payee)).creditUsd6, (await accountOf(payer)).availableUsd6]).to.deep.equal([4n, 0n]);
  });

  it("measures what arrives by itself, not with what it holds: short by a hundredth, the deposit stays in the wallet", async () => {
    const { payer, deployer } = world.actors;
    const token = await world.deploy("HostileToken", hostile, [payer, 1_000n]);
    const vault = await world.deploy("PaymentVault", world.paymentVault.abi, [token.address, THAW_S, MATURITY_S]);
    await world.send(payer, token, "approve", [vault.address, maxUint256]);
    await world.send(payer, vault, "deposit", [payer, 500n]);
    await world.send(deployer, token, "setFee", [100n]);
    expect(await revertOf(world.send(payer, vault, "deposit", [payer, 100n]))).to.deep.equal({
      name: "PaymentTokenShort",
      args: [100n, 99n],
    });
    const account = { ...vault, functionName: "accountOf", args: [payer] } as const;
    expect(await world.publicClient.readContract(account)).to.deep.equal({ ...nothing, availableUsd6: 500n });
  });

  it("leaves what a contest did not take of an older credit to mature in its own time: the payee has it then", async () => {
    const { vault, payer, payee, rail, tokensOf, aPeriod } = await aVault();
    const start = await aPeriod();
    const immature = { ...vault, functionName: "immatureOf", args: [payee] } as const;
    await world.send(rail, vault, "reserve", [payer, 1_000n, noPermit]);
    await world.send(rail, vault, "settle", [payer, payee, 100n, 100n], { at: start });
    await world.send(rail, vault, "settle", [payer, payee, 20n, 20n], { at: start + MATURITY_S });
    await world.send(rail, vault, "contest", [payee, 30n], { at: start + MATURITY_S + 1 });
    expect(await world.publicClient.readContract(immature)).to.equal(90n);
    await world.send(payer, vault, "payCredit", [payee], { at: start + 2 * MATURITY_S });
    expect(await tokensOf(payee)).to.equal(70n);
    expect(await world.publicClient.readContract(immature), "the younger one").to.equal(20n);
    await world.send(payer, vault, "payCredit", [payee], { at: start + 3 * MATURITY_S });
    expect([await tokensOf(payee), await tokensOf(vault.address)]).to.deep.equal([90n, 910n]);
  });
});
