/**
 * Runs a small line until it is asked to stop, on the ports and in the folder that it is given; prints a line of JSON
 * once it is up.
 */
import { startBuilds } from "../../../scripts/stack/prepare.ts";
import { createProgress } from "../../../scripts/stack/progress.ts";
import type { StackPorts } from "../../../scripts/stack/ports.ts";
import { withStack } from "../../../scripts/stack/withStack.ts";
import { runTarget } from "../../../scripts/targets/runTarget.ts";

const [dataDir = "", ports = "{}"] = process.argv.slice(2);
const progress = createProgress();
const parts = { dapp: false, subgraph: true };

await runTarget(async () => {
  const session = { dataDir, temporary: false, ports: JSON.parse(ports) as StackPorts, agents: 1, ...parts, progress };
  await withStack({ ...session, builds: () => startBuilds({ ...parts, progress }) }, async (stack, signal) => {
    console.log(JSON.stringify({ urls: stack.urls, pids: stack.pids() }));
    await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
  });
});
