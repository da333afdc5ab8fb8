/** A whole network for one test file, on ports and in a folder that nobody else uses. */
import { rmSync } from "node:fs";
import { freePorts, type StackPorts } from "../../../scripts/stack/ports.ts";
import { startBuilds } from "../../../scripts/stack/prepare.ts";
import { createProgress } from "../../../scripts/stack/progress.ts";
import { createStack, type Stack } from "../../../scripts/stack/stack.ts";
import { temporaryFolder } from "../../../scripts/stack/temporaryFolder.ts";
import type { Detours } from "../../../scripts/stack/urls.ts";

export interface Line {
  stack: Stack;
  /** Holds what the parts keep on disk. */
  dataDir: string;
  /** Parts that ended without having been asked to. */
  lost: string[];
  stop(): Promise<void>;
}

export async function startLine(options: {
  agents: number;
  dapp: boolean;
  ports?: StackPorts;
  detours?: Detours;
}): Promise<Line> {
  const progress = createProgress();
  const parts = { dapp: options.dapp, subgraph: true };
  const builds = startBuilds({ ...parts, progress });
  await builds.all;
  const lost: string[] = [];
  const dataDir = temporaryFolder("e2e");
  const stack = createStack({
    dataDir,
    ports: options.ports ?? (await freePorts()),
    agents: options.agents,
    ...(options.detours === undefined ? {} : { detours: options.detours }),
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
  return { stack, dataDir, lost, stop };
}
