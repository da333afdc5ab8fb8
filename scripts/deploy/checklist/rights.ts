/**
 * Who may do what now: every role with its holders and delays, the rights of those roles, and that the deployer is left
 * with none. Holders are found among all accounts that were ever given a role, so one too many is seen.
 */
import { encodeFunctionData, isAddressEqual, parseAbi, parseEventLogs, toFunctionSelector, type Address } from "viem";
import { roles } from "../../../ignition/modules/roles.ts";
import type { Contract } from "../deployModule.ts";
import { checkEqual, type Check } from "./check.ts";
import type { Subject } from "./subject.ts";

export interface RoleRow {
  readonly role: keyof typeof roles;
  /** What the holder is called in the configuration, or the contract that it is. */
  readonly holder: string;
  readonly account: Address;
  readonly delaySeconds: number;
}

const managerAbi = parseAbi([
  "event RoleGranted(uint64 indexed roleId, address indexed account, uint32 delay, uint48 since, bool newMember)",
  "function hasRole(uint64 roleId, address account) view returns (bool isMember, uint32 executionDelay)",
  "function getRoleAdmin(uint64 roleId) view returns (uint64)",
  "function getTargetFunctionRole(address target, bytes4 selector) view returns (uint64)",
  "function canCall(address caller, address target, bytes4 selector) view returns (bool immediate, uint32 delay)",
]);
const ownerAbi = parseAbi(["function owner() view returns (address)"]);

const restricted: readonly (readonly [Contract, string, keyof typeof roles])[] = [
  ["nodeRegistry", "setNodeClass(uint8,string,(uint32,uint128,bool))", "policy"],
  ["nodeRegistry", "suspend(uint32,uint40)", "slasher"],
  ["priceOracle", "setPrice(uint64)", "policy"],
  ["priceOracle", "pauseQuotes()", "pauser"],
  ["priceOracle", "resumeQuotes()", "unpauser"],
  ["scoreBoard", "setQuality(uint32,uint16,bytes32)", "audit"],
  ["scoreBoard", "setConduct(address)", "admin"],
  ["availability", "overturn(bytes32)", "appeal"],
  ["disputes", "arbitrate(bytes32,uint8)", "appeal"],
  ["disputes", "setDeterminism(bytes32,uint8)", "policy"],
  ["roleGuard", "give(uint64,address,uint32)", "admin"],
];

/** What the deployer could do once, and must not be able to do again. */
const onceOnly = [
  ["nodeRegistry", "function fixStakeVault(address)"],
  ["nodeRegistry", "function fixScoreBoard(address)"],
  ["paymentVault", "function fixRails(address[])"],
  ["stakeVault", "function fixRails(address[])"],
  ["scoreBoard", "function fixSelection(address)"],
  ["keeperBonds", "function fixAssignment(address)"],
  ["seedSource", "function fixRequester(address)"],
] as const satisfies readonly (readonly [Contract, string])[];

export async function examineRights(subject: Subject): Promise<{ rows: RoleRow[]; checks: Check[] }> {
  const { rows, checks } = await examineHolders(subject);
  checks.push(...(await examineFunctions(subject)), ...(await examineSwitch(subject)));
  checks.push(...(await examineRails(subject)), ...(await examineDeployer(subject)));
  return { rows, checks };
}

function expectedHolders({ configuration, addresses }: Subject): RoleRow[] {
  const { admin, adminDelaySeconds, policy, policyDelaySeconds, appeal, keeper, pauser, unpauser, guardian, auditor } =
    configuration.roles;
  const person = (role: RoleRow["role"], account: Address, delaySeconds = 0): RoleRow => ({
    role,
    holder: `roles.${role}`,
    account,
    delaySeconds,
  });
  const contract = (role: RoleRow["role"], holder: Contract): RoleRow => ({
    role,
    holder,
    account: addresses[holder],
    delaySeconds: 0,
  });
  return [
    person("admin", admin, adminDelaySeconds),
    person("keeper", keeper),
    person("policy", policy, policyDelaySeconds),
    ...(["sessionSettlement", "availability", "disputes"] as const).map((name) => contract("slasher", name)),
    person("appeal", appeal),
    contract("appeal", "availability"),
    person("pauser", pauser),
    person("guardian", guardian),
    person("unpauser", unpauser),
    ...(auditor === undefined ? [] : [{ ...person("audit", auditor), holder: "roles.auditor" }]),
    contract("roleAdmin", "roleGuard"),
  ];
}

async function examineHolders(subject: Subject): Promise<{ rows: RoleRow[]; checks: Check[] }> {
  const { chain, addresses, receipts } = subject;
  const manager = { abi: managerAbi, address: addresses.accessManager } as const;
  const logs = receipts.flatMap((receipt) => receipt.logs);
  const given = parseEventLogs({ abi: managerAbi, eventName: "RoleGranted", logs });
  const known = new Set(given.map(({ args }) => args.account));
  const expected = expectedHolders(subject);
  const rows: RoleRow[] = [];
  const checks: Check[] = [];
  for (const [role, id] of Object.entries(roles) as [keyof typeof roles, bigint][]) {
    for (const account of known) {
      const [isMember, delaySeconds] = await chain.readContract({
        ...manager,
        functionName: "hasRole",
        args: [id, account],
      });
      if (!isMember) continue;
      const match = expected.find((row) => row.role === role && isAddressEqual(row.account, account));
      rows.push({ role, holder: match?.holder ?? "nobody of the configuration", account, delaySeconds });
    }
    const [found, should] = [rows, expected].map((all) =>
      all
        .filter((row) => row.role === role)
        .map(({ account, delaySeconds }) => `${account.toLowerCase()} after ${delaySeconds} s`)
        .sort(),
    );
    checks.push(checkEqual("roles", `who holds ${role}`, found, should));
    const administrator = await chain.readContract({ ...manager, functionName: "getRoleAdmin", args: [id] });
    const isTop = role === "admin" || role === "roleAdmin";
    checks.push(checkEqual("roles", `who gives ${role}`, administrator, isTop ? roles.admin : roles.roleAdmin));
  }
  return { rows, checks };
}

async function examineFunctions({ chain, addresses }: Subject): Promise<Check[]> {
  const manager = { abi: managerAbi, address: addresses.accessManager } as const;
  const checks: Check[] = [];
  for (const [contract, signature, role] of restricted) {
    const args = [addresses[contract], toFunctionSelector(signature)] as const;
    const found = await chain.readContract({ ...manager, functionName: "getTargetFunctionRole", args });
    const [name = ""] = signature.split("(");
    checks.push(checkEqual("rights", `whose ${contract}.${name} is`, found, roles[role]));
  }
  return checks;
}

/** Who stops quotes cannot let them go on, and the other way round. */
async function examineSwitch({ chain, configuration, addresses }: Subject): Promise<Check[]> {
  const { pauser, unpauser, allowSingleOperator } = configuration.roles;
  if (allowSingleOperator && isAddressEqual(pauser, unpauser)) {
    const found = "one account, which roles.allowSingleOperator allows";
    return [{ topic: "rights", what: "pauser and unpauser are two", ok: true, found, expected: "two accounts" }];
  }
  const manager = { abi: managerAbi, address: addresses.accessManager } as const;
  const may = async (caller: Address, signature: string): Promise<string> => {
    const args = [caller, addresses.priceOracle, toFunctionSelector(signature)] as const;
    const [immediate, delay] = await chain.readContract({ ...manager, functionName: "canCall", args });
    return immediate ? "at once" : delay > 0 ? `after ${delay} s` : "never";
  };
  return [
    checkEqual("rights", "the pauser stops quotes", await may(pauser, "pauseQuotes()"), "at once"),
    checkEqual("rights", "the pauser lets quotes go on", await may(pauser, "resumeQuotes()"), "never"),
    checkEqual("rights", "the unpauser lets quotes go on", await may(unpauser, "resumeQuotes()"), "at once"),
    checkEqual("rights", "the unpauser stops quotes", await may(unpauser, "pauseQuotes()"), "never"),
  ];
}

async function examineRails({ chain, addresses, receipts }: Subject): Promise<Check[]> {
  const abi = parseAbi(["function isRail(address) view returns (bool)"]);
  const checks: Check[] = [];
  const deployer = receipts[0]?.from;
  for (const vault of ["paymentVault", "stakeVault"] as const) {
    const isRail = (account: Address): Promise<boolean> =>
      chain.readContract({ abi, address: addresses[vault], functionName: "isRail", args: [account] });
    for (const rail of ["taskEscrow", "sessionSettlement"] as const) {
      checks.push(checkEqual("wiring", `${rail} is a rail of ${vault}`, await isRail(addresses[rail]), true));
    }
    if (deployer === undefined) continue;
    checks.push(checkEqual("wiring", `the deployer is a rail of ${vault}`, await isRail(deployer), false));
  }
  return checks;
}

async function examineDeployer({ chain, addresses, receipts }: Subject): Promise<Check[]> {
  const senders = [...new Set(receipts.map(({ from }) => from.toLowerCase()))];
  const checks = [checkEqual("rights", "accounts that deployed", senders.length, 1)];
  const [deployer] = receipts.map(({ from }) => from);
  if (deployer === undefined) return checks;
  const seeds = { abi: ownerAbi, address: addresses.seedSource } as const;
  const owner = await chain.readContract({ ...seeds, functionName: "owner" });
  checks.push(checkEqual("rights", "owner of seedSource", owner, addresses.accessManager));
  for (const [contract, signature] of onceOnly) {
    const abi = parseAbi([signature] as readonly string[]);
    const argument = signature.includes("[]") ? [deployer] : deployer;
    const data = encodeFunctionData({ abi, args: [argument] });
    const found = await chain.call({ account: deployer, to: addresses[contract], data }).then(
      () => "it can",
      () => "it cannot",
    );
    const name = signature.slice("function ".length, signature.indexOf("("));
    checks.push(checkEqual("rights", `the deployer can ${name} of ${contract} again`, found, "it cannot"));
  }
  return checks;
}
