/**
 * The journal after crashes: INV-14, no receipt that anyone may have seen is ever lost, and no conflict key is signed
 * twice.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, beforeEach, describe, it } from "node:test";
import { openJournal, type Journal } from "@ngpu/node-agent/agent/journal";
import { createLog } from "@ngpu/protocol/service/log";
import { expect } from "chai";
import type { Hex } from "viem";
import { codeThrownBy } from "../harness/codeThrownBy.ts";
import { anEntry, aTaskId } from "./support/receipts.ts";

const log = createLog({ service: "test", level: "silent" });
const folders: string[] = [];

describe("journal", () => {
  let dataDir = "";
  const open = (): Journal => openJournal({ dataDir, log });

  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), "ngpu-test-journal-"));
    folders.push(dataDir);
  });
  after(() => {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  });

  it("holds after a restart exactly what was written and not removed", () => {
    const journal = open();
    const entries = [
      anEntry({ taskId: aTaskId(1) }),
      anEntry({ taskId: aTaskId(1), attempt: 1 }),
      anEntry({ taskId: aTaskId(2) }),
    ];
    for (const entry of entries) journal.write(entry);
    journal.remove(entries[1]?.receipt.message ?? { taskId: aTaskId(9), assignment: 1, attempt: 0 });
    const again = open();
    expect(again.entries()).to.have.deep.members([entries[0], entries[2]]);
    expect(again.find({ taskId: aTaskId(2), assignment: 1, attempt: 0 })).to.deep.equal(entries[2]);
    expect(again.find({ taskId: aTaskId(1), assignment: 1, attempt: 1 })).to.equal(undefined);
  });

  it("refuses a second receipt under one key, also after a restart", () => {
    open().write(anEntry({ taskId: aTaskId(1) }));
    expect(codeThrownBy(() => open().write(anEntry({ taskId: aTaskId(1), durationMs: 7 })))).to.equal("INTERNAL");
  });

  it("ignores and removes what a crash left unfinished", () => {
    open().write(anEntry({ taskId: aTaskId(1) }));
    const receipts = join(dataDir, "receipts");
    const [whole = ""] = readdirSync(receipts);
    writeFileSync(join(receipts, `${aTaskId(2)}-1-0.json.part`), readFileSync(join(receipts, whole)).subarray(0, 50));
    expect(open().entries().length).to.equal(1);
    expect(readdirSync(receipts)).to.deep.equal([whole]);
  });

  it("keeps the key of a file that cannot be read", () => {
    open().write(anEntry({ taskId: aTaskId(1) }));
    const receipts = join(dataDir, "receipts");
    const [file = ""] = readdirSync(receipts);
    writeFileSync(join(receipts, file), '{"receipt":{"mess');
    const journal = open();
    expect(journal.entries()).to.deep.equal([]);
    expect(codeThrownBy(() => journal.find({ taskId: aTaskId(1), assignment: 1, attempt: 0 }))).to.equal("INTERNAL");
    expect(codeThrownBy(() => journal.write(anEntry({ taskId: aTaskId(1) })))).to.equal("INTERNAL");
  });

  it("is for its owner's eyes alone", { skip: process.platform === "win32" }, () => {
    open().write(anEntry({ taskId: aTaskId(1) }));
    const receipts = join(dataDir, "receipts");
    const [file = ""] = readdirSync(receipts);
    expect(statSync(receipts).mode & 0o077).to.equal(0);
    expect(statSync(join(receipts, file)).mode & 0o077).to.equal(0);
  });

  it("has every receipt that left a process killed at any moment, whole, under its one key", async () => {
    for (const afterReceipts of [1, 2, 5, 9]) {
      dataDir = mkdtempSync(join(tmpdir(), "ngpu-test-journal-"));
      folders.push(dataDir);
      const sent = await sendAndKill({ dataDir, afterReceipts });
      expect(sent.length).to.be.at.least(afterReceipts);
      const journal = open();
      const kept = new Map(journal.entries().map((entry) => [entry.receipt.message.taskId, entry.receipt.signature]));
      for (const { taskId, signature } of sent) expect(kept.get(taskId), taskId).to.equal(signature);
    }
  });
});

/** Runs a process that journals and "sends" receipts by printing them, and kills it once it has printed so many. */
function sendAndKill(options: { dataDir: string; afterReceipts: number }): Promise<{ taskId: Hex; signature: Hex }[]> {
  return new Promise((resolve, reject) => {
    const script = join(import.meta.dirname, "support/sendReceipts.ts");
    const sender = spawn(process.execPath, [script, options.dataDir], { stdio: ["ignore", "pipe", "inherit"] });
    let text = "";
    sender.stdout.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      if (text.split("\n").length > options.afterReceipts) sender.kill("SIGKILL");
    });
    sender.once("error", reject);
    sender.once("close", () => {
      const lines = text.split("\n").slice(0, -1);
      resolve(lines.map((line) => JSON.parse(line) as { taskId: Hex; signature: Hex }));
    });
  });
}
