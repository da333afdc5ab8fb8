/**
 * How often to ask: each second while something is about to happen, else seldom. Every question falls due on the same
 * ticks of the clock, so that what is asked at one moment travels in one request. A hidden tab asks nothing (see
 * queryClient).
 */
export function pollMs(pending: boolean): number {
  return nextPollMs(pending ? 1_000 : 4_000);
}

/** A timer may fire this much early; the tick it was for is then over. */
const earlyMs = 5;

/** Time until the clock next shows a multiple of `everyMs`. */
export function nextPollMs(everyMs: number, nowMs: number = Date.now()): number {
  const restMs = everyMs - (nowMs % everyMs);
  return restMs <= earlyMs ? restMs + everyMs : restMs;
}
