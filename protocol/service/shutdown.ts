/**
 * Runs a service until SIGINT or SIGTERM: it ends what it has begun, within a bound, then closes its parts. A second
 * signal ends the process at once; whatever must survive that is on disk before it matters.
 */
import type { Log } from "./log.ts";

/** npm, its starter and the terminal may each deliver the same Ctrl-C. */
const sameSignalMs = 1_000;
/** A part that waits for somebody who does not answer must not hold the process. */
const closeWithinMs = 3_000;

export function runUntilSignal(options: {
  log: Log;
  close: () => Promise<unknown>;
  /** Ends what was begun and begins nothing more; the signal aborts when its time is up. */
  drain?: (signal: AbortSignal) => Promise<unknown>;
  /** 0: what was begun is broken off. */
  drainS?: number;
}): void {
  const { log, close, drain, drainS = 0 } = options;
  let asked: { signal: NodeJS.Signals; atMs: number } | undefined;

  const end = (signal: NodeJS.Signals): void => {
    const nowMs = performance.now();
    if (asked !== undefined) {
      if (asked.signal === signal && nowMs - asked.atMs < sameSignalMs) return;
      log.warn({ signal }, "stopping at once");
      process.exit(1);
    }
    asked = { signal, atMs: nowMs };
    void stop(signal);
  };

  const stop = async (signal: NodeJS.Signals): Promise<void> => {
    if (drain !== undefined && drainS > 0) {
      log.info({ signal, drainS }, "draining; a second signal stops at once");
      await drainInTime(drain);
    }
    log.info({ signal }, "stopping");
    const forced = setTimeout(() => {
      log.error({ closeWithinMs }, "did not stop in time");
      process.exit(1);
    }, closeWithinMs);
    try {
      await close();
      process.exit(0);
    } catch (error) {
      log.error({ err: error }, "did not stop cleanly");
      process.exit(1);
    } finally {
      clearTimeout(forced);
    }
  };

  const drainInTime = async (act: (signal: AbortSignal) => Promise<unknown>): Promise<void> => {
    const timeUp = new AbortController();
    const bound = Promise.withResolvers<void>();
    const timer = setTimeout(() => {
      timeUp.abort();
      bound.resolve();
    }, drainS * 1_000);
    try {
      await Promise.race([act(timeUp.signal), bound.promise]);
      if (timeUp.signal.aborted) log.warn({ drainS }, "not everything has ended in time; breaking it off");
      else log.info("drained");
    } catch (error) {
      log.error({ err: error }, "draining failed");
    } finally {
      clearTimeout(timer);
    }
  };

  process.on("SIGINT", end);
  process.on("SIGTERM", end);
}
