/** Folders of runners: emptied of what a killed agent left, never of what is in use. */
import { existsSync, mkdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { spawnSync } from "node:child_process";
import { describe, it } from "node:test";
import { makeRunnerFolder, removeStaleRunnerFolders } from "@ngpu/node-agent/pool/runnerFolder";
import { expect } from "chai";

describe("runner folders", () => {
  it("removes those of a process that has ended and keeps those of one that runs", () => {
    const { pid } = spawnSync(process.execPath, ["-e", ""]);
    const stale = join(tmpdir(), `ngpu-runner-${pid}-stale`);
    mkdirSync(stale);
    const own = makeRunnerFolder();
    removeStaleRunnerFolders();
    expect([existsSync(stale), existsSync(own)]).to.deep.equal([false, true]);
    expect(statSync(own).mode & 0o777).to.equal(process.platform === "win32" ? 0o666 : 0o700);
    rmSync(own, { recursive: true });
  });
});
