/** Asks again until there is an answer; what did not come within the time is an error that says what was waited for. */
import { setTimeout as sleep } from "node:timers/promises";

const pollMs = 25;

export async function until<T>(
  what: string,
  timeoutMs: number,
  ask: () => Promise<T | undefined> | T | undefined,
): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (performance.now() > deadline) throw new Error(`not within ${timeoutMs / 1_000} s: ${what}`);
    await sleep(pollMs);
  }
}
