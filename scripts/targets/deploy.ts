/**
 * `npm run deploy -- --config <file.json> [--dry-run] [--rpc URL] [--json]`: deploys NGPU by configuration. With
 * --dry-run on a chain of this machine alone; without, it rehearses there first. The key comes from where the
 * configuration says. Results go to stdout, everything else to stderr.
 */
import { readFileSync } from "node:fs";
import { relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { absolutePaths } from "../deploy/configuration/absolutePaths.ts";
import type { Configuration } from "../deploy/configuration/configuration.ts";
import { readConfiguration } from "../deploy/configuration/readConfiguration.ts";
import { findDeployerKey, requireDeployerKey } from "../deploy/deployerKey.ts";
import { DeployError } from "../deploy/problem.ts";
import { checklistText, dryRunText, reportJson } from "../deploy/report.ts";
import { verifyCommand } from "../deploy/verifyCommand.ts";
import { paths } from "../stack/paths.ts";
import { startBuilds } from "../stack/prepare.ts";
import { createProgress } from "../stack/progress.ts";
import { StackError } from "../stack/stackError.ts";
import { runTarget } from "./runTarget.ts";

const usage = "npm run deploy -- --config <file.json> [--dry-run] [--rpc URL] [--json]";
const progress = createProgress();

// Hardhat is loaded when it is needed: it takes longer than most refusals.
await runTarget(async () => {
  const { file, rpc, asJson, isDry } = readArguments();
  const configuration = absolutePaths(readConfiguration(readFile(file)));
  // Refused before anything is built or asked: a key that must not be used.
  const key = isDry ? findDeployerKey(configuration, process.env) : requireDeployerKey(configuration, process.env);
  if (key === undefined) progress.note("the deployer's key is not there yet; a dry run needs none");
  await startBuilds({ dapp: false, subgraph: false, everyContract: true, progress }).contracts;

  if (isDry || key === undefined) return rehearse(configuration, asJson);
  const { deployForReal } = await import("../deploy/deployForReal.ts");
  const rpcUrl = rpc ?? configuration.rpcUrl;
  const deployment = await deployForReal({ configuration, rpcUrl, key, progress });
  const { record, recordFile, ...checklist } = deployment;
  const verify = verifyCommand(configuration, file);
  if (asJson) process.stdout.write(`${reportJson({ ...deployment, verify })}\n`);
  else {
    const next = `Recorded in ${relative(paths.root, recordFile)}; \`npm run generate\` makes it known to every part.`;
    const where = `Chain ${record.chainId}, block ${record.block}, by ${record.deployer}`;
    const list = checklistText(checklist, configuration.gasPriceWei);
    process.stdout.write(`${[where, list, next, verify].join("\n\n")}\n`);
  }
  if (!deployment.ok) throw new StackError("The deployment is not what was configured: see what does not hold.");
});

async function rehearse(configuration: Configuration, asJson: boolean): Promise<void> {
  const { dryRun } = await import("../deploy/dryRun/dryRun.ts");
  const run = await progress.step("rehearsed on a chain of this machine", () => dryRun(configuration));
  process.stdout.write(`${asJson ? reportJson(run) : dryRunText(run, configuration.gasPriceWei)}\n`);
  if (!run.ok) throw new StackError("The dry run does not hold: see what it found.");
}

function readArguments(): { file: string; rpc: string | undefined; asJson: boolean; isDry: boolean } {
  const options = {
    config: { type: "string" },
    rpc: { type: "string" },
    "dry-run": { type: "boolean", default: false },
    json: { type: "boolean", default: false },
  } as const;
  try {
    const { values } = parseArgs({ options, strict: true });
    if (values.config === undefined) throw new Error("--config is missing");
    if (values.rpc !== undefined && !URL.canParse(values.rpc)) throw new Error("--rpc is no address");
    return { file: values.config, rpc: values.rpc, asJson: values.json, isDry: values["dry-run"] };
  } catch (error) {
    throw new StackError(`${error instanceof Error ? error.message : String(error)}\n  ${usage}`);
  }
}

function readFile(file: string): string {
  try {
    return readFileSync(resolve(file), "utf8");
  } catch {
    const allowed = "it must be a file that can be read";
    throw new DeployError([{ code: "CONFIG_UNREADABLE", path: "", found: file, allowed }]);
  }
}
