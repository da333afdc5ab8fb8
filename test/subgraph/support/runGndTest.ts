/**
 * Runs one expanded fixture with `gnd test` on a database of its own; a run that hangs is ended and reported as failed.
 */
import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

const folder = path.resolve(import.meta.dirname, "../../../subgraph");
const timeoutMs = 30_000;

export interface GndTestResult {
  passed: boolean;
  output: string;
}

export async function runGndTest(options: { gnd: string; postgresUrl: string; test: string }): Promise<GndTestResult> {
  const { gnd, postgresUrl, test } = options;
  const scratch = await mkdtemp(path.join(tmpdir(), "ngpu-gnd-test-"));
  try {
    const file = path.join(scratch, "test.json");
    await writeFile(file, test);
    // The URL holds a password, so it travels in the environment and not among the arguments.
    const child = spawn(gnd, ["test", "--skip-build", "--manifest", path.join(folder, "subgraph.yaml"), file], {
      cwd: folder,
      env: { ...process.env, POSTGRES_URL: postgresUrl, NO_COLOR: "1" },
      stdio: ["ignore", "pipe", "pipe"],
      timeout: timeoutMs,
      killSignal: "SIGKILL",
    });
    let output = "";
    child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => (output += chunk.toString()));
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once("error", reject);
      child.once("close", resolve);
    });
    return { passed: code === 0, output };
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
