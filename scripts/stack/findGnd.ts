/** Where graph-node's program is; undefined on platforms that npm has none for (it is an optional dependency). */
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

export function findGnd(): string | undefined {
  try {
    const manifest = createRequire(import.meta.url).resolve("@graphprotocol/gnd-linux-x64/package.json");
    const program = path.join(path.dirname(manifest), "bin/gnd");
    return existsSync(program) ? program : undefined;
  } catch {
    return undefined;
  }
}
