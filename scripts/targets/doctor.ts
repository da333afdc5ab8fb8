/**
 * `npm run doctor`: what this machine offers and what it lacks, before anything is started. `--json` prints the findings.
 * Exit code 1 if something is broken.
 */
import { examineMachine } from "../doctor/examineMachine.ts";
import { runTarget } from "./runTarget.ts";

const mark = { ok: "✓", limited: "!", broken: "✗" } as const;

await runTarget(async () => {
  const findings = await examineMachine(process.env);
  if (process.argv.includes("--json")) process.stdout.write(`${JSON.stringify(findings)}\n`);
  else {
    for (const { name, verdict, found, remedy } of findings) {
      process.stdout.write(`${mark[verdict]} ${name.padEnd(28)} ${found}\n`);
      if (remedy !== undefined) process.stdout.write(`  ${"".padEnd(28)} ${remedy}\n`);
    }
  }
  if (findings.some(({ verdict }) => verdict === "broken")) process.exitCode = 1;
});
