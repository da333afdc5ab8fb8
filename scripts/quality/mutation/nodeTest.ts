/**
 * As much of `node:test` as the contract tests use, for a process that runs them over and over: what a file registers
 * runs in order and ends at the first failure. Starting Node and Hardhat anew would cost more than the tests.
 */
type Act = () => unknown;

interface Suite {
  readonly before: Act[];
  readonly beforeEach: Act[];
  readonly after: Act[];
  readonly parts: (Suite | Act)[];
}

/** Bounds of gas are of what is deployed; mutants are compiled with less optimisation. */
const GAS_BOUND = /stays within the gas/;

let open = emptySuite();

export function describe(_title: string, register: () => void): void {
  const outer = open;
  const suite = emptySuite();
  outer.parts.push(suite);
  open = suite;
  register();
  open = outer;
}

export function it(title: string, act: Act): void {
  if (!GAS_BOUND.test(title)) open.parts.push(act);
}

export const before = (act: Act): void => void open.before.push(act);
export const beforeEach = (act: Act): void => void open.beforeEach.push(act);
export const after = (act: Act): void => void open.after.push(act);

/** Runs what was registered since the last call; rejects with the first failure, after everything was closed. */
export async function runRegistered(): Promise<void> {
  const suite = open;
  open = emptySuite();
  await runSuite(suite, []);
}

async function runSuite(suite: Suite, outer: readonly Act[]): Promise<void> {
  const each = [...outer, ...suite.beforeEach];
  try {
    for (const act of suite.before) await act();
    for (const part of suite.parts) {
      if (typeof part !== "function") {
        await runSuite(part, each);
        continue;
      }
      for (const act of each) await act();
      await part();
    }
  } finally {
    for (const act of suite.after) await act();
  }
}

function emptySuite(): Suite {
  return { before: [], beforeEach: [], after: [], parts: [] };
}
