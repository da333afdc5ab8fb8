/** Slow to give, instant to take: contracts/access/RoleGuard.sol over OpenZeppelin's AccessManager. */
import { after, before, beforeEach, describe, it } from "node:test";
import { expect } from "chai";
import { encodeFunctionData, parseAbi, type Address } from "viem";
import { createChain, eventsOf, type Chain, type ContractRef } from "./support/chain.ts";
import { codeOf } from "./support/revert.ts";

const managerAbi = parseAbi([
  "function grantRole(uint64 role, address account, uint32 executionDelay)",
  "function revokeRole(uint64 role, address account)",
  "function setRoleAdmin(uint64 role, uint64 admin)",
  "function schedule(address target, bytes data, uint48 when) returns (bytes32, uint32)",
  "function execute(address target, bytes data) payable returns (uint32)",
  "function hasRole(uint64 role, address account) view returns (bool, uint32)",
]);
const guardAbi = parseAbi([
  "function give(uint64 role, address account, uint32 executionDelaySeconds)",
  "function take(uint64 role, address account)",
  "event RoleGiven(uint64 indexed role, address indexed account, uint32 executionDelaySeconds)",
  "event RoleTaken(uint64 indexed role, address indexed account, address indexed by)",
]);
const role = { admin: 0n, keeper: 1n, slasher: 3n, guardian: 6n, roleAdmin: 8n } as const;
const DAY_S = 86_400;
const ADMIN_DELAY_S = 21 * DAY_S;

describe("RoleGuard", () => {
  let chain: Chain;
  let manager: ContractRef<typeof managerAbi>;
  let guard: ContractRef<typeof guardAbi>;
  let admin: Address;
  let guardian: Address;
  let keeper: Address;
  let stranger: Address;

  before(async () => {
    chain = await createChain();
    [admin, guardian, keeper, stranger] = [0, 1, 2, 3].map(chain.accountAt) as [Address, Address, Address, Address];
    manager = await chain.deploy("AccessManager", managerAbi, [admin]);
    guard = await chain.deploy("RoleGuard", guardAbi, [manager.address]);
    for (const working of [1n, 2n, 3n, 4n, 5n, 6n, 7n]) {
      await chain.send(admin, manager, "setRoleAdmin", [working, role.roleAdmin]);
    }
    await chain.send(admin, manager, "grantRole", [role.roleAdmin, guard.address, 0]);
    for (const [given, account] of [
      [role.guardian, guardian],
      [role.keeper, keeper],
      [role.slasher, keeper],
    ] as const) {
      await chain.send(admin, guard, "give", [given, account, 0]);
    }
    // From here the administrator waits like everybody else does.
    await chain.send(admin, manager, "grantRole", [role.admin, admin, ADMIN_DELAY_S]);
    await chain.remember();
  });
  beforeEach(() => chain.restore());
  after(() => chain.close());

  const holds = async (asked: bigint, account: Address): Promise<boolean> =>
    (await chain.publicClient.readContract({ ...manager, functionName: "hasRole", args: [asked, account] }))[0];

  describe("behaviour", () => {
    it("lets a guardian end any working role in one transaction", async () => {
      const receipt = await chain.send(guardian, guard, "take", [role.slasher, keeper]);
      expect(eventsOf(receipt, guard, "RoleTaken")).to.deep.equal([
        { role: role.slasher, account: keeper, by: guardian },
      ]);
      expect(await holds(role.slasher, keeper)).to.equal(false);
      expect(await holds(role.keeper, keeper)).to.equal(true);
    });

    it("lets the holder of a role put it down, and nobody else's", async () => {
      await chain.send(keeper, guard, "take", [role.keeper, keeper]);
      expect(await holds(role.keeper, keeper)).to.equal(false);
      const act = chain.send(keeper, guard, "take", [role.guardian, guardian]);
      expect(await codeOf(act)).to.equal("GuardNotGuardian");
      expect(await holds(role.guardian, guardian)).to.equal(true);
    });

    it("gives a role only a whole delay after the administrator announced it", async () => {
      const data = encodeFunctionData({ abi: guardAbi, functionName: "give", args: [role.keeper, stranger, 0] });
      const at = (await chain.now()) + 10;
      await chain.send(admin, manager, "schedule", [guard.address, data, 0], { at });
      await chain.increaseTo(at + ADMIN_DELAY_S - 2);
      const early = chain.send(admin, manager, "execute", [guard.address, data], { at: at + ADMIN_DELAY_S - 1 });
      expect(await codeOf(early)).to.equal("AccessManagerNotReady");
      expect(await holds(role.keeper, stranger)).to.equal(false);
      await chain.send(admin, manager, "execute", [guard.address, data], { at: at + ADMIN_DELAY_S });
      expect(await holds(role.keeper, stranger)).to.equal(true);
    });
  });

  describe("error", () => {
    it("lets a guardian give nothing, not even what it took", async () => {
      await chain.send(guardian, guard, "take", [role.keeper, keeper]);
      const give = chain.send(guardian, guard, "give", [role.keeper, keeper, 0]);
      expect(await codeOf(give)).to.equal("AccessManagedUnauthorized");
      const direct = chain.send(guardian, manager, "grantRole", [role.keeper, keeper, 0]);
      expect(await codeOf(direct)).to.equal("AccessManagerUnauthorizedAccount");
    });

    it("lets the administrator give nothing at once, neither through the guard nor past it", async () => {
      const give = chain.send(admin, guard, "give", [role.slasher, admin, 0]);
      expect(await codeOf(give)).to.equal("AccessManagerNotScheduled");
      const direct = chain.send(admin, manager, "grantRole", [role.slasher, admin, 0]);
      expect(await codeOf(direct)).to.equal("AccessManagerUnauthorizedAccount");
    });

    it("neither gives nor takes the administrator's own role", async () => {
      const take = chain.send(guardian, guard, "take", [role.admin, admin]);
      expect(await codeOf(take)).to.equal("GuardAdminRole");
      const data = encodeFunctionData({ abi: guardAbi, functionName: "give", args: [role.admin, stranger, 0] });
      await chain.send(admin, manager, "schedule", [guard.address, data, 0]);
      await chain.increase(ADMIN_DELAY_S);
      const give = chain.send(admin, manager, "execute", [guard.address, data]);
      expect(await codeOf(give)).to.equal("GuardAdminRole");
      expect(await holds(role.admin, stranger)).to.equal(false);
    });

    it("lets a stranger do nothing", async () => {
      const take = chain.send(stranger, guard, "take", [role.keeper, keeper]);
      expect(await codeOf(take)).to.equal("GuardNotGuardian");
      const give = chain.send(stranger, guard, "give", [role.keeper, stranger, 0]);
      expect(await codeOf(give)).to.equal("AccessManagedUnauthorized");
    });
  });
});
