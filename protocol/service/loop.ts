/**
 * A level-triggered loop: one pass at a time, on a timer and on hints. A hint during a pass causes one more pass, never two at once.
 * A pass that throws is logged and the next one comes as usual; `stop` resolves when nothing runs.
 */
import type { Clock } from "./clock.ts";
import type { Log } from "./log.ts";

export interface Loop {
  trigger(): void;
  stop(): Promise<void>;
}

export function createLoop(options: {
  name: string;
  everyMs: number;
  clock: Clock;
  log: Log;
  pass: (signal: AbortSignal) => Promise<void>;
}): Loop {
  const { name, everyMs, clock, log, pass } = options;
  const stopping = new AbortController();
  let hinted = false;
  let wake: AbortController = new AbortController();

  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      hinted = false;
      try {
        await pass(stopping.signal);
      } catch (error) {
        if (!stopping.signal.aborted) log.warn({ err: error, loop: name }, "pass failed; the next one starts afresh");
      }
      if (hinted || stopping.signal.aborted) continue;
      wake = new AbortController();
      await clock.sleep(everyMs, AbortSignal.any([wake.signal, stopping.signal]));
    }
  };
  const running = run();

  return {
    trigger() {
      hinted = true;
      wake.abort();
    },
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
