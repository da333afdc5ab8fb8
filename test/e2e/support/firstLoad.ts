/** How much script a page needs before it works: what its first HTML names, compressed as a server sends it. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { paths } from "../../../scripts/stack/paths.ts";

export async function firstLoadBytes(url: string): Promise<number> {
  const html = await (await fetch(url)).text();
  const scripts = [...html.matchAll(/<script\b[^>]*>/g)]
    .map(([tag]) => tag)
    // Only browsers without modules fetch the others.
    .filter((tag) => !/\bnomodule\b/i.test(tag))
    .flatMap((tag) => /\bsrc="\/_next\/([^"?]+)/.exec(tag)?.[1] ?? []);
  if (scripts.length === 0) throw new Error(`${url} names no script`);
  const files = [...new Set(scripts)].map((name) => join(paths.root, "app/.next", name));
  return files.reduce((sum, file) => sum + gzipSync(readFileSync(file)).length, 0);
}
