/** Builds what depends on files only when they changed: the hash of all inputs is kept once the build has succeeded. */
import { createHash } from "node:crypto";
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { paths } from "./paths.ts";

export interface StampedBuild {
  name: string;
  /** Globs from the root; what is generated or installed is left out of them. */
  inputs: readonly string[];
  /** Files that exist once it was built. */
  outputs: readonly string[];
  build: () => Promise<void>;
}

const neverInputs = ["**/node_modules/**", "**/.next/**", "**/*.tsbuildinfo", "**/next-env.d.ts"];

/** Resolves with whether there was something to build. */
export async function buildIfChanged(build: StampedBuild): Promise<boolean> {
  const hash = hashOf(build.inputs);
  if (isBuilt(build, hash)) return false;
  const stamp = join(paths.stamps, build.name);
  rmSync(stamp, { force: true });
  await build.build();
  mkdirSync(paths.stamps, { recursive: true });
  writeFileSync(stamp, hash);
  return true;
}

/** Whether it was built from the inputs as they are now; `hash` is theirs, where somebody has it. */
export function isBuilt({ name, inputs, outputs }: StampedBuild, hash?: string): boolean {
  const stamp = join(paths.stamps, name);
  const isThere = outputs.every((output) => existsSync(join(paths.root, output)));
  return isThere && existsSync(stamp) && readFileSync(stamp, "utf8") === (hash ?? hashOf(inputs));
}

function hashOf(inputs: readonly string[]): string {
  const files = globSync(["package-lock.json", ...inputs], { cwd: paths.root, exclude: neverInputs });
  const hash = createHash("sha256").update(process.version);
  for (const file of files.sort()) {
    const path = join(paths.root, file);
    if (statSync(path).isFile()) hash.update(file).update("\0").update(readFileSync(path)).update("\0");
  }
  return hash.digest("hex");
}
