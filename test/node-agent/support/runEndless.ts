/** Starts a runner on the endless model given as JSON, prints its process id and waits to be killed. */
import { probeConfinement } from "@ngpu/node-agent/pool/confinement";
import { startRunner, type RunnerModel } from "@ngpu/node-agent/pool/runnerProcess";
import { encodePayload } from "@ngpu/protocol/sealed/payload";
import { systemClock } from "@ngpu/protocol/service/clock";
import { photo } from "./images.ts";

const model = JSON.parse(process.argv[2] ?? "") as RunnerModel;
const runner = await startRunner({
  models: [model],
  provider: "cpu",
  confinement: probeConfinement(),
  clock: systemClock,
  startTimeoutMs: 20_000,
  warm: false,
});
const body = encodePayload({
  parameters: { images: 1 },
  parts: [{ name: "photo", mediaType: "image/jpeg", bytes: photo(1) }],
});
const executing = runner.execute({ modelId: model.modelId, body, timeoutMs: 60_000 });
process.stdout.write(`${runner.pid}\n`);
await executing;
