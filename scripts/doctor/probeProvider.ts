/** Exit code 0 if the execution provider named by the argument loads a model of ours and agrees with the CPU on it. */
import { locateModel } from "@ngpu/protocol/service/modelFiles";
import { loadModel } from "@ngpu/node-agent/runner/loadModel";
import { catalogue } from "@ngpu/protocol/catalogue";

const [provider = "cpu"] = process.argv.slice(2);
const [smallest] = [...catalogue].sort((a, b) => sizeOf(a.manifest) - sizeOf(b.manifest));
if (smallest === undefined) process.exit(1);
await loadModel({ manifest: smallest.manifest, paths: locateModel(smallest.manifest), provider });
process.exit(0);

function sizeOf({ graphs }: { graphs: { bytes: number }[] }): number {
  return graphs.reduce((total, { bytes }) => total + bytes, 0);
}
