/** Tries again, after pauses that double, for as long as what went wrong may pass. */
import { codeOf, type ErrorCode } from "@ngpu/protocol/errors";
import type { Clock } from "@ngpu/protocol/service/clock";

/** Throws the last error once the signal aborts, or `mayHelp` says that a pause of so many ms would not help. */
export async function untilDone<T>(
  act: () => Promise<T>,
  options: {
    firstPauseMs: number;
    /** Pauses grow no longer than this; without an end where it is not given. */
    longestPauseMs?: number;
    mayHelp: (code: ErrorCode, pauseMs: number) => boolean;
    clock: Clock;
    signal: AbortSignal;
  },
): Promise<T> {
  const { firstPauseMs, longestPauseMs = Infinity, mayHelp, clock, signal } = options;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(longestPauseMs, pauseMs * 2)) {
    try {
      return await act();
    } catch (error) {
      if (signal.aborted || !mayHelp(codeOf(error), pauseMs)) throw error;
    }
    await clock.sleep(pauseMs, signal);
  }
}
