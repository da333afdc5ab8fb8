/** A whole network for one test file, on ports and in a folder that nobody else uses. */
import { rmSync } from "node:fs";
import { freePorts } from "../../../scripts/stack/ports.ts";
import { startBuilds } from "../../../scripts/stack/prepare.ts";
import { createProgress } from "../../../scripts/stack/progress.ts";
import { createStack, type Stack } from "../../../scripts/stack/stack.ts";
import { temporaryFolder } from "../../../scripts/stack/temporaryFolder.ts";

export interface Line {
  stack: Stack;
  /** Parts that ended without having been asked to. */
  lost: string[];
  stop(): Promise<void>;
}

export async function startLine(options: { agents: number; dapp: boolean }): Promise<Line> {
  const progress = createProgress();
  const parts = { dapp: options.dapp, subgraph: true };
  const builds = startBuilds({ ...parts, progress });
  await builds.all;
  const lost: string[] = [];
  const dataDir = temporaryFolder("e2e");
  const stack = createStack({
    dataDir,
    ports: await freePorts(),
    agents: options.agents,
    ...parts,
    progress,
    onLost(part, report) {
      lost.push(part);
      progress.note(report);
    },
  });
  const stop = async (): Promise<void> => {
    await stack.stop();
    rmSync(dataDir, { recursive: true, force: true });
  };
  try {
    await stack.start(builds);
  } catch (error) {
    await stop();
    throw error;
  }
  return { stack, lost, stop };
}
