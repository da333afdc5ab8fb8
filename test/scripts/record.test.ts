/** What a killed starter leaves behind is found and ended, and nothing else. */
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { paths } from "../../scripts/stack/paths.ts";
import { identityOf, isAlive } from "../../scripts/stack/process/identity.ts";
import { endLeftovers, isInUse } from "../../scripts/stack/process/record.ts";
import { createProgress } from "../../scripts/stack/progress.ts";

const starter = join(import.meta.dirname, "support/starter.ts");

async function until(condition: () => boolean, what: string): Promise<void> {
  const deadline = performance.now() + 10_000;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`not within 10 s: ${what}`);
    await sleep(20);
  }
}

/** A process that starts a child which ignores SIGTERM, records it, and says both. */
async function startStarter(): Promise<{
  dataDir: string;
  starterPid: number;
  childPid: number;
  kill: () => Promise<void>;
}> {
  const dataDir = mkdtempSync(join(tmpdir(), "ngpu-record-"));
  const child = spawn(process.execPath, [starter, dataDir], { stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  await until(() => output.includes("\n"), "the starter has started its child");
  const exit = new Promise((resolve) => child.once("exit", resolve));
  return {
    dataDir,
    starterPid: child.pid ?? 0,
    childPid: Number(output),
    kill: async () => {
      child.kill("SIGKILL");
      await exit;
    },
  };
}

describe("record of a stack", () => {
  it("ends the children of a starter that was killed, insisting where it must, and removes their data", async () => {
    const { dataDir, childPid, kill } = await startStarter();
    expect(isInUse(dataDir)).to.not.equal(undefined);
    await kill();
    const child = identityOf(childPid);
    if (!child) throw new Error("the child ended with its starter, so there is nothing to prove");
    const lines: string[] = [];
    await endLeftovers(createProgress({ write: (line) => lines.push(line) }));
    expect(isAlive(child)).to.equal(false);
    expect(existsSync(dataDir)).to.equal(false);
    expect(lines.join("\n")).to.contain("left behind: stubborn");
    expect(isInUse(dataDir)).to.equal(undefined);
  });

  it("leaves a stack alone whose starter lives", async () => {
    const { dataDir, childPid, kill } = await startStarter();
    try {
      await endLeftovers(createProgress({ write: () => undefined }));
      expect(identityOf(childPid)).to.not.equal(undefined);
      expect(existsSync(dataDir)).to.equal(true);
    } finally {
      await kill();
      await endLeftovers(createProgress({ write: () => undefined }));
    }
  });

  it("never ends a process that only has the number of one it started", async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "ngpu-record-"));
    const bystander = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], {
      detached: true,
      stdio: "ignore",
    });
    try {
      const pid = bystander.pid ?? 0;
      const gone = { pid: 2 ** 22 + 1, startedAt: "1" };
      mkdirSync(paths.stacks, { recursive: true });
      writeFileSync(
        join(paths.stacks, `test-${process.pid}.json`),
        JSON.stringify({ starter: gone, dataDir, processes: [{ name: "other", pid, startedAt: "1" }] }),
      );
      await endLeftovers(createProgress({ write: () => undefined }));
      expect(identityOf(pid)).to.not.equal(undefined);
      expect(bystander.exitCode).to.equal(null);
    } finally {
      bystander.kill("SIGKILL");
      rmSync(dataDir, { recursive: true, force: true });
    }
  });

  it("forgets a record that was cut off while it was written", async () => {
    const file = join(paths.stacks, `cut-${process.pid}.json`);
    mkdirSync(paths.stacks, { recursive: true });
    writeFileSync(file, '{ "starter": {');
    await endLeftovers(createProgress({ write: () => undefined }));
    expect(readdirSync(paths.stacks)).to.not.include(`cut-${process.pid}.json`);
    expect(() => readFileSync(file)).to.throw();
  });
});
