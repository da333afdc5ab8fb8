/**
 * Journals receipts as fast as it can and prints each only when it is on disk: what printing shows, a crash must not
 * lose.
 */
import { openJournal } from "@ngpu/node-agent/agent/journal";
import { createLog } from "@ngpu/protocol/service/log";
import { anEntry, aTaskId } from "./receipts.ts";

const journal = openJournal({ dataDir: process.argv[2] ?? "", log: createLog({ service: "test", level: "silent" }) });
for (let number = 1; number <= 5_000; number++) {
  const entry = anEntry({ taskId: aTaskId(number) });
  journal.write(entry);
  process.stdout.write(
    `${JSON.stringify({ taskId: entry.receipt.message.taskId, signature: entry.receipt.signature })}\n`,
  );
}
