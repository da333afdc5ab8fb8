/** A service whose drain never ends by itself; for tests of how a process takes signals. */
import { createLog } from "@ngpu/protocol/service/log";
import { runUntilSignal } from "@ngpu/protocol/service/shutdown";

const log = createLog({ service: "draining" });
const alive = setInterval(() => undefined, 1_000);
runUntilSignal({
  log,
  drainS: Number(process.env.NGPU_DRAIN_S),
  drain: () => new Promise(() => undefined),
  close: async () => {
    clearInterval(alive);
    if (process.env.HANGS === "yes") await new Promise(() => undefined);
  },
});
process.stdout.write("READY {}\n");
