/**
 * Where the files of a manifest lie on this machine: `package/path` below a node_modules folder, or below the
 * operator's own folder.
 */
import { existsSync } from "node:fs";
import { dirname, join, resolve, sep } from "node:path";
import { NgpuError } from "../src/errors.ts";
import type { ModelManifest } from "../src/manifest.ts";

export type ModelPaths = Record<string, string>;

/**
 * Looks in `folders` first, then in every node_modules from here upwards. Throws MODEL_MISMATCH when a file is
 * nowhere.
 */
export function locateModel(manifest: ModelManifest, folders: readonly string[] = []): ModelPaths {
  const roots = modelRoots(folders);
  return Object.fromEntries(
    [...manifest.graphs, ...manifest.assets].map(({ name, file }) => {
      const path = locateFile(file, roots);
      if (path === undefined)
        throw new NgpuError("MODEL_MISMATCH", { model: manifest.name, file, reason: "is not installed" });
      return [name, path];
    }),
  );
}

/** Where files are looked for, in this order. */
export function modelRoots(folders: readonly string[] = []): string[] {
  return [...folders, ...nodeModulesAbove(import.meta.dirname)];
}

/** The first place that has the file; undefined where none has. */
export function locateFile(file: string, roots: readonly string[]): string | undefined {
  return roots.map((root) => within(root, file)).find((place) => place !== undefined && existsSync(place));
}

/** Where a manifest's file is below `root`; undefined for a path that would leave it. */
export function within(root: string, file: string): string | undefined {
  const path = resolve(root, file);
  return path.startsWith(resolve(root) + sep) ? path : undefined;
}

function nodeModulesAbove(folder: string): string[] {
  const parent = dirname(folder);
  return [join(folder, "node_modules"), ...(parent === folder ? [] : nodeModulesAbove(parent))];
}
