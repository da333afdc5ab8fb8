/**
 * `npm run bench:failover -- --json [--trials N] [--images N] [--seed N]`: what a fault in the middle of a task costs
 * the client.
 *
 * Each trial posts one task on the direct rail of a whole local network. The fault comes a random moment, at most a
 * quarter of a second, after the client has seen the first signed progress of the primary:
 *   kill9         the primary's agent and runner are killed with SIGKILL
 *   sigstop       they are frozen with SIGSTOP, and go on after the bill
 *   halfopen      no byte passes between the primary and the gateway until the bill, though no connection ends
 *   gateway_kill  the gateway is killed with SIGKILL and started again at once; a third of the trials, longer tasks
 * Added time runs from right before the fault to the first progress that the client has verified from whoever executes
 * from then on: the backup under attempt 1, which reports as it begins to execute; after `gateway_kill` any executor,
 * over the new gateway. `…_result` runs on to the opened result and so contains one whole execution.
 *
 * `lost` counts tasks without a result, or whose bill is the faulty primary's or not that of whoever delivered;
 * `paid_twice` those where anything but one bill has moved money, or where the contract would still pay for a receipt
 * that the revived primary signs. Trials whose fault came too late (the primary was done) or that needed none (it was
 * suspected before) are `repeated`.
 */
import { cpus } from "node:os";
import { parseArgs } from "node:util";
import { localClient } from "../stack/chain.ts";
import { freePorts } from "../stack/ports.ts";
import { startBuilds } from "../stack/prepare.ts";
import { createProgress } from "../stack/progress.ts";
import { runSampleTask } from "../stack/sampleTask.ts";
import { StackError } from "../stack/stackError.ts";
import { temporaryFolder } from "../stack/temporaryFolder.ts";
import { withStack } from "../stack/withStack.ts";
import { runTarget } from "../targets/runTarget.ts";
import { openGatewayFront } from "./failover/gatewayFront.ts";
import { faultKinds } from "./failover/injectFault.ts";
import { rowsOf, type Row } from "./failover/rows.ts";
import { runGatewayTrial } from "./failover/runGatewayTrial.ts";
import { runTrial } from "./failover/runTrial.ts";
import { seededRandom } from "./failover/seededRandom.ts";
import { payer, type Trial } from "./failover/trial.ts";
import { untilIdle } from "./failover/untilIdle.ts";

const mostDelayMs = 250;
/** A gateway needs about a second to come back, and the task should still be running then. */
const longerTask = 4;
const mostRepeated = 20;

const progress = createProgress();

await runTarget(async () => {
  const { trials, images, seed, asJson } = readOptions();
  progress.note(`${trials} trials of each kind, ${images} pictures a task, seed ${seed}`);
  const random = seededRandom(seed);
  const front = await openGatewayFront();
  const ports = await freePorts();
  front.forwardTo(ports.gateway);
  const dataDir = temporaryFolder("failover");
  const parts = { dapp: false, subgraph: false };
  const session = {
    dataDir,
    temporary: true,
    ports,
    agents: 3,
    ...parts,
    detours: { gateway: `http://127.0.0.1:${front.port}` },
    progress,
    builds: () => startBuilds({ ...parts, progress }),
  };
  try {
    const rows = await withStack(session, async (stack, signal) => {
      const chain = localClient(stack.urls.rpc);
      const taken = new Map<string, Trial[]>();
      let repeated = 0;
      const measure = (kind: string, times: number, run: (delayMs: number) => Promise<Trial | undefined>) =>
        progress.step(`${times} × ${kind}`, async () => {
          const ofKind: Trial[] = [];
          taken.set(kind, ofKind);
          while (ofKind.length < times) {
            await untilIdle(stack, signal);
            const trial = await run(random() * mostDelayMs);
            if (trial) ofKind.push(trial);
            else repeated += 1;
            if (repeated > mostRepeated)
              throw new StackError(`${repeated} faults missed: take longer tasks (--images) or a calmer machine.`);
          }
        });
      await progress.step("warm-up", () => runSampleTask({ urls: stack.urls, payer, images, signal }));
      for (const kind of faultKinds)
        await measure(kind, trials, (delayMs) =>
          runTrial({ kind, images, delayMs, stack, dataDir, front, chain, signal }),
        );
      await measure("gateway_kill", Math.ceil(trials / 3), (delayMs) =>
        runGatewayTrial({ images: images * longerTask, delayMs, stack, chain, signal }),
      );
      return rowsOf({ taken, repeated });
    });
    print(rows, asJson);
    const isBad = rows.some(({ name, value }) => (name === "lost" || name === "paid_twice") && value > 0);
    if (isBad) throw new StackError("A task was lost or paid twice.");
  } finally {
    await front.close();
  }
});

function readOptions(): { trials: number; images: number; seed: number; asJson: boolean } {
  const { values } = parseArgs({
    options: {
      json: { type: "boolean", default: false },
      trials: { type: "string", default: "30" },
      images: { type: "string", default: "2" },
      seed: { type: "string", default: "1" },
    },
  });
  const whole = (name: "trials" | "images" | "seed"): number => {
    const value = Number(values[name]);
    if (!Number.isInteger(value) || value < 1) throw new StackError(`--${name} takes a whole number of 1 or more.`);
    return value;
  };
  return { trials: whole("trials"), images: whole("images"), seed: whole("seed"), asJson: values.json };
}

function print(rows: readonly Row[], asJson: boolean): void {
  const [cpu] = cpus();
  const machine = { cpu: cpu?.model ?? "unknown", cores: cpus().length, node: process.version };
  if (asJson) {
    process.stdout.write(`${JSON.stringify({ bench: "failover", machine, rows })}\n`);
    return;
  }
  for (const { name, value, unit, min, max, n } of rows)
    process.stdout.write(`${name.padEnd(26)} ${value} ${unit}   min ${min}   max ${max}   n ${n}\n`);
}
