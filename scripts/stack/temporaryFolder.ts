/** The path of a data folder for one run, below the system's folder for such things; the stack makes and removes it. */
import { randomUUID } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";

export function temporaryFolder(name: string): string {
  return join(tmpdir(), `ngpu-${name}-${randomUUID().slice(0, 8)}`);
}
