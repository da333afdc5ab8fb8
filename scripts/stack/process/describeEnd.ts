/** How a process ended, with the end of its log: what one needs to see first, and where the rest is. */
import { existsSync, readFileSync } from "node:fs";

const shownLines = 12;
const shownColumns = 400;

export function describeEnd(name: string, outcome: string, logFile: string): string {
  const text = existsSync(logFile) ? readFileSync(logFile, "utf8").trimEnd() : "";
  const tail = text
    .split("\n")
    .slice(-shownLines)
    .map((line) => `    ${line.slice(0, shownColumns)}`);
  return [`${name} ${outcome}; the end of ${logFile}:`, ...tail].join("\n");
}
