/**
 * Writes protocol/src/generated: the ABI of every contract as a typed constant, the addresses that a fresh local chain
 * gives them, found by deploying there, and those of the public chains in deployments/. `--check` writes nothing and
 * fails if what is committed differs.
 */
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { readDeploymentRecord } from "../deploy/deploymentRecord.ts";
import { deploymentsText, type ChainDeployment } from "./deploymentsText.ts";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");
const generated = path.join(root, "protocol/src/generated");

const contracts = [
  "NodeRegistry",
  "StakeVault",
  "PaymentVault",
  "TaskEscrow",
  "PriceOracle",
  "NgpuToken",
  "LocalUsd",
  "LocalPriceFeed",
  "Faucet",
  "AccessManager",
  "RoleGuard",
  "SessionSettlement",
  "ScoreBoard",
  "Selection",
  "Assignment",
  "KeeperBonds",
  "LocalSeedSource",
  "VrfSeedSource",
  "Availability",
  "Disputes",
  "KeeperCommittee",
  "CreReceiver",
];

/** The part of OpenZeppelin's AccessManager that services use. */
const accessManagerParts = new Set(["hasRole", "grantRole", "revokeRole", "RoleGranted", "RoleRevoked"]);

interface AbiEntry {
  readonly type: string;
  readonly name?: string;
}

type Files = Map<string, string>;

process.chdir(root);
const { default: hre } = await import("hardhat");
await hre.tasks.getTask("build").run({ quiet: true, noTests: true });

const files: Files = new Map([...(await abiFiles()), ["deployments.ts", await deploymentsFile()]]);
const stale = await staleFiles(files);
if (process.argv.includes("--check")) {
  for (const name of stale) console.error(`stale: protocol/src/generated/${name} (run: node scripts/generate/abis.ts)`);
  process.exitCode = stale.length === 0 ? 0 : 1;
} else {
  await mkdir(path.join(generated, "abi"), { recursive: true });
  for (const name of stale) await writeFile(path.join(generated, name), files.get(name) ?? "");
  console.log(`protocol/src/generated: ${files.size} files, ${stale.length} written`);
}

async function abiFiles(): Promise<Files> {
  const result: Files = new Map();
  const errors = new Map<string, AbiEntry>();
  for (const contract of contracts) {
    const { abi } = await hre.artifacts.readArtifact(contract);
    const entries = (abi as readonly AbiEntry[]).filter(
      (entry) => contract !== "AccessManager" || accessManagerParts.has(entry.name ?? ""),
    );
    result.set(`abi/${lowerFirst(contract)}.ts`, abiFile(`${lowerFirst(contract)}Abi`, `ABI of ${contract}.`, entries));
    for (const entry of abi as readonly AbiEntry[]) {
      if (entry.type === "error") errors.set(JSON.stringify(entry), entry);
    }
  }
  const sorted = [...errors.values()].sort((a, b) => ((a.name ?? "") < (b.name ?? "") ? -1 : 1));
  const about = "Every error of every contract: a call may revert with one that a contract further down declares.";
  result.set("abi/errors.ts", abiFile("errorsAbi", about, sorted));
  return result;
}

/**
 * Addresses depend on the deployer and the order of its transactions only, so every fresh local chain gives the same.
 */
async function deploymentsFile(): Promise<string> {
  const { deployLocal } = await import("../../ignition/deployLocal.ts");
  const connection = await hre.network.create("default");
  try {
    const addresses = await deployLocal(connection);
    const chainId = Number(await connection.provider.request({ method: "eth_chainId" }));
    const about = header("Where the contracts are, by chain. A fresh local chain (31337) always gives these addresses.");
    return deploymentsText(about, [{ chainId, addresses, deploymentBlock: 1 }, ...(await recordedDeployments())]);
  } finally {
    await connection.close();
  }
}

/** What `npm run deploy` has recorded of public chains. */
async function recordedDeployments(): Promise<ChainDeployment[]> {
  const folder = path.join(root, "deployments");
  const names = await readdir(folder).catch(() => []);
  const files = names.filter((name) => name.endsWith(".json")).map((name) => path.join(folder, name));
  const records = files.map(readDeploymentRecord);
  return records.map(({ chainId, block, addresses, external }) => ({
    chainId,
    addresses: {
      ...addresses,
      ngpuToken: external.stakeToken,
      paymentToken: external.paymentToken,
      priceFeed: external.priceFeed,
    },
    deploymentBlock: block,
  }));
}

async function staleFiles(files: Files): Promise<string[]> {
  const names: string[] = [];
  for (const [name, content] of files) {
    const committed = await readFile(path.join(generated, name), "utf8").catch(() => undefined);
    if (committed !== content) names.push(name);
  }
  return names;
}

function abiFile(constant: string, about: string, entries: readonly AbiEntry[]): string {
  const lines = entries.map((entry) => `  ${JSON.stringify(entry)},`);
  return [header(about), `export const ${constant} = [`, ...lines, "] as const;", ""].join("\n");
}

function header(about: string): string {
  return `/**\n * ${about}\n * Generated by scripts/generate/abis.ts; do not edit.\n */`;
}

function lowerFirst(name: string): string {
  return name.charAt(0).toLowerCase() + name.slice(1);
}
