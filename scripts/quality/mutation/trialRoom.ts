/**
 * A copy of the repository in which a mutant's bytecode takes the place of the original's, so that the ordinary tests
 * run against it. `node_modules` is shared, everything that a trial writes is the copy's own.
 */
import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { paths } from "../../stack/paths.ts";
import type { CompileResult } from "../compileSolidity.ts";

export interface TrialRoom {
  readonly root: string;
  install(contracts: readonly string[], compiled: CompileResult): void;
  restore(contracts: readonly string[]): void;
  remove(): void;
}

const copied = [
  "package.json",
  "hardhat.config.ts",
  "tsconfig.json",
  "artifacts",
  "ignition",
  "protocol",
  "test",
  "scripts/quality/deploymentSettings.ts",
];

export function createTrialRoom(root: string): TrialRoom {
  rmSync(root, { recursive: true, force: true });
  mkdirSync(root, { recursive: true });
  for (const name of copied) cpSync(join(paths.root, name), join(root, name), { recursive: true });
  linkModules(root);
  return {
    root,
    install: (contracts, compiled) => {
      for (const contract of contracts) writeFileSync(artifactFile(root, contract), merged(contract, compiled));
    },
    restore: (contracts) => {
      for (const contract of contracts) cpSync(artifactFile(paths.root, contract), artifactFile(root, contract));
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

/** Packages are shared with the repository, the workspaces' own names lead into the copy. */
function linkModules(root: string): void {
  const shared = join(paths.root, "node_modules");
  mkdirSync(join(root, "node_modules/@ngpu"), { recursive: true });
  symlinkSync(join(root, "protocol"), join(root, "node_modules/@ngpu/protocol"));
  for (const name of listOf(shared)) {
    if (name !== "@ngpu" && !name.startsWith(".")) symlinkSync(join(shared, name), join(root, "node_modules", name));
  }
}

function listOf(folder: string): string[] {
  return readdirSync(folder);
}

function merged(contract: string, compiled: CompileResult): string {
  const [path = "", name = ""] = contract.split(":");
  const built = compiled.contracts?.[path]?.[name];
  if (built === undefined) throw new Error(`${contract} was not compiled`);
  const artifact = JSON.parse(readFileSync(artifactFile(paths.root, contract), "utf8")) as Record<string, unknown>;
  const { bytecode, deployedBytecode } = built.evm;
  return JSON.stringify({
    ...artifact,
    bytecode: `0x${bytecode.object}`,
    deployedBytecode: `0x${deployedBytecode.object}`,
    immutableReferences: deployedBytecode.immutableReferences,
  });
}

function artifactFile(root: string, contract: string): string {
  const [path = "", name = ""] = contract.split(":");
  return join(root, "artifacts", path, `${name}.json`);
}
