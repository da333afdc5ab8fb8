/** Everything that is built before NGPU can start, side by side, each part only if its inputs changed. */
import { join } from "node:path";
import { withFileLock } from "./fileLock.ts";
import { paths } from "./paths.ts";
import { runTool } from "./process/runTool.ts";
import type { Progress } from "./progress.ts";
import { buildIfChanged, type StampedBuild } from "./stamp.ts";

export interface PrepareOptions {
  dapp: boolean;
  subgraph: boolean;
  progress: Progress;
}

const logs = join(paths.state, "logs");
const buildTimeoutMs = 5 * 60_000;

export async function prepare(options: PrepareOptions): Promise<void> {
  const { progress } = options;
  await withFileLock({
    name: "prepare",
    progress,
    act: async () => {
      const wanted = [contracts, samples, ...(options.subgraph ? [subgraph] : []), ...(options.dapp ? [dapp] : [])];
      const built = await Promise.all(wanted.map((build) => buildIfChanged(timed(build, progress))));
      if (!built.includes(true)) progress.note("everything is built already");
    },
  });
}

const contracts: StampedBuild = {
  name: "contracts compiled",
  inputs: ["contracts/**/*.sol", "hardhat.config.ts"],
  outputs: ["artifacts/contracts"],
  build: tool("compile", [paths.hardhat, "build"]),
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
