/**
 * The key that deploys, from the file or the environment variable that the configuration names; nothing else ever
 * holds it, and no message shows it. Refused: a publicly known key off the local chain, and an account that is to hold
 * a role, because the deployer ends up with none.
 */
import { readFileSync } from "node:fs";
import { isAddressEqual, isHex, type Hex } from "viem";
import { privateKeyToAccount, type PrivateKeyAccount } from "viem/accounts";
import { namedAccounts, type Configuration } from "./configuration/configuration.ts";
import { isDevelopmentAccount, localChainId } from "./configuration/developmentAccounts.ts";
import { DeployError, type Problem } from "./problem.ts";

export interface DeployerKey {
  readonly privateKey: Hex;
  readonly account: PrivateKeyAccount;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** undefined where there is none (yet). Throws DeployError for one that is there and may not deploy this. */
export function findDeployerKey(configuration: Configuration, env: Environment): DeployerKey | undefined {
  const { file, environmentVariable } = configuration.deployerKey;
  const text = file === undefined ? env[environmentVariable ?? ""] : readIfThere(file);
  if (text === undefined || text.trim() === "") return undefined;
  const hex = text.trim().replace(/^(0x)?/, "0x");
  const account = isHex(hex) && hex.length === 66 ? accountOf(hex) : undefined;
  const path = file === undefined ? "deployerKey.environmentVariable" : "deployerKey.file";
  if (account === undefined) {
    const allowed = "it must be the 32 bytes of a private key in hex";
    throw new DeployError([{ code: "KEY_MALFORMED", path, found: "something else", allowed }]);
  }
  const problems = problemsOf(configuration, account, path);
  if (problems.length > 0) throw new DeployError(problems);
  return { privateKey: hex as Hex, account };
}

export function requireDeployerKey(configuration: Configuration, env: Environment): DeployerKey {
  const key = findDeployerKey(configuration, env);
  if (key !== undefined) return key;
  const { file, environmentVariable } = configuration.deployerKey;
  const found = file === undefined ? `no ${String(environmentVariable)} in the environment` : `no file ${file}`;
  const allowed = "it must hold the deployer's key";
  throw new DeployError([{ code: "KEY_MISSING", path: "deployerKey", found, allowed }]);
}

function problemsOf(configuration: Configuration, { address }: PrivateKeyAccount, path: string): Problem[] {
  const { chainId, roles } = configuration;
  const problems: Problem[] = [];
  if (chainId !== localChainId && isDevelopmentAccount(address)) {
    const allowed = `anyone can spend from it: on a chain other than ${localChainId} use a key of your own`;
    problems.push({ code: "KEY_UNSAFE", path, found: `the publicly known development key of ${address}`, allowed });
  }
  for (const [name] of namedAccounts(roles).filter(([, account]) => isAddressEqual(account, address))) {
    const allowed = "the deployer ends up with no role, so it must be another account";
    problems.push({ code: "ROLE_UNSAFE", path: `roles.${name}`, found: `the deployer ${address}`, allowed });
  }
  return problems;
}

function accountOf(hex: Hex): PrivateKeyAccount | undefined {
  try {
    return privateKeyToAccount(hex);
  } catch {
    // Zero, or beyond the order of the curve; the library's message would show it.
    return undefined;
  }
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
