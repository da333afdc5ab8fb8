/**
 * Runs a command's body; what a person can act on is said in its own words, with its code, what it cost and what to
 * do; anything else with its stack.
 */
import { explainFailure, failureText } from "@ngpu/protocol/service/explainFailure";
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
  const words = explainFailure(error);
  if (words !== undefined) return failureText(words);
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
