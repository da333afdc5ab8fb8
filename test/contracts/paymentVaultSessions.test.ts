/** What PaymentVault does for the session rail: pots, keys, thawed withdrawals and signed deposits. Account 9 is a rail. */
import { after, before, beforeEach, describe, it } from "node:test";
import { expect } from "chai";
import { encodeFunctionData, maxUint256, parseAbi, parseSignature, zeroAddress, type Address, type Hex } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { eventsOf, type ContractRef } from "./support/chain.ts";
import { devKey } from "./support/devKey.ts";
import { noPermit } from "./support/permit.ts";
import { codeOf, revertOf } from "./support/revert.ts";
import { hashOf } from "./support/tasks.ts";
import { CHAIN_ID, createWorld, type World } from "./support/world.ts";

const THAW_S = 60;
const MATURITY_S = 100;
const nothing = { availableUsd6: 0n, creditUsd6: 0n, reservedUsd6: 0n };
const hostile = parseAbi([
  "function approve(address spender, uint256 value) returns (bool)",
  "function arm(address target, bytes call)",
  "function callbacks() view returns (uint256)",
]);

describe("PaymentVault for sessions", () => {
  let world: World;
  let vault: ContractRef<World["paymentVault"]["abi"]>;
  let payer: Address;
  let payee: Address;
  let rail: Address;
  let otherRail: Address;
  let stranger: Address;

  before(async () => {
    world = await createWorld();
    ({ payer, stranger } = world.actors);
    [payee, rail, otherRail] = [world.accountAt(8), world.accountAt(9), world.accountAt(10)];
    vault = await world.deploy("PaymentVault", world.paymentVault.abi, [world.usd.address, THAW_S, MATURITY_S]);
    await world.send(world.actors.deployer, vault, "fixRails", [[rail, otherRail]]);
    await world.send(payer, world.usd, "approve", [vault.address, maxUint256]);
    await world.remember();
  });
  beforeEach(() => world.restore());
  after(() => world.close());

  const read = () => world.publicClient.readContract;
  const accountOf = (account: Address) => read()({ ...vault, functionName: "accountOf", args: [account] });
  const heldBy = (of: Address) => read()({ ...vault, functionName: "heldBy", args: [of] });
  const withdrawalOf = (of: Address) => read()({ ...vault, functionName: "withdrawalOf", args: [of] });
  const deposit = (amount: bigint) => world.send(payer, vault, "deposit", [payer, amount]);
  const hold = (amount: bigint, from = rail) => world.send(from, vault, "hold", [payer, amount, noPermit]);

  describe("pots", () => {
    it("take available money first and pull only the rest", async () => {
      await deposit(300n);
      const receipt = await hold(1_000n);
      expect(eventsOf(receipt, vault, "Held")).to.deep.equal([{ rail, payer, amountUsd6: 1_000n }]);
      expect(eventsOf(receipt, vault, "Deposited")).to.deep.equal([{ account: payer, from: payer, amountUsd6: 700n }]);
      expect(await heldBy(rail)).to.equal(1_000n);
      expect(await accountOf(payer)).to.deep.equal(nothing);
    });

    it("pay credits and give back available money, each rail from its own and no further", async () => {
      await hold(1_000n);
      await hold(5n, otherRail);
      const paid = await world.send(rail, vault, "payFromHeld", [payee, 600n]);
      expect(eventsOf(paid, vault, "PaidFromHeld")).to.deep.equal([{ rail, payee, amountUsd6: 600n }]);
      const returned = await world.send(rail, vault, "returnFromHeld", [payer, 100n]);
      expect(eventsOf(returned, vault, "ReturnedFromHeld")).to.deep.equal([{ rail, payer, amountUsd6: 100n }]);
      expect(await accountOf(payee)).to.deep.equal({ ...nothing, creditUsd6: 600n });
      expect(await accountOf(payer)).to.deep.equal({ ...nothing, availableUsd6: 100n });
      for (const name of ["payFromHeld", "returnFromHeld"] as const) {
        expect(await revertOf(world.send(otherRail, vault, name, [payee, 6n]))).to.deep.equal({
          name: "PaymentHeldInsufficient",
          args: [otherRail, 5n, 6n],
        });
        expect(await codeOf(world.send(rail, vault, name, [zeroAddress, 1n]))).to.equal("PaymentZeroAddress");
      }
      expect([await heldBy(rail), await heldBy(otherRail)]).to.deep.equal([300n, 5n]);
    });

    it("are moved by no rail's stranger, whatever it calls", async () => {
      await hold(1_000n);
      await deposit(50n);
      for (const from of [payer, payee, stranger, world.actors.deployer]) {
        const acts = [
          () => hold(1n, from),
          () => world.send(from, vault, "holdByKey", [payer, from, 1n]),
          () => world.send(from, vault, "payFromHeld", [from, 1n]),
          () => world.send(from, vault, "returnFromHeld", [from, 1n]),
          () => world.send(from, vault, "collectOwed", [payer, from, 1n]),
          () => world.send(from, vault, "addObligation", [payer]),
          () => world.send(from, vault, "endObligation", [payer]),
        ];
        for (const act of acts) expect(await revertOf(act())).to.deep.equal({ name: "PaymentNotRail", args: [from] });
      }
    });
  });

  describe("withdrawals", () => {
    const begin = (amount: bigint, to = payee) => world.send(payer, vault, "beginWithdrawal", [to, amount]);
    const finish = () => world.send(stranger, vault, "finishWithdrawal", [payer]);

    it("leave at once without obligations, and thaw with them", async () => {
      await deposit(100n);
      await world.send(rail, vault, "addObligation", [payer]);
      expect(await revertOf(world.send(payer, vault, "withdraw", [payee, 10n]))).to.deep.equal({
        name: "PaymentWithdrawalThaws",
        args: [payer, 1],
      });
      const receipt = await begin(40n);
      const unlockAt = (await world.now()) + THAW_S;
      expect(eventsOf(receipt, vault, "WithdrawalBegun")).to.deep.equal([
        { account: payer, to: payee, amountUsd6: 40n, unlockAt },
      ]);
      expect(await revertOf(begin(1n))).to.deep.equal({ name: "PaymentWithdrawalPending", args: [payer, unlockAt] });
      expect(await codeOf(finish())).to.equal("PaymentWithdrawalStillThawing");
      await world.increaseTo(unlockAt);
      expect(eventsOf(await finish(), vault, "Withdrawn")).to.deep.equal([
        { account: payer, to: payee, amountUsd6: 40n },
      ]);
      expect(await codeOf(finish())).to.equal("PaymentWithdrawalNotBegun");
      await world.send(rail, vault, "endObligation", [payer]);
      expect(await codeOf(world.send(rail, vault, "endObligation", [payer]))).to.equal("PaymentNoObligation");
      await world.send(payer, vault, "withdraw", [payee, 60n]);
      expect(await accountOf(payer)).to.deep.equal(nothing);
    });

    it("can be cancelled, and collected from while they thaw", async () => {
      await deposit(100n);
      await begin(60n);
      const collect = (amount: bigint) => world.send(rail, vault, "collectOwed", [payer, payee, amount]);
      const receipt = await collect(70n);
      expect(eventsOf(receipt, vault, "DebtCollected")).to.deep.equal([{ rail, payer, payee, amountUsd6: 70n }]);
      expect((await withdrawalOf(payer)).thawingUsd6).to.equal(30n);
      await world.send(payer, vault, "cancelWithdrawal", []);
      expect(await accountOf(payer)).to.deep.equal({ ...nothing, availableUsd6: 30n });
      await collect(1_000n);
      expect(await accountOf(payee)).to.deep.equal({ ...nothing, creditUsd6: 100n });
      expect(eventsOf(await collect(1n), vault, "DebtCollected"), "nothing is left, and nothing reverts").to.deep.equal([]);
      expect(await codeOf(world.send(payer, vault, "cancelWithdrawal", []))).to.equal("PaymentWithdrawalNotBegun");
    });

    it("refuse nothing, nowhere, and more than there is", async () => {
      await deposit(10n);
      expect(await codeOf(begin(0n))).to.equal("PaymentZeroAmount");
      expect(await codeOf(begin(1n, zeroAddress))).to.equal("PaymentZeroAddress");
      expect(await codeOf(begin(11n))).to.equal("PaymentInsufficient");
      for (const thaw of [59, 14 * 24 * 3_600 + 1]) {
        const deployed = world.deploy("PaymentVault", vault.abi, [world.usd.address, thaw, MATURITY_S]);
        expect(await codeOf(deployed)).to.equal("PaymentThawOutOfBounds");
      }
    });
  });

  describe("keys", () => {
    it("commit available money within their cap until they expire or are revoked", async () => {
      const key = payee;
      const spend = (amount: bigint) => world.send(rail, vault, "holdByKey", [payer, key, amount]);
      await deposit(50n);
      expect(await codeOf(spend(1n))).to.equal("PaymentKeyInvalid");
      expect(await codeOf(world.send(payer, vault, "beginKeyRevocation", [key]))).to.equal("PaymentKeyInvalid");
      expect(await codeOf(world.send(payer, vault, "authorizeKey", [zeroAddress, 1n, 1]))).to.equal("PaymentZeroAddress");
      const expiry = (await world.now()) + 1_000;
      const receipt = await world.send(payer, vault, "authorizeKey", [key, 60n, expiry]);
      expect(eventsOf(receipt, vault, "KeyAuthorized")).to.deep.equal([{ payer, key, capUsd6: 60n, expiry }]);
      await spend(20n);
      expect(await revertOf(spend(41n))).to.deep.equal({ name: "PaymentKeyCapExceeded", args: [key, 40n, 41n] });
      expect(await revertOf(spend(31n))).to.deep.equal({ name: "PaymentInsufficient", args: [payer, 30n, 31n] });
      const keyOf = { ...vault, functionName: "keyOf", args: [payer, key] } as const;
      expect(await read()(keyOf)).to.deep.equal({ capUsd6: 40n, expiry, revoked: false });
      await world.increaseTo(expiry);
      expect(await codeOf(spend(1n))).to.equal("PaymentKeyInvalid");
    });
  });

  describe("signed deposits (EIP-3009)", () => {
    const types = {
      ReceiveWithAuthorization: [
        { name: "from", type: "address" },
        { name: "to", type: "address" },
        { name: "value", type: "uint256" },
        { name: "validAfter", type: "uint256" },
        { name: "validBefore", type: "uint256" },
        { name: "nonce", type: "bytes32" },
      ],
    } as const;
    async function authorization(value: bigint, change: { validAfter?: bigint; validBefore?: bigint; nonce?: Hex } = {}) {
      const account = privateKeyToAccount(devKey(2));
      const message = {
        from: account.address,
        to: vault.address,
        value,
        validAfter: 0n,
        validBefore: 2n ** 40n,
        nonce: hashOf("authorization"),
        ...change,
      };
      const domain = { name: "Local USD", version: "1", chainId: CHAIN_ID, verifyingContract: world.usd.address };
      const signature = await account.signTypedData({ domain, types, primaryType: "ReceiveWithAuthorization", message });
      const { r, s, yParity } = parseSignature(signature);
      return { ...message, v: 27 + yParity, r, s };
    }
    const relay = (a: Awaited<ReturnType<typeof authorization>>, value = a.value) =>
      world.send(stranger, vault, "depositWithAuthorization", [
        a.from, value, a.validAfter, a.validBefore, a.nonce, a.v, a.r, a.s,
      ]);

    it("credit their signer, whoever relays them, and once", async () => {
      const signed = await authorization(70n);
      const receipt = await relay(signed);
      expect(eventsOf(receipt, vault, "Deposited")).to.deep.equal([{ account: payer, from: payer, amountUsd6: 70n }]);
      expect(await accountOf(payer)).to.deep.equal({ ...nothing, availableUsd6: 70n });
      expect(await codeOf(relay(signed))).to.equal("AuthorizationSpent");
    });

    it("count for their amount, their time and this vault alone", async () => {
      const signed = await authorization(70n);
      expect(await codeOf(relay(signed, 71n))).to.equal("AuthorizationSignerInvalid");
      const now = BigInt(await world.now());
      const late = await authorization(1n, { validBefore: now });
      expect(await codeOf(relay(late))).to.equal("AuthorizationOutOfTime");
      expect(await codeOf(relay(await authorization(1n, { validAfter: now + 1_000n })))).to.equal("AuthorizationOutOfTime");
      const { from, to, value, validAfter, validBefore, nonce, v, r, s } = signed;
      const direct = [from, to, value, validAfter, validBefore, nonce, v, r, s] as const;
      expect(await codeOf(world.send(stranger, world.usd, "receiveWithAuthorization", direct))).to.equal(
        "AuthorizationNotReceiver",
      );
      expect(await codeOf(world.send(stranger, world.usd, "transferWithAuthorization", direct))).to.equal(
        "AuthorizationSignerInvalid",
      );
    });
  });

  it("lets a token that calls back enter nothing that moves tokens", async () => {
    const token = await world.deploy("HostileToken", hostile, [payer, 1_000n]);
    const itsVault = await world.deploy("PaymentVault", vault.abi, [token.address, THAW_S, MATURITY_S]);
    await world.send(world.actors.deployer, itsVault, "fixRails", [[rail, token.address]]);
    await world.send(payer, token, "approve", [itsVault.address, maxUint256]);
    await world.send(payer, itsVault, "deposit", [payer, 100n]);
    await world.send(payer, itsVault, "beginWithdrawal", [payer, 50n]);
    await world.increase(THAW_S);
    const calls = [
      encodeFunctionData({ abi: vault.abi, functionName: "hold", args: [payer, 1n, noPermit] }),
      encodeFunctionData({ abi: vault.abi, functionName: "finishWithdrawal", args: [payer] }),
      encodeFunctionData({ abi: vault.abi, functionName: "payCredit", args: [payer] }),
      encodeFunctionData({ abi: vault.abi, functionName: "reserve", args: [payer, 1n, noPermit] }),
    ];
    for (const call of calls) {
      await world.send(payer, token, "arm", [itsVault.address, call]);
      await world.send(rail, itsVault, "hold", [payer, 60n, noPermit]);
    }
    expect(await read()({ ...token, functionName: "callbacks" })).to.equal(0n);
    expect(await read()({ ...itsVault, functionName: "heldBy", args: [rail] })).to.equal(240n);
  });
});
