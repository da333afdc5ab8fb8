/**
 * A copy of what the contract tests need, for runs that change contracts. `node_modules` is shared, everything that a
 * run writes is the copy's own; the workspaces' names lead into the copy.
 */
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { paths } from "../stack/paths.ts";

const always = [
  ...["package.json", "hardhat.config.ts", "tsconfig.json", "ignition", "protocol", "test"],
  "scripts/quality/deploymentSettings.ts",
];

/** `also`: what this run needs besides, from the root. */
export function createRoom(room: string, also: readonly string[]): void {
  rmSync(room, { recursive: true, force: true });
  const shared = join(paths.root, "node_modules");
  mkdirSync(join(room, "node_modules/@ngpu"), { recursive: true });
  for (const name of [...always, ...also]) cpSync(join(paths.root, name), join(room, name), { recursive: true });
  symlinkSync(join(room, "protocol"), join(room, "node_modules/@ngpu/protocol"));
  for (const name of readdirSync(shared)) {
    if (name !== "@ngpu" && !name.startsWith(".")) symlinkSync(join(shared, name), join(room, "node_modules", name));
  }
}

/** What has probes in it, or is compiled with less optimisation, may be larger than a chain takes. */
export function liftSizeLimit(room: string): void {
  const file = join(room, "hardhat.config.ts");
  const config = readFileSync(file, "utf8");
  writeFileSync(file, config.replaceAll("chainId: 31337", "chainId: 31337, allowUnlimitedContractSize: true"));
}
