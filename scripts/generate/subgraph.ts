/**
 * Builds the subgraph: writes the ABIs it reads and the addresses in subgraph/subgraph.yaml from
 * protocol/src/generated, then runs graph-cli's codegen and build. What is built already from the same inputs is not
 * built again. `--check` writes nothing and fails if the addresses in subgraph.yaml are stale. `--chain ID` builds it
 * for another chain that NGPU is deployed on, into subgraph/build/<network>.
 */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, open, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { NgpuError } from "@ngpu/protocol/errors";
import type { Deployment } from "@ngpu/protocol/deployment";
import { deployments } from "@ngpu/protocol/generated/deployments";
import { assignmentAbi } from "@ngpu/protocol/generated/abi/assignment";
import { keeperBondsAbi } from "@ngpu/protocol/generated/abi/keeperBonds";
import { availabilityAbi } from "@ngpu/protocol/generated/abi/availability";
import { disputesAbi } from "@ngpu/protocol/generated/abi/disputes";
import { nodeRegistryAbi } from "@ngpu/protocol/generated/abi/nodeRegistry";
import { paymentVaultAbi } from "@ngpu/protocol/generated/abi/paymentVault";
import { scoreBoardAbi } from "@ngpu/protocol/generated/abi/scoreBoard";
import { selectionAbi } from "@ngpu/protocol/generated/abi/selection";
import { sessionSettlementAbi } from "@ngpu/protocol/generated/abi/sessionSettlement";
import { stakeVaultAbi } from "@ngpu/protocol/generated/abi/stakeVault";
import { taskEscrowAbi } from "@ngpu/protocol/generated/abi/taskEscrow";

const require = createRequire(import.meta.url);
const folder = path.resolve(import.meta.dirname, "../../subgraph");
const manifest = path.join(folder, "subgraph.yaml");
const graphCli = require.resolve("@graphprotocol/graph-cli/bin/run.js");
const lockTimeoutMs = 120_000;

const localChainId = 31_337;
/** What graph-node calls a chain: the network registry of The Graph. */
export const networks: Readonly<Record<number, string>> = {
  [localChainId]: "hardhat",
  1: "mainnet",
  10: "optimism",
  137: "matic",
  8_453: "base",
  42_161: "arbitrum-one",
  84_532: "base-sepolia",
  421_614: "arbitrum-sepolia",
  11_155_111: "sepolia",
  11_155_420: "optimism-sepolia",
};

const sources = {
  NodeRegistry: { abi: nodeRegistryAbi, key: "nodeRegistry" },
  StakeVault: { abi: stakeVaultAbi, key: "stakeVault" },
  PaymentVault: { abi: paymentVaultAbi, key: "paymentVault" },
  TaskEscrow: { abi: taskEscrowAbi, key: "taskEscrow" },
  ScoreBoard: { abi: scoreBoardAbi, key: "scoreBoard" },
  Selection: { abi: selectionAbi, key: "selection" },
  KeeperBonds: { abi: keeperBondsAbi, key: "keeperBonds" },
  Assignment: { abi: assignmentAbi, key: "assignment" },
  Availability: { abi: availabilityAbi, key: "availability" },
  Disputes: { abi: disputesAbi, key: "disputes" },
  SessionSettlement: { abi: sessionSettlementAbi, key: "sessionSettlement" },
} as const;

/** Brings subgraph/build up to date. Says whether anything had to be built. */
export async function buildSubgraph(): Promise<{ built: boolean; manifestPath: string }> {
  const unlock = await lock();
  try {
    await writeInputs();
    const hash = await inputsHash();
    const stamp = path.join(folder, "build/inputs.sha256");
    const manifestPath = path.join(folder, "build/subgraph.yaml");
    if ((await read(stamp)) === hash) return { built: false, manifestPath };

    await rm(path.join(folder, "build"), { recursive: true, force: true });
    await rm(path.join(folder, "generated"), { recursive: true, force: true });
    await graph("codegen");
    await graph("build");
    await writeFile(stamp, hash);
    return { built: true, manifestPath };
  } finally {
    await unlock();
  }
}

/**
 * For a chain that NGPU is deployed on: a manifest of its own and what graph-cli makes of it, ready for `graph deploy`.
 * The mappings are those of every chain. Throws for one without a deployment or a name.
 */
async function buildFor(chainId: number): Promise<{ manifestPath: string }> {
  const deployment: Deployment | undefined = (deployments as Readonly<Record<number, Deployment>>)[chainId];
  const network = networks[chainId];
  if (deployment === undefined) throw new Error(`deployments/ has no record of chain ${chainId}: run npm run deploy, then npm run generate`);
  if (network === undefined) throw new Error(`no name of The Graph is known here for chain ${chainId}`);
  await buildSubgraph();
  const unlock = await lock();
  const own = path.join(folder, `subgraph.${network}.yaml`);
  try {
    await writeFile(own, manifestOf(await readFile(manifest, "utf8"), { network, deployment }));
    await graph("build", path.basename(own), "--output-dir", `build/${network}`);
    return { manifestPath: path.join(folder, `build/${network}/subgraph.yaml`) };
  } finally {
    await rm(own, { force: true });
    await unlock();
  }
}

async function expectedManifest(): Promise<string> {
  const place = { network: networks[localChainId] ?? "", deployment: deployments[localChainId] };
  return manifestOf(await readFile(manifest, "utf8"), place);
}

/** A manifest with the addresses and start blocks of a deployment; everything else in it stays. */
export function manifestOf(manifestText: string, place: { network: string; deployment: Deployment }): string {
  const { network, deployment } = place;
  let text = manifestText;
  for (const [name, { key }] of Object.entries(sources)) {
    const source = new RegExp(
      `(name: ${name}\\n {4}network: ).*(\\n {4}source:\\n {6}address: ).*(\\n {6}abi: .*\\n {6}startBlock: ).*`,
    );
    if (!source.test(text)) throw new NgpuError("INTERNAL", { manifest: "subgraph/subgraph.yaml", missing: name });
    text = text.replace(source, `$1${network}$2"${deployment[key]}"$3${deployment.deploymentBlock}`);
  }
  return text;
}

async function writeInputs(): Promise<void> {
  const text = await expectedManifest();
  if (text !== (await read(manifest))) await writeFile(manifest, text);
  await mkdir(path.join(folder, "abis"), { recursive: true });
  for (const [name, { abi }] of Object.entries(sources)) {
    await writeFile(path.join(folder, `abis/${name}.json`), `${JSON.stringify(abi, null, 2)}\n`);
  }
}

async function inputsHash(): Promise<string> {
  const hash = createHash("sha256");
  for (const name of ["@graphprotocol/graph-cli", "@graphprotocol/graph-ts"]) {
    hash.update(await readFile(path.join(folder, "../node_modules", name, "package.json")));
  }
  const mappings = await readdir(path.join(folder, "src"), { recursive: true, withFileTypes: true });
  const files = [
    manifest,
    path.join(folder, "schema.graphql"),
    ...Object.keys(sources).map((name) => path.join(folder, `abis/${name}.json`)),
    ...mappings.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name)),
  ];
  for (const file of files.sort()) hash.update(`${path.relative(folder, file)}\0`).update(await readFile(file));
  return hash.digest("hex");
}

async function graph(command: "codegen" | "build", ...args: string[]): Promise<void> {
  const child = spawn(process.execPath, [graphCli, command, ...args], {
    cwd: folder,
    env: { ...process.env, GRAPH_SKIP_NEW_VERSION_CHECK: "true", NO_COLOR: "1" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  if (code !== 0) throw new NgpuError("INTERNAL", { command: `graph ${command}`, output });
}

/** Builds by several processes at once take turns. A lock whose process is gone is taken over. */
async function lock(): Promise<() => Promise<void>> {
  const file = path.join(folder, "abis/.lock");
  await mkdir(path.dirname(file), { recursive: true });
  const deadline = Date.now() + lockTimeoutMs;
  for (;;) {
    try {
      const handle = await open(file, "wx");
      await handle.writeFile(String(process.pid));
      await handle.close();
      return () => rm(file, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
    const holder = Number(await read(file));
    if (holder > 0 && !alive(holder)) await rm(file, { force: true });
    if (Date.now() > deadline) throw new NgpuError("INTERNAL", { lock: "subgraph/abis/.lock", holder });
    await delay(100);
  }
}

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

async function read(file: string): Promise<string | undefined> {
  return readFile(file, "utf8").catch(() => undefined);
}

if (import.meta.main) {
  const options = { check: { type: "boolean", default: false }, chain: { type: "string" } } as const;
  const { check, chain } = parseArgs({ options }).values;
  if (chain !== undefined) {
    try {
      const { manifestPath } = await buildFor(Number(chain));
      console.log(path.relative(process.cwd(), manifestPath));
    } catch (error) {
      console.error(error instanceof Error ? error.message : error);
      process.exitCode = 1;
    }
  } else if (check) {
    const stale = (await expectedManifest()) !== (await read(manifest));
    if (stale) console.error("stale: subgraph/subgraph.yaml (run: node scripts/generate/subgraph.ts)");
    process.exitCode = stale ? 1 : 0;
  } else {
    const { built } = await buildSubgraph();
    console.log(built ? "subgraph/build: built" : "subgraph/build: up to date");
  }
}
