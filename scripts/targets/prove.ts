/**
 * `npm run prove -- [--json]`: solc's SMTChecker (constrained Horn clauses, solved by Debian's z3) proves every assertion
 * in contracts/proofs for all inputs and all orders of calls. Fails if one is violated or cannot be decided.
 */
import { spawnSync } from "node:child_process";
import { globSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { compileSolidity } from "../quality/compileSolidity.ts";
import { paths } from "../stack/paths.ts";
import { createProgress } from "../stack/progress.ts";
import { StackError } from "../stack/stackError.ts";
import { runTarget } from "./runTarget.ts";

const { values } = parseArgs({ options: { json: { type: "boolean", default: false } } });
const SOLVER_TIMEOUT_S = 60;
const solverOptions = ["rewriter.pull_cheap_ite=true", "fp.spacer.q3.use_qgen=true", "fp.spacer.mbqi=false"];
/** solc's codes: an assertion that is violated, one that could not be decided, one that is safe. */
const codes = { violated: "6328", unproved: "5840", safe: "9576" } as const;

const progress = createProgress();
await runTarget(async () => {
  const z3 = process.env.NGPU_Z3 ?? "z3";
  if (spawnSync(z3, ["--version"]).status !== 0) {
    throw new StackError("Proofs need z3: run `apt-get install z3` as root, or set NGPU_Z3 to where it is.");
  }
  const folder = mkdtempSync(join(tmpdir(), "ngpu-prove-"));
  try {
    const proofs = globSync("contracts/proofs/*.sol", { cwd: paths.root }).sort();
    const results = [];
    for (const source of proofs) {
      results.push(await progress.step(basename(source, ".sol"), async () => prove(source, z3, folder)));
    }
    report(results);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

interface ProofResult {
  readonly proof: string;
  readonly proved: number;
  readonly violated: readonly string[];
  readonly unproved: readonly string[];
}

function prove(source: string, z3: string, folder: string): ProofResult {
  const name = basename(source, ".sol");
  const { errors = [] } = compileSolidity({
    sources: [source],
    outputSelection: { [source]: { [name]: ["abi"] } },
    settings: {
      viaIR: false,
      modelChecker: {
        contracts: { [source]: [name] },
        engine: "chc",
        targets: ["assert"],
        solvers: ["smtlib2"],
        timeout: SOLVER_TIMEOUT_S * 1_000,
        showUnproved: true,
        showProvedSafe: true,
      },
    },
    smtSolver: (query: string) => solve(query, z3, folder),
  });
  const failed = errors.filter(({ severity }) => severity === "error");
  if (failed.length > 0) throw new StackError(failed.map(({ formattedMessage }) => formattedMessage).join("\n"));
  const messages = (code: string): string[] =>
    errors.filter(({ errorCode }) => errorCode === code).map(({ formattedMessage }) => formattedMessage);
  const safe = messages(codes.safe).filter((message) => message.includes("Assertion violation check is safe"));
  const seen = errors.filter(({ message }) => /CHC|BMC|SMT/.test(message));
  const decided = messages(codes.violated).length + safe.length;
  const unproved = messages(codes.unproved);
  // A checker that did not run finds nothing wrong either.
  if (decided + unproved.length === 0) throw new StackError(`${name}: nothing was checked. ${JSON.stringify(seen)}`);
  return { proof: name, proved: safe.length, violated: messages(codes.violated), unproved };
}

function solve(query: string, z3: string, folder: string): { contents: string } | { error: string } {
  const file = join(folder, "query.smt2");
  writeFileSync(file, query);
  const { stdout, error } = spawnSync(z3, ["-smt2", `-T:${SOLVER_TIMEOUT_S}`, ...solverOptions, file], {
    encoding: "utf8",
    maxBuffer: 2 ** 30,
  });
  return error === undefined ? { contents: stdout } : { error: error.message };
}

function report(results: readonly ProofResult[]): void {
  const proved = results.reduce((sum, result) => sum + result.proved, 0);
  const bad = results.flatMap(({ violated, unproved }) => [...violated, ...unproved]);
  if (values.json) process.stdout.write(`${JSON.stringify({ proved, results })}\n`);
  else {
    for (const { proof, proved: count } of results) console.log(`${proof}: ${count} assertions proved`);
    for (const message of bad) console.log(message);
  }
  if (bad.length > 0) process.exitCode = 1;
}
