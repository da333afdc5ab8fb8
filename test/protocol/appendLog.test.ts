/** A log that only grows: what was promised is there after a kill -9, and nothing that was cut short is believed. */
import { spawn } from "node:child_process";
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { openAppendLog } from "@ngpu/protocol/service/appendLog";
import { expect } from "chai";
import { codeRejectedBy } from "../harness/codeRejectedBy.ts";

const writer = join(import.meta.dirname, "support/appendForever.ts");

describe("append log", () => {
  let folder: string;
  before(() => (folder = mkdtempSync(join(tmpdir(), "ngpu-append-log-"))));
  after(() => rmSync(folder, { recursive: true, force: true }));

  it("keeps every promised line, in order, however often its writer is killed", async () => {
    const path = join(folder, "killed.log");
    for (let round = 1; round <= 3; round += 1) {
      const promised = await killedAfter(path, 200);
      const log = await openAppendLog(path);
      const numbers = log.lines.map((line) => Number(line.split(" ")[0]));
      await log.close();
      expect(numbers).to.deep.equal(numbers.map((_, index) => index));
      expect(numbers.length, `round ${round}`).to.be.at.least(promised + 1);
    }
  });

  it("drops a last line that was cut short, and goes on behind the whole ones", async () => {
    const path = join(folder, "torn.log");
    writeFileSync(path, "one\ntwo\nthr");
    const log = await openAppendLog(path);
    expect(log.lines).to.deep.equal(["one", "two"]);
    await log.append("three");
    await log.close();
    expect(readFileSync(path, "utf8")).to.equal("one\ntwo\nthree\n");
  });

  it("puts shortened lines in the place of all, with those that were appended meanwhile behind them", async () => {
    const path = join(folder, "replaced.log");
    const log = await openAppendLog(path);
    const before = log.append("a");
    const replaced = log.replace(["b"]);
    const behind = log.append("c");
    await Promise.all([before, replaced, behind]);
    expect(readFileSync(path, "utf8")).to.equal("b\nc\n");
    expect(log.bytes()).to.equal(4);
    await log.close();
    expect(await codeRejectedBy(log.append("d"))).to.equal("INTERNAL");
  });

  it("belongs to one process at a time, and to the next once that has ended", async () => {
    const path = join(folder, "locked.log");
    const log = await openAppendLog(path);
    expect(await codeRejectedBy(openAppendLog(path))).to.equal("INTERNAL");
    await log.close();
    const again = await openAppendLog(path);
    await again.close();
    appendFileSync(`${path}.lock`, "999999999");
    const taken = await openAppendLog(path);
    await taken.close();
  });
});

/** Runs the writer, kills it once it has promised `count` lines, and returns the highest number it promised. */
async function killedAfter(path: string, count: number): Promise<number> {
  const child = spawn(process.execPath, [writer, path], { stdio: ["ignore", "pipe", "inherit"] });
  let text = "";
  let highest = -1;
  let lines = 0;
  child.stdout.on("data", (chunk: Buffer) => {
    text += chunk.toString();
    const whole = text.slice(0, text.lastIndexOf("\n") + 1);
    text = text.slice(whole.length);
    for (const line of whole.split("\n").slice(0, -1)) {
      highest = Math.max(highest, Number(line));
      lines += 1;
    }
    if (lines >= count) child.kill("SIGKILL");
  });
  await new Promise((resolve) => child.once("close", resolve));
  return highest;
}
