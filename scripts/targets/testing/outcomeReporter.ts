/**
 * A reporter for node:test that keeps what an overview needs: every failed test with its reason, and the counts of the
 * whole run.
 */
import { resolve } from "node:path";
import type { TestEvent } from "node:test/reporters";

/** One line of the output, as JSON. */
export type OutcomeLine =
  | { kind: "failed"; file: string; name: string; reason: string }
  | { kind: "counts"; passed: number; failed: number };

export default async function* outcomeReporter(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  let empty = 0;
  for await (const event of source) {
    if (event.type === "test:fail") {
      const { name, file = "", details } = event.data;
      // A group fails because a test in it failed, which is told already.
      if ("failureType" in details.error && details.error.failureType === "subtestsFailed") continue;
      yield line({ kind: "failed", file, name, reason: reasonOf(details.error) });
    }
    // node:test counts a file without any test as a test of that name that has passed.
    if (event.type === "test:pass" && event.data.file !== undefined && resolve(event.data.name) === event.data.file) {
      empty++;
      yield line({ kind: "failed", file: event.data.file, name: event.data.name, reason: "holds no test" });
    }
    if (event.type === "test:summary" && event.data.file === undefined) {
      const { tests } = event.data.counts;
      const passed = event.data.counts.passed - empty;
      // Skipped, cancelled and postponed tests have not passed.
      yield line({ kind: "counts", passed, failed: tests - passed });
    }
  }
}

function line(outcome: OutcomeLine): string {
  return `${JSON.stringify(outcome)}\n`;
}

function reasonOf(error: Error): string {
  const { cause } = error;
  return cause instanceof Error ? (cause.stack ?? cause.message) : String(cause ?? error.message);
}
