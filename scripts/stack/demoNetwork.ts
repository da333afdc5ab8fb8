/** What both demos start: a network of their own with two agents and no dApp, gone afterwards. */
import { freePorts } from "./ports.ts";
import { startBuilds } from "./prepare.ts";
import type { Progress } from "./progress.ts";
import { temporaryFolder } from "./temporaryFolder.ts";

export async function demoNetwork({ name, progress }: { name: string; progress: Progress }) {
  const parts = { dapp: false, subgraph: true };
  let preparedMs = Date.now();
  const network = {
    dataDir: temporaryFolder(name),
    temporary: true,
    ports: await freePorts(),
    agents: 2,
    ...parts,
    progress,
    // Built first and started then, so that each has its own time.
    builds: async () => {
      const builds = startBuilds({ ...parts, progress });
      await builds.all;
      preparedMs = Date.now();
      return builds;
    },
  };
  return { network, preparedMs: () => preparedMs };
}
