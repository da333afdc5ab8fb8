/** The money of payers and payees: contracts/PaymentVault.sol, INV-1 and INV-7. Account 9 plays the only rail here. */
import { after, before, beforeEach, describe, it } from "node:test";
import { expect } from "chai";
import { encodeFunctionData, maxUint256, parseAbi, zeroAddress, type Address } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { eventsOf, type ContractRef } from "./support/chain.ts";
import { devKey } from "./support/devKey.ts";
import { noPermit, signPermit, type Permit } from "./support/permit.ts";
import { codeOf, revertOf } from "./support/revert.ts";
import { createWorld, type World } from "./support/world.ts";

const erc20 = parseAbi([
  "function approve(address spender, uint256 value) returns (bool)",
  "function transfer(address to, uint256 value) returns (bool)",
  "function balanceOf(address account) view returns (uint256)",
  "function setBlocked(address account, bool blocked)",
  "function arm(address target, bytes call)",
]);
const THAW_S = 60;
const MATURITY_S = 100;
const nothing = { availableUsd6: 0n, creditUsd6: 0n, reservedUsd6: 0n };

describe("PaymentVault", () => {
  let world: World;
  let vault: ContractRef<World["paymentVault"]["abi"]>;
  let payer: Address;
  let payee: Address;
  let rail: Address;
  let stranger: Address;

  before(async () => {
    world = await createWorld();
    ({ payer, stranger } = world.actors);
    payee = world.accountAt(8);
    rail = world.accountAt(9);
    vault = await aVault(world.usd.address);
    await world.send(payer, world.usd, "approve", [vault.address, 10_000n]);
    await world.remember();
  });
  beforeEach(() => world.restore());
  after(() => world.close());

  async function aVault(token: Address): Promise<ContractRef<World["paymentVault"]["abi"]>> {
    const deployed = await world.deploy("PaymentVault", world.paymentVault.abi, [token, THAW_S, MATURITY_S]);
    await world.send(world.actors.deployer, deployed, "fixRails", [[rail]]);
    return deployed;
  }

  /** A vault on a mock token of which `payer` holds a thousand units. */
  async function onToken(name: string) {
    const token = await world.deploy(name, erc20, [payer, 1_000n]);
    const itsVault = await aVault(token.address);
    await world.send(payer, token, "approve", [itsVault.address, maxUint256]);
    return { token, itsVault };
  }

  const accountOf = (account: Address, of = vault) =>
    world.publicClient.readContract({ ...of, functionName: "accountOf", args: [account] });
  const balanceOf = (account: Address, token: { address: Address } = world.usd) =>
    world.publicClient.readContract({ abi: erc20, address: token.address, functionName: "balanceOf", args: [account] });
  const reserve = (amount: bigint, permit: Permit = noPermit) =>
    world.send(rail, vault, "reserve", [payer, amount, permit]);

  describe("behaviour", () => {
    it("credits a deposit to the account that it is for", async () => {
      const before = await balanceOf(payer);
      const receipt = await world.send(payer, vault, "deposit", [payee, 700n]);
      expect(eventsOf(receipt, vault, "Deposited")).to.deep.equal([{ account: payee, from: payer, amountUsd6: 700n }]);
      expect(await accountOf(payee)).to.deep.equal({ ...nothing, availableUsd6: 700n });
      expect(await balanceOf(payer)).to.equal(before - 700n);
      expect(await balanceOf(vault.address)).to.equal(700n);
    });

    it("lets the owner of available money take it out to anywhere, and no more than that", async () => {
      await world.send(payer, vault, "deposit", [payer, 700n]);
      const receipt = await world.send(payer, vault, "withdraw", [payee, 300n]);
      expect(eventsOf(receipt, vault, "Withdrawn")).to.deep.equal([{ account: payer, to: payee, amountUsd6: 300n }]);
      expect(await balanceOf(payee)).to.equal(300n);
      expect(await accountOf(payer)).to.deep.equal({ ...nothing, availableUsd6: 400n });
      expect(await revertOf(world.send(payer, vault, "withdraw", [payee, 401n]))).to.deep.equal({
        name: "PaymentInsufficient",
        args: [payer, 400n, 401n],
      });
      expect(await balanceOf(vault.address)).to.equal(400n);
    });

    it("reserves available money first and pulls only the rest from the wallet", async () => {
      await world.send(payer, vault, "deposit", [payer, 300n]);
      const before = await balanceOf(payer);
      const receipt = await reserve(1_000n);
      expect(eventsOf(receipt, vault, "Deposited")).to.deep.equal([{ account: payer, from: payer, amountUsd6: 700n }]);
      expect(eventsOf(receipt, vault, "Reserved")).to.deep.equal([{ account: payer, amountUsd6: 1_000n }]);
      expect(await accountOf(payer)).to.deep.equal({ ...nothing, reservedUsd6: 1_000n });
      expect(await balanceOf(payer)).to.equal(before - 700n);
      expect(await balanceOf(vault.address)).to.equal(1_000n);
    });

    it("touches no wallet and no permit while available money suffices", async () => {
      await world.send(payer, vault, "deposit", [payer, 300n]);
      const before = await balanceOf(payer);
      const receipt = await reserve(300n, { ...noPermit, value: 300n, deadline: 1n });
      expect(eventsOf(receipt, vault, "Deposited")).to.deep.equal([]);
      expect(await balanceOf(payer)).to.equal(before);
      expect(await accountOf(payer)).to.deep.equal({ ...nothing, reservedUsd6: 300n });
    });

    it("works with a permit that somebody else used first", async () => {
      const account = privateKeyToAccount(devKey(2));
      await world.send(payer, world.usd, "approve", [vault.address, 0n]);
      for (const frontRun of [false, true]) {
        const request = { owner: account, token: world.usd, spender: vault.address, value: 500n };
        const permit = await signPermit(world, request);
        const { value, deadline, v, r, s } = permit;
        const used = [payer, vault.address, value, deadline, v, r, s] as const;
        if (frontRun) await world.send(stranger, world.usd, "permit", used);
        await reserve(500n, permit);
      }
      const permit = await signPermit(world, { owner: account, token: world.usd, spender: vault.address, value: 20n });
      await world.send(payer, vault, "depositWithPermit", [20n, permit]);
      expect(await accountOf(payer)).to.deep.equal({ availableUsd6: 20n, creditUsd6: 0n, reservedUsd6: 1_000n });
      expect(await balanceOf(vault.address)).to.equal(1_020n);
    });

    it("pays the payee's credit and releases the rest to the payer", async () => {
      await reserve(1_000n);
      const receipt = await world.send(rail, vault, "settle", [payer, payee, 1_000n, 600n]);
      expect(eventsOf(receipt, vault, "Settled")).to.deep.equal([
        { payer, payee, paidUsd6: 600n, releasedUsd6: 400n },
      ]);
      expect(await accountOf(payer)).to.deep.equal({ ...nothing, availableUsd6: 400n });
      expect(await accountOf(payee)).to.deep.equal({ ...nothing, creditUsd6: 600n });
      expect(await balanceOf(vault.address)).to.equal(1_000n);
    });

    it("keeps both sides apart when payer and payee are one account", async () => {
      await reserve(1_000n);
      await world.send(rail, vault, "settle", [payer, payer, 1_000n, 600n]);
      expect(await accountOf(payer)).to.deep.equal({ availableUsd6: 400n, creditUsd6: 600n, reservedUsd6: 0n });
    });

    it("sends credit to its owner, whoever pays the gas", async () => {
      await reserve(1_000n);
      await world.send(rail, vault, "settle", [payer, payee, 1_000n, 600n]);
      await world.increase(2 * MATURITY_S);
      const receipt = await world.send(stranger, vault, "payCredit", [payee]);
      expect(eventsOf(receipt, vault, "CreditPaid")).to.deep.equal([{ account: payee, amountUsd6: 600n }]);
      expect(await balanceOf(payee)).to.equal(600n);
      expect(await balanceOf(stranger)).to.equal(0n);
      expect(await accountOf(payee)).to.deep.equal(nothing);
      expect(await balanceOf(vault.address)).to.equal(400n);
    });

    it("gives a released reservation back whole", async () => {
      await reserve(1_000n);
      const receipt = await world.send(rail, vault, "release", [payer, 1_000n]);
      expect(eventsOf(receipt, vault, "Released")).to.deep.equal([{ account: payer, amountUsd6: 1_000n }]);
      expect(await accountOf(payer)).to.deep.equal({ ...nothing, availableUsd6: 1_000n });
    });

    it("lets one blocked payee hold up nobody else's pay", async () => {
      const { token, itsVault } = await onToken("BlocklistToken");
      await world.send(rail, itsVault, "reserve", [payer, 900n, noPermit]);
      await world.send(rail, itsVault, "settle", [payer, stranger, 300n, 300n]);
      await world.send(rail, itsVault, "settle", [payer, payee, 300n, 300n]);
      await world.send(payer, token, "setBlocked", [stranger, true]);
      await world.increase(2 * MATURITY_S);
      expect(await codeOf(world.send(rail, itsVault, "payCredit", [stranger]))).to.equal("TokenReceiverBlocked");
      await world.send(rail, itsVault, "payCredit", [payee]);
      await world.send(rail, itsVault, "settle", [payer, stranger, 300n, 100n]);
      expect(await balanceOf(payee, token)).to.equal(300n);
      expect(await accountOf(stranger, itsVault)).to.deep.equal({ ...nothing, creditUsd6: 400n });
      expect(await accountOf(payer, itsVault)).to.deep.equal({ ...nothing, availableUsd6: 200n });
      expect(await balanceOf(itsVault.address, token)).to.equal(600n);
    });
  });

  describe("credits that mature", () => {
    const settle = (amount: bigint, at: number) => world.send(rail, vault, "settle", [payer, payee, amount, amount], { at });
    const immatureOf = (account: Address) =>
      world.publicClient.readContract({ ...vault, functionName: "immatureOf", args: [account] });
    const heldBy = () => world.publicClient.readContract({ ...vault, functionName: "heldBy", args: [rail] });
    const pay = (at: number) => world.send(stranger, vault, "payCredit", [payee], { at });
    /** First second of the period after the next. */
    const aPeriod = async () => (Math.floor((await world.now()) / MATURITY_S) + 2) * MATURITY_S;

    it("cannot leave within one window, and always can after two: then they are the payee's", async () => {
      const start = await aPeriod();
      await reserve(1_000n);
      for (const [offset, label] of [[0, "first second"], [MATURITY_S - 1, "last second"]] as const) {
        const snapshot = await world.connection.networkHelpers.takeSnapshot();
        await settle(1_000n, start + offset);
        expect(await accountOf(payee), "all that it earned").to.deep.equal({ ...nothing, creditUsd6: 1_000n });
        expect(await immatureOf(payee)).to.equal(1_000n);
        const until = start + 2 * MATURITY_S;
        expect(await revertOf(pay(until - 1)), label).to.deep.equal({
          name: "PaymentCreditImmature",
          args: [payee, until],
        });
        await pay(until);
        expect(await balanceOf(payee)).to.equal(1_000n);
        expect(await accountOf(payee)).to.deep.equal(nothing);
        await snapshot.restore();
      }
    });

    it("leave as they mature, the younger ones later, none of them twice", async () => {
      const start = await aPeriod();
      await reserve(1_000n);
      await settle(100n, start);
      await settle(20n, start + MATURITY_S);
      await settle(3n, start + 2 * MATURITY_S);
      expect(await immatureOf(payee), "the first has matured").to.equal(23n);
      await pay(start + 2 * MATURITY_S + 1);
      expect(await balanceOf(payee)).to.equal(100n);
      expect(await codeOf(pay(start + 2 * MATURITY_S + 2))).to.equal("PaymentCreditImmature");
      await pay(start + 9 * MATURITY_S);
      expect(await balanceOf(payee)).to.equal(123n);
      expect(await codeOf(pay(start + 9 * MATURITY_S + 1))).to.equal("PaymentZeroAmount");
      expect(await accountOf(payer)).to.deep.equal({ ...nothing, reservedUsd6: 877n });
    });

    it("are contested into the rail's own pot, oldest first, and never fall short of what is young", async () => {
      const start = await aPeriod();
      await reserve(1_000n);
      await settle(100n, start + 50);
      await settle(20n, start + MATURITY_S + 10);
      // The younger settlement is contested first: it must not eat into what a demand about the other may still take.
      const receipt = await world.send(rail, vault, "contest", [payee, 20n], { at: start + MATURITY_S + 20 });
      expect(eventsOf(receipt, vault, "Contested")).to.deep.equal([{ rail, payee, amountUsd6: 20n }]);
      await world.send(rail, vault, "contest", [payee, 100n], { at: start + MATURITY_S + 49 });
      expect(await heldBy()).to.equal(120n);
      expect(await accountOf(payee)).to.deep.equal(nothing);
      const more = world.send(rail, vault, "contest", [payee, 1n]);
      expect(await revertOf(more)).to.deep.equal({ name: "PaymentInsufficient", args: [payee, 0n, 1n] });
      expect(await codeOf(world.send(rail, vault, "contest", [payee, 0n]))).to.equal("PaymentZeroAmount");
      await world.send(rail, vault, "returnFromHeld", [payer, 120n]);
      expect(await accountOf(payer)).to.deep.equal({ ...nothing, availableUsd6: 120n, reservedUsd6: 880n });
    });

    it("are out of a contest's reach once they have matured, and so is what the pot pays", async () => {
      const start = await aPeriod();
      await reserve(1_000n);
      await world.send(rail, vault, "hold", [payer, 50n, noPermit]);
      await world.send(rail, vault, "payFromHeld", [payee, 50n]);
      expect(await immatureOf(payee), "a session's pay is mature at once").to.equal(0n);
      await settle(100n, start);
      const late = world.send(rail, vault, "contest", [payee, 1n], { at: start + 2 * MATURITY_S });
      expect(await codeOf(late)).to.equal("PaymentInsufficient");
      await pay(start + 2 * MATURITY_S + 1);
      expect(await balanceOf(payee)).to.equal(150n);
    });

    it("have a maturity within bounds, fixed at deployment", async () => {
      const deploy = (maturity: number) =>
        world.deploy("PaymentVault", vault.abi, [world.usd.address, THAW_S, maturity]);
      for (const maturity of [9, 7 * 86_400 + 1]) {
        expect(await revertOf(deploy(maturity))).to.deep.equal({
          name: "PaymentMaturityOutOfBounds",
          args: [maturity, 10, 7 * 86_400],
        });
      }
      const longest = await deploy(7 * 86_400);
      const fixed = { ...longest, functionName: "maturitySeconds" } as const;
      expect(await world.publicClient.readContract(fixed)).to.equal(7 * 86_400);
    });
  });

  describe("error", () => {
    it("lets nobody but a rail move reserved money", async () => {
      await reserve(1_000n);
      for (const from of [payer, payee, stranger, world.actors.deployer]) {
        const acts = [
          () => world.send(from, vault, "reserve", [payer, 1n, noPermit]),
          () => world.send(from, vault, "settle", [payer, from, 1_000n, 1_000n]),
          () => world.send(from, vault, "release", [payer, 1_000n]),
          () => world.send(from, vault, "contest", [payer, 1n]),
        ];
        for (const act of acts) expect(await revertOf(act())).to.deep.equal({ name: "PaymentNotRail", args: [from] });
      }
      expect(await accountOf(payer)).to.deep.equal({ ...nothing, reservedUsd6: 1_000n });
    });

    it("lets the rails be named once, by the deployer alone, and never empty or zero", async () => {
      const { deployer } = world.actors;
      expect(await codeOf(world.send(deployer, vault, "fixRails", [[deployer]]))).to.equal("PaymentRailsFixed");
      const fresh = await world.deploy("PaymentVault", vault.abi, [world.usd.address, THAW_S, MATURITY_S]);
      expect(await codeOf(world.send(stranger, fresh, "fixRails", [[stranger]]))).to.equal("PaymentRailsFixed");
      expect(await codeOf(world.send(deployer, fresh, "fixRails", [[]]))).to.equal("PaymentZeroAddress");
      const withZero = world.send(deployer, fresh, "fixRails", [[rail, zeroAddress]]);
      expect(await codeOf(withZero)).to.equal("PaymentZeroAddress");
      const receipt = await world.send(deployer, fresh, "fixRails", [[rail, payee]]);
      expect(eventsOf(receipt, fresh, "RailsFixed")).to.deep.equal([{ rails: [rail, payee] }]);
      for (const [account, expected] of [[rail, true], [payee, true], [stranger, false]] as const) {
        const is = await world.publicClient.readContract({ ...fresh, functionName: "isRail", args: [account] });
        expect(is).to.equal(expected);
      }
    });

    it("never ends more of a reservation than there is, nor pays more than was reserved", async () => {
      await reserve(1_000n);
      expect(await revertOf(world.send(rail, vault, "settle", [payer, payee, 1_001n, 1n]))).to.deep.equal({
        name: "PaymentInsufficient",
        args: [payer, 1_000n, 1_001n],
      });
      const overpaid = world.send(rail, vault, "settle", [payer, payee, 500n, 501n]);
      expect(await codeOf(overpaid)).to.equal("PaymentInsufficient");
      expect(await codeOf(world.send(rail, vault, "release", [payer, 1_001n]))).to.equal("PaymentInsufficient");
      const toNobody = world.send(rail, vault, "settle", [payer, zeroAddress, 1n, 1n]);
      expect(await codeOf(toNobody)).to.equal("PaymentZeroAddress");
    });

    it("needs allowance or a permit by the payer itself", async () => {
      const { otherPayer } = world.actors;
      const code = "ERC20InsufficientAllowance";
      expect(await codeOf(world.send(rail, vault, "reserve", [otherPayer, 5n, noPermit]))).to.equal(code);
      const mine = privateKeyToAccount(devKey(2));
      const foreign = await signPermit(world, { owner: mine, token: world.usd, spender: vault.address, value: 5n });
      expect(await codeOf(world.send(rail, vault, "reserve", [otherPayer, 5n, foreign]))).to.equal(code);
      expect(await codeOf(world.send(otherPayer, vault, "deposit", [payer, 5n]))).to.equal(code);
    });

    it("refuses zero amounts and zero addresses", async () => {
      const acts = [
        ["PaymentZeroAmount", () => world.send(payer, vault, "deposit", [payer, 0n])],
        ["PaymentZeroAmount", () => world.send(payer, vault, "withdraw", [payer, 0n])],
        ["PaymentZeroAmount", () => world.send(payer, vault, "payCredit", [payer])],
        ["PaymentZeroAmount", () => reserve(0n)],
        ["PaymentZeroAddress", () => world.send(payer, vault, "deposit", [zeroAddress, 1n])],
        ["PaymentZeroAddress", () => world.send(payer, vault, "withdraw", [zeroAddress, 1n])],
        ["PaymentZeroAddress", () => world.deploy("PaymentVault", vault.abi, [zeroAddress, THAW_S, MATURITY_S])],
      ] as const;
      for (const [code, act] of acts) expect(await codeOf(act())).to.equal(code);
    });

    it("does not credit what a token that keeps a fee did not deliver", async () => {
      const { token, itsVault } = await onToken("FeeToken");
      const short = { name: "PaymentTokenShort", args: [1_000n, 990n] };
      expect(await revertOf(world.send(payer, itsVault, "deposit", [payer, 1_000n]))).to.deep.equal(short);
      expect(await revertOf(world.send(rail, itsVault, "reserve", [payer, 1_000n, noPermit]))).to.deep.equal(short);
      expect(await accountOf(payer, itsVault)).to.deep.equal(nothing);
      expect(await balanceOf(payer, token)).to.equal(1_000n);
    });

    it("lets a token that calls back enter nothing that moves tokens", async () => {
      const { token, itsVault } = await onToken("ReentrantToken");
      const permit = noPermit;
      const calls = [
        encodeFunctionData({ abi: vault.abi, functionName: "deposit", args: [payer, 1n] }),
        encodeFunctionData({ abi: vault.abi, functionName: "depositWithPermit", args: [1n, permit] }),
        encodeFunctionData({ abi: vault.abi, functionName: "withdraw", args: [payer, 1n] }),
        encodeFunctionData({ abi: vault.abi, functionName: "payCredit", args: [payer] }),
      ];
      for (const call of calls) {
        await world.send(payer, token, "arm", [itsVault.address, call]);
        const act = world.send(payer, itsVault, "deposit", [payer, 100n]);
        expect(await codeOf(act)).to.equal("ReentrancyGuardReentrantCall");
      }
      expect(await balanceOf(payer, token)).to.equal(1_000n);
    });

    it("refuses amounts beyond its slots instead of cutting them", async () => {
      const rich = await world.deploy("LocalUsd", erc20, [payer, 2n ** 128n]);
      const itsVault = await aVault(rich.address);
      await world.send(payer, rich, "approve", [itsVault.address, maxUint256]);
      const code = "SafeCastOverflowedUintDowncast";
      expect(await codeOf(world.send(payer, itsVault, "deposit", [payer, 2n ** 96n]))).to.equal(code);
      expect(await codeOf(world.send(rail, itsVault, "reserve", [payer, 2n ** 64n, noPermit]))).to.equal(code);
      await world.send(payer, itsVault, "deposit", [payer, 2n ** 96n - 1n]);
      expect(await accountOf(payer, itsVault)).to.deep.equal({ ...nothing, availableUsd6: 2n ** 96n - 1n });
    });
  });
});
