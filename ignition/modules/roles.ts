/** Roles of the AccessManager, as contracts/libraries/Roles.sol numbers them, and who gives and takes them. */
import type {
  ArgumentType,
  ContractCallFuture,
  IgnitionModuleBuilder,
  NamedArtifactContractDeploymentFuture,
} from "@nomicfoundation/ignition-core";
import { toFunctionSelector } from "viem";

export const roles = {
  admin: 0n,
  keeper: 1n,
  policy: 2n,
  slasher: 3n,
  appeal: 4n,
  pauser: 5n,
  guardian: 6n,
  unpauser: 7n,
  roleAdmin: 8n,
  audit: 9n,
} as const;

const workingRoles = ["keeper", "policy", "slasher", "appeal", "pauser", "guardian", "unpauser", "audit"] as const;

type Call = ContractCallFuture<string, string>;

/** Every call that is made through the returned builder is in `calls`, so that something can come after all of them. */
export function recordCalls(m: IgnitionModuleBuilder): { m: IgnitionModuleBuilder; calls: Call[] } {
  const calls: Call[] = [];
  const builder = new Proxy(m, {
    get(target, key) {
      const member: unknown = Reflect.get(target, key);
      if (typeof member !== "function") return member;
      return (...args: unknown[]): unknown => {
        const future: unknown = Reflect.apply(member, target, args);
        if (key === "call") calls.push(future as Call);
        return future;
      };
    },
  });
  return { m: builder, calls };
}

/**
 * Puts every working role under RoleGuard: given with the administrator's delay, taken by a guardian at once. `after`
 * are the calls that still need the deployer to give roles itself.
 */
export function buildRoleGuard(
  m: IgnitionModuleBuilder,
  accessManager: NamedArtifactContractDeploymentFuture<string>,
  after: readonly Call[],
) {
  const roleGuard = m.contract("RoleGuard", [accessManager]);
  const before = [...after];
  for (const name of workingRoles) {
    const id = `Guard_${name}`;
    m.call(accessManager, "setRoleAdmin", [roles[name], roles.roleAdmin], { id, after: before });
  }
  m.call(accessManager, "grantRole", [roles.roleAdmin, roleGuard, 0], { id: "GuardAdministersRoles" });
  return roleGuard;
}

/**
 * Makes the access manager the owner of a contract that knows only owners who accept: the administrator then acts on
 * it with the same delay as on everything else. The deployer accepts in its name, while it still administers.
 */
export function giveToManager(
  m: IgnitionModuleBuilder,
  request: {
    readonly accessManager: NamedArtifactContractDeploymentFuture<string>;
    readonly owned: NamedArtifactContractDeploymentFuture<string>;
  },
): Call {
  const { accessManager, owned } = request;
  const offered = m.call(owned, "transferOwnership", [accessManager], { id: "OfferSeedSource" });
  const accept = toFunctionSelector("acceptOwnership()");
  return m.call(accessManager, "execute", [owned, accept], { id: "AcceptSeedSource", after: [offered] });
}

/** The deployer stays administrator and may go on to give roles itself: for a chain that holds nothing of value. */
export function keepDeployer(
  m: IgnitionModuleBuilder,
  accessManager: NamedArtifactContractDeploymentFuture<string>,
): void {
  m.call(accessManager, "grantRole", [roles.roleAdmin, m.getAccount(0), 0], { id: "DeployerAdministersRoles" });
}

/**
 * Hands the administration to `admin`, who then waits `delaySeconds` (longer than the thaw) between announcing and
 * doing anything, and takes it from the deployer.
 */
export function handOver(
  m: IgnitionModuleBuilder,
  request: {
    readonly accessManager: NamedArtifactContractDeploymentFuture<string>;
    readonly admin: ArgumentType;
    readonly delaySeconds: ArgumentType;
    readonly after: readonly Call[];
  },
): void {
  const { accessManager, admin, delaySeconds } = request;
  const given = m.call(accessManager, "grantRole", [roles.admin, admin, delaySeconds], {
    id: "GrantAdmin",
    after: [...request.after],
  });
  m.call(accessManager, "renounceRole", [roles.admin, m.getAccount(0)], { id: "DeployerRetires", after: [given] });
}
