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

const TEST_TIMEOUT_MS = 90_000;

/** Targets whose tests pass in this room without any mutant; a verdict means nothing before that is known. */
const sound = new Set<string>();
const room = createTrialRoom(join(paths.state, "mutation", `room-${process.pid}`));
const runner = createTestRunner({ root: room.root, timeoutMs: TEST_TIMEOUT_MS });
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
  await requireSound(target);
  const original = readFileSync(join(paths.root, mutant.source), "utf8");
  return { id: mutant.id, verdict: await judge(target, new Map([[mutant.source, applyMutant(original, mutant)]])) };
}

async function requireSound(target: MutationTarget): Promise<void> {
  if (sound.has(target.name)) return;
  const verdict = await judge(target, new Map());
  if (verdict !== "survived") throw new Error(`The tests of ${target.name} fail without any mutant (${verdict}).`);
  sound.add(target.name);
}

async function judge(target: MutationTarget, overrides: ReadonlyMap<string, string>): Promise<TrialResult["verdict"]> {
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
    return await runner.run(tests);
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
