/**
 * A whole deployment on a chain of this machine, with stand-ins for the external contracts and a key that is thrown
 * away: what it costs, what it leaves, and that a task can be paid on it. Nothing is sent anywhere else.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { generatePrivateKey, privateKeyToAddress } from "viem/accounts";
import { examineDeployment, type Checklist } from "../checklist/checklist.ts";
import { subjectOf } from "../checklist/subject.ts";
import type { Configuration } from "../configuration/configuration.ts";
import { deployModule } from "../deployModule.ts";
import { examineChain } from "../examineChain.ts";
import { DeployError } from "../problem.ts";
import { startLocalChain } from "./localChain.ts";
import { smokeSeed } from "./smokeSeed.ts";
import { smokeTask, type SmokeTask } from "./smokeTask.ts";
import { plantStandIns, wakeFeeds, type StandIn } from "./standIns.ts";

export interface DryRun extends Checklist {
  readonly chainId: number;
  readonly standIns: readonly StandIn[];
  readonly task: SmokeTask;
}

export async function dryRun(configuration: Configuration): Promise<DryRun> {
  const { chainId } = configuration;
  const folder = await mkdtemp(join(tmpdir(), "ngpu-dry-run-"));
  const chain = await startLocalChain({ chainId });
  try {
    const standIns = await plantStandIns(chain, configuration);
    const problems = await examineChain(chain.client, configuration);
    if (problems.length > 0) throw new DeployError(problems);
    const privateKey = generatePrivateKey();
    await chain.fund(privateKeyToAddress(privateKey));
    const deployed = await deployModule({
      configuration,
      rpcUrl: chain.rpcUrl,
      privateKey,
      journalFolder: folder,
      confirmations: 1,
      pollMs: 20,
    });
    const subject = await subjectOf({ chain: chain.client, configuration, deployed });
    const checklist = await examineDeployment(subject, deployed.artifacts);
    const scene = { chain, configuration, addresses: deployed.addresses };
    await wakeFeeds(chain, configuration);
    const task = await smokeTask(scene);
    const checks = [...checklist.checks, ...task.checks, await smokeSeed(scene)];
    return { ...checklist, ok: checks.every(({ ok }) => ok), checks, chainId, standIns, task };
  } finally {
    await chain.close();
    await rm(folder, { recursive: true, force: true });
  }
}
