/** The test command itself: what must not pass does not pass. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { expect } from "chai";
import { identityOf } from "../../scripts/stack/process/identity.ts";
import { until } from "../e2e/support/until.ts";
import { runSuite, type SuiteOutcome } from "../../scripts/targets/testing/runSuite.ts";

describe("a suite", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "ngpu-suite-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const run = (source: string | undefined, timeoutS = 20): Promise<SuiteOutcome> => {
    if (source !== undefined) writeFileSync(join(folder, "one.test.mjs"), `import { it } from "node:test";\n${source}`);
    const suite = { name: "sample", files: [join(folder, "*.test.mjs")], timeoutS };
    return runSuite({ suite, env: {}, signal: new AbortController().signal });
  };

  it("counts what passed and what failed, and tells why", async () => {
    const outcome = await run('it("good", () => {}); it("bad", () => { throw new Error("out of cheese"); });');
    expect(outcome).to.include({ passed: 1, failed: 1 });
    expect(outcome.failures.join("\n")).to.contain("bad").and.contain("out of cheese");
  });

  it("loses no result of a file with many tests", async () => {
    const source = 'import { describe } from "node:test"; for (let i = 0; i < 40; i += 1) describe("group " + i, () => { for (let j = 0; j < 10; j += 1) it("test " + j, () => {}); });';
    expect(await run(source)).to.include({ passed: 400, failed: 0 });
  });

  it("takes a skipped and a postponed test for failed", async () => {
    expect(await run('it("a", () => {}); it.skip("b", () => {}); it.todo("c");')).to.include({ passed: 1, failed: 2 });
  });

  it("fails when it runs no test, or has no file", async () => {
    expect(await run("")).to.include({ failed: 1 });
    rmSync(join(folder, "one.test.mjs"));
    expect(await run(undefined)).to.include({ passed: 0, failed: 1 });
  });

  it("fails when a file throws outside of its tests", async () => {
    expect((await run('it("good", () => {}); throw new Error("late");')).failed).to.be.above(0);
  });

  it("ends a suite that hangs, and what it started", async () => {
    const pidFile = join(folder, "pid");
    const source = `import { spawn } from "node:child_process"; import { writeFileSync } from "node:fs";
      const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
      writeFileSync(${JSON.stringify(pidFile)}, String(child.pid));
      it("is quick", () => {});
      it("hangs", () => new Promise(() => setInterval(() => {}, 1000)));`;
    const outcome = await run(source, 2);
    expect(outcome).to.include({ passed: 0, failed: 1 });
    expect(outcome.failures[0]).to.contain("did not end within 2 s").and.contain("is quick");
    const child = Number(readFileSync(pidFile, "utf8"));
    await until("the child has ended", 5_000, () => (identityOf(child) ? undefined : true));
  });
});
