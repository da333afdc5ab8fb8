/**
 * The real deployment: refuses what does not fit the chain, rehearses the whole on a chain of this machine, then sends,
 * examines what came out and records it. Run again after an interruption, it goes on where the journal ends.
 */
import { existsSync } from "node:fs";
import { chainOf } from "@ngpu/protocol/service/chain";
import { createPublicClient, formatEther, http, type PublicClient } from "viem";
import { paths } from "../stack/paths.ts";
import type { Progress } from "../stack/progress.ts";
import { examineDeployment, type Checklist } from "./checklist/checklist.ts";
import { subjectOf } from "./checklist/subject.ts";
import type { Configuration } from "./configuration/configuration.ts";
import type { DeployerKey } from "./deployerKey.ts";
import { deployModule, journalOf } from "./deployModule.ts";
import {
  configurationHash,
  readDeploymentRecord,
  recordFile,
  recordOf,
  writeDeploymentRecord,
  type DeploymentRecord,
} from "./deploymentRecord.ts";
import { dryRun, type DryRun } from "./dryRun/dryRun.ts";
import { examineChain, requireChain } from "./examineChain.ts";
import { DeployError, type Problem } from "./problem.ts";

export interface Deployment extends Checklist {
  readonly record: DeploymentRecord;
  readonly recordFile: string;
}

/** Headroom over the dry run's gas at the price of now. */
const HEADROOM_PERCENT = 120n;

export async function deployForReal(options: {
  readonly configuration: Configuration;
  readonly rpcUrl: string;
  readonly key: DeployerKey;
  readonly progress: Progress;
}): Promise<Deployment> {
  const { configuration, rpcUrl, key, progress } = options;
  const { chainId, confirmations, pollIntervalMs, journalFolder } = configuration;
  const chain: PublicClient = createPublicClient({
    chain: chainOf(chainId, rpcUrl),
    transport: http(rpcUrl, { retryCount: 3, timeout: 20_000 }),
    cacheTime: 0,
  });
  await requireChain(chain, chainId);
  const problems = [...recordProblems(configuration), ...(await examineChain(chain, configuration))];
  if (problems.length > 0) throw new DeployError(problems);

  // What has begun was rehearsed before it began, and Ignition refuses to go on with other code or parameters.
  const journal = journalOf({ journalFolder, chainId });
  if (existsSync(journal)) progress.note(`going on with the journal in ${journal}`);
  else {
    const rehearsal = await progress.step("rehearsed on a chain of this machine", () => dryRun(configuration));
    const found = [...rehearsalProblems(rehearsal), ...(await balanceProblems(chain, key, rehearsal))];
    if (found.length > 0) throw new DeployError(found);
  }

  const privateKey = key.privateKey;
  const request = { configuration, rpcUrl, privateKey, journalFolder, confirmations, pollMs: pollIntervalMs };
  const deployed = await progress.step(`deployed to chain ${chainId}`, () => deployModule(request));
  const subject = await subjectOf({ chain, configuration, deployed });
  const checklist = await progress.step("examined", () => examineDeployment(subject, deployed.artifacts));
  const record = recordOf(subject);
  const file = recordFile(configuration);
  writeDeploymentRecord(file, record);
  return { ...checklist, record, recordFile: file };
}

/** A chain has one deployment; another one is recorded elsewhere, or the old record is moved away first. */
function recordProblems(configuration: Configuration): Problem[] {
  const file = recordFile(configuration);
  if (!existsSync(file)) return [];
  const found = readDeploymentRecord(file).configurationHash;
  if (found === configurationHash(configuration)) return [];
  const allowed = `${file} records a deployment with other parameters: move it away, and the journal with it`;
  return [{ code: "DEPLOYMENT_EXISTS", path: "recordFolder", found, allowed }];
}

function rehearsalProblems({ ok, checks }: DryRun): Problem[] {
  if (ok) return [];
  return checks
    .filter((check) => !check.ok)
    .map(({ what, found, expected }) => ({
      code: "CHECKLIST_FAILED",
      path: "",
      found: `${what}: ${found}`,
      allowed: `it must be ${expected}`,
    }));
}

async function balanceProblems(chain: PublicClient, { account }: DeployerKey, { total }: DryRun): Promise<Problem[]> {
  const gasPriceWei = await chain.getGasPrice();
  const neededWei = (total.gas * gasPriceWei * HEADROOM_PERCENT) / 100n;
  const balanceWei = await chain.getBalance({ address: account.address });
  if (balanceWei >= neededWei) return [];
  const found = `${formatEther(balanceWei)} of the chain's coin at ${account.address}`;
  const allowed = `${total.gas} gas at ${gasPriceWei} wei and a fifth more are ${formatEther(neededWei)}`;
  return [{ code: "BALANCE_SHORT", path: "deployerKey", found, allowed }];
}
