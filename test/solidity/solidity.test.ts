/**
 * Runs the fuzz and invariant tests of this folder, each contract a test, so that they are part of every run.
 * `hardhat test solidity --test-profile nightly` makes over a million calls instead of some thirty thousand.
 */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { describe, it } from "node:test";
import { expect } from "chai";

const root = join(import.meta.dirname, "../..");
const hardhat = join(root, "node_modules/hardhat/dist/src/cli.js");

describe("Solidity tests", () => {
  it("pass: fuzz tests, and invariants over random histories", async () => {
    const { code, output } = await run(["test", "solidity"]);
    expect(code, output).to.equal(0);
    // A run that finds no test would pass too.
    const passed = Number(/(\d+) passing/.exec(output)?.[1] ?? 0);
    expect(passed, output).to.be.greaterThan(0);
    expect(output).to.match(/invariant_INV1_/);
  });
});

function run(args: readonly string[]): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, [hardhat, ...args], { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, output }));
  });
}
