/**
 * Writes every generated file that is committed: ABIs and addresses, model manifests, the subgraph's manifest, the
 * errors, the kernels of the erasure code.
 */
import { join } from "node:path";
import { paths } from "../stack/paths.ts";
import { runTool } from "../stack/process/runTool.ts";
import { createProgress } from "../stack/progress.ts";
import { runTarget } from "./runTarget.ts";

const progress = createProgress();

await runTarget(async () => {
  const documents = ["errors", "contractFacts", "contractDocs", "economics"];
  const generators = ["abis", "manifests", "subgraph", ...documents, "gasSnapshot"];
  for (const name of [...generators, "buildWasm"]) {
    const folder = generators.includes(name) ? "generate" : "targets";
    await progress.step(`generated ${name}`, () =>
      runTool({
        name,
        command: [process.execPath, join(paths.root, `scripts/${folder}/${name}.ts`)],
        logFile: join(paths.state, "logs", `generate-${name}.log`),
        timeoutMs: 5 * 60_000,
      }),
    );
  }
});
