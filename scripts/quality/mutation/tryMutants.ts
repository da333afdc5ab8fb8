/**
 * One worker: takes mutants of one target from the list it is given, compiles each, runs the tests against it and
 * reports. Runs in a process of its own, because solc blocks the thread it compiles on.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { paths } from "../../stack/paths.ts";
import { compileSolidity } from "../compileSolidity.ts";
import { applyMutant, type Mutant } from "./findMutants.ts";
import { createTestRunner, type Verdict } from "./runTests.ts";
import type { MutationTarget } from "./targets.ts";
import { createTrialRoom } from "./trialRoom.ts";

export interface Trial {
  readonly target: MutationTarget;
  readonly mutant: Mutant;
}

export interface TrialResult {
  readonly id: string;
  /** `stillborn`: it does not compile, so it is no mutant. */
  readonly verdict: Verdict | "stillborn";
}

const SOUND_TIMEOUT_MS = 900_000;
const LEAST_TIMEOUT_MS = 90_000;
/** A trial hangs when it takes so many times what the tests take without a mutant, however busy the machine is. */
const HANGS_AFTER = 10;

/** How long the tests of a target take that pass without any mutant; a verdict means nothing before that is known. */
const soundMs = new Map<string, number>();
const room = createTrialRoom(join(paths.state, "mutation", `room-${process.pid}`));
const runner = createTestRunner({ root: room.root });
process.on("message", (trial: Trial) => {
  void attempt(trial).then(
    (result) => process.send?.(result),
    (error: unknown) => {
      process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
      process.exit(1);
    },
  );
});
process.once("disconnect", () => {
  runner.stop();
  room.remove();
  process.exit(0);
});
process.send?.("ready");

async function attempt({ target, mutant }: Trial): Promise<TrialResult> {
  const timeoutMs = Math.max(LEAST_TIMEOUT_MS, HANGS_AFTER * (await soundMsOf(target)));
  const original = readFileSync(join(paths.root, mutant.source), "utf8");
  const mutated = new Map([[mutant.source, applyMutant(original, mutant)]]);
  return { id: mutant.id, verdict: await judge(target, mutated, timeoutMs) };
}

async function soundMsOf(target: MutationTarget): Promise<number> {
  const known = soundMs.get(target.name);
  if (known !== undefined) return known;
  const startedAt = performance.now();
  const verdict = await judge(target, new Map(), SOUND_TIMEOUT_MS);
  if (verdict !== "survived") throw new Error(`The tests of ${target.name} fail without any mutant (${verdict}).`);
  const tookMs = performance.now() - startedAt;
  soundMs.set(target.name, tookMs);
  return tookMs;
}

async function judge(
  target: MutationTarget,
  overrides: ReadonlyMap<string, string>,
  timeoutMs: number,
): Promise<TrialResult["verdict"]> {
  const { contracts, settings, tests } = target;
  const compiled = compileSolidity({
    overrides,
    sources: [...new Set(contracts.map((contract) => contract.split(":")[0] ?? ""))],
    outputSelection: selectionOf(contracts),
    settings,
  });
  if (compiled.errors?.some(({ severity }) => severity === "error")) return "stillborn";
  room.install(contracts, compiled);
  try {
    return await runner.run(tests, timeoutMs);
  } finally {
    room.restore(contracts);
  }
}

function selectionOf(contracts: readonly string[]): Record<string, Record<string, readonly string[]>> {
  const selection: Record<string, Record<string, readonly string[]>> = {};
  for (const contract of contracts) {
    const [path = "", name = ""] = contract.split(":");
    selection[path] = { ...selection[path], [name]: ["abi", "evm.bytecode", "evm.deployedBytecode"] };
  }
  return selection;
}
