/** Runs a command's body; what a person can act on is said in its own words, anything else with its stack. */
import { NgpuError } from "@ngpu/protocol/errors";
import { StackError } from "../stack/stackError.ts";

export async function runTarget(act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (error) {
    process.stderr.write(`✗ ${explain(error)}\n`);
    process.exitCode = 1;
  }
}

function explain(error: unknown): string {
  if (error instanceof StackError) return error.message;
  if (error instanceof NgpuError && error.code !== "INTERNAL") return `${error.message} ${error.entry.remedy}`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
