/** Everything that is built before NGPU can start, side by side, each part only if its inputs changed. */
import { join } from "node:path";
import { withFileLock } from "./fileLock.ts";
import { paths } from "./paths.ts";
import { runTool } from "./process/runTool.ts";
import type { Progress } from "./progress.ts";
import { buildIfChanged, isBuilt, type StampedBuild } from "./stamp.ts";

/** What is being built; who needs a part waits for it alone. */
export interface Builds {
  contracts: Promise<void>;
  subgraph: Promise<void>;
  dapp: Promise<void>;
  all: Promise<void>;
}

/** Sources of the contracts that ignition/modules/NgpuLocal.ts deploys; what they import comes along. */
const deployedSources = [
  ...["NodeRegistry", "StakeVault", "PaymentVault", "PriceOracle", "TaskEscrow", "SessionSettlement", "KeeperBonds"],
  ...["ScoreBoard", "Selection", "Assignment", "Availability", "Disputes", "keepers/KeeperCommittee"],
  ...["access/RoleGuard", "seed/LocalSeedSource", "local/LocalUsd", "local/LocalPriceFeed", "local/Faucet"],
  "tokens/NgpuToken",
].map((name) => `contracts/${name}.sol`);
const accessManager = "npm:@openzeppelin/contracts/access/manager/AccessManager.sol";
const logs = join(paths.state, "logs");
const buildTimeoutMs = 10 * 60_000;

export function startBuilds(options: {
  dapp: boolean;
  subgraph: boolean;
  /** Those too that are not deployed: what tests and generators need. */
  everyContract?: boolean;
  /** With the tests in Solidity, so that running those compiles nothing again. */
  contractTests?: boolean;
  progress: Progress;
}): Builds {
  const { progress } = options;
  const contracts = options.contractTests
    ? contractsAndTests
    : options.everyContract || isBuilt(everyContract)
      ? everyContract
      : deployedContracts;
  const wanted = [contracts, samples, ...(options.subgraph ? [subgraph] : []), ...(options.dapp ? [dapp] : [])];
  const ends = new Map(wanted.map((build) => [build, Promise.withResolvers<boolean>()]));
  const all = withFileLock({
    name: "prepare",
    progress,
    act: async () => {
      for (const [build, { resolve }] of ends) resolve(buildIfChanged(timed(build, progress)));
      const built = await Promise.all([...ends.values()].map(({ promise }) => promise));
      if (!built.includes(true)) progress.note("everything is built already");
    },
  });
  const partOf = async (build: StampedBuild): Promise<void> => {
    await Promise.race([ends.get(build)?.promise, all]);
  };
  const parts = { contracts: partOf(contracts), subgraph: partOf(subgraph), dapp: partOf(dapp), all };
  // Whoever waits for one of them hears of its failure; that nobody waits for another must not end the process.
  for (const part of Object.values(parts)) part.catch(() => undefined);
  return parts;
}

const contractInputs = ["contracts/**/*.sol", "hardhat.config.ts", "scripts/quality/deploymentSettings.ts"];

const everyContract: StampedBuild = {
  name: "contracts compiled",
  inputs: contractInputs,
  outputs: ["artifacts/contracts"],
  build: tool("compile", [paths.hardhat, "build", "--no-tests"]),
};

/** One compilation: tests that are compiled after the contracts compile those that they use once more. */
const contractsAndTests: StampedBuild = {
  name: "contracts and their tests compiled",
  inputs: [...contractInputs, "test/solidity/**/*.sol"],
  outputs: ["artifacts/contracts", "artifacts/test"],
  build: tool("compile", [paths.hardhat, "build"]),
};

/** What the local deployment consists of; a third less to wait for than all of them. */
const deployedContracts: StampedBuild = {
  name: "deployed contracts compiled",
  inputs: contractInputs,
  outputs: ["artifacts/contracts/TaskEscrow.sol"],
  build: tool("compile", [paths.hardhat, "build", "--no-tests", ...deployedSources, accessManager]),
};

const samples: StampedBuild = {
  name: "samples copied",
  inputs: ["scripts/generate/samples.ts", "app/public/samples/samples.json"],
  outputs: ["app/public/samples/faces"],
  build: tool("samples", [join(paths.root, "scripts/generate/samples.ts")]),
};

/** The generator keeps a hash of its own beside its output. */
const subgraph: StampedBuild = {
  name: "subgraph built",
  inputs: [
    "subgraph/schema.graphql",
    "subgraph/subgraph.yaml",
    "subgraph/src/**",
    "protocol/src/generated/**",
    "scripts/generate/subgraph.ts",
  ],
  outputs: ["subgraph/build/subgraph.yaml"],
  build: tool("subgraph", [join(paths.root, "scripts/generate/subgraph.ts")]),
};

const dapp: StampedBuild = {
  name: "dApp built",
  inputs: ["app/*.{ts,json}", "app/{app,components,features,hooks,lib,styles}/**", "protocol/src/**", "client/src/**"],
  outputs: ["app/.next/BUILD_ID"],
  build: tool("dapp", [paths.next, "build", join(paths.root, "app")]),
};

function tool(name: string, args: string[]): () => Promise<void> {
  const logFile = join(logs, `${name}.log`);
  return () => runTool({ name, command: [process.execPath, ...args], logFile, timeoutMs: buildTimeoutMs });
}

function timed(part: StampedBuild, progress: Progress): StampedBuild {
  return { ...part, build: () => progress.step(part.name, part.build) };
}
