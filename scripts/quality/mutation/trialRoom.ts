/** A room in which a mutant's bytecode takes the place of the original's, so that the ordinary tests run against it. */
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { paths } from "../../stack/paths.ts";
import type { CompileResult } from "../compileSolidity.ts";
import { createRoom, liftSizeLimit } from "../createRoom.ts";

export interface TrialRoom {
  readonly root: string;
  install(contracts: readonly string[], compiled: CompileResult): void;
  restore(contracts: readonly string[]): void;
  remove(): void;
}

export function createTrialRoom(root: string): TrialRoom {
  createRoom(root, ["artifacts"]);
  liftSizeLimit(root);
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
