/** Runs a service until SIGINT or SIGTERM, then closes its parts in reverse order; a second signal ends the process at once. */
import type { Log } from "./log.ts";

export function runUntilSignal(options: { log: Log; close: () => Promise<unknown> }): void {
  const { log, close } = options;
  let closing = false;
  const end = (signal: NodeJS.Signals): void => {
    if (closing) process.exit(1);
    closing = true;
    log.info({ signal }, "stopping");
    close().then(
      () => process.exit(0),
      (error: unknown) => {
        log.error({ err: error }, "did not stop cleanly");
        process.exit(1);
      },
    );
  };
  process.on("SIGINT", end);
  process.on("SIGTERM", end);
}
