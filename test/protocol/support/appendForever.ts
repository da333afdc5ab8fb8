/** Appends numbers to the log at argv[2], several at a time, and says on stdout which are promised to be on disk. */
import { openAppendLog } from "@ngpu/protocol/service/appendLog";

const log = await openAppendLog(process.argv[2] ?? "");
let next = log.lines.length;
const appendOne = async (): Promise<void> => {
  for (;;) {
    const number = next++;
    await log.append(`${number} ${"x".repeat(number % 300)}`);
    process.stdout.write(`${number}\n`);
  }
};
await Promise.all(Array.from({ length: 8 }, appendOne));
