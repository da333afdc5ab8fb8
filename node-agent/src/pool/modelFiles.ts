/**
 * Where the files of a manifest lie on this machine: `package/path` below a node_modules folder, or below the
 * operator's own folder.
 */
import { existsSync } from "node:fs";
import { dirname, join, resolve, sep } from "node:path";
import { NgpuError } from "@ngpu/protocol/errors";
import type { ModelManifest } from "@ngpu/protocol/manifest";

export type ModelPaths = Record<string, string>;

/**
 * Looks in `folders` first, then in every node_modules from here upwards. Throws MODEL_MISMATCH when a file is
 * nowhere.
 */
export function locateModel(manifest: ModelManifest, folders: readonly string[] = []): ModelPaths {
  const roots = [...folders, ...nodeModulesAbove(import.meta.dirname)];
  return Object.fromEntries(
    [...manifest.graphs, ...manifest.assets].map(({ name, file }) => {
      const path = roots
        .map((root) => within(root, file))
        .find((candidate) => candidate !== undefined && existsSync(candidate));
      if (path === undefined)
        throw new NgpuError("MODEL_MISMATCH", { model: manifest.name, file, reason: "is not installed" });
      return [name, path];
    }),
  );
}

/** A manifest's path must not leave the folder it is looked up in. */
function within(root: string, file: string): string | undefined {
  const path = resolve(root, file);
  return path.startsWith(resolve(root) + sep) ? path : undefined;
}

function nodeModulesAbove(folder: string): string[] {
  const parent = dirname(folder);
  return [join(folder, "node_modules"), ...(parent === folder ? [] : nodeModulesAbove(parent))];
}
