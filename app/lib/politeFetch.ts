/**
 * A fetch that takes "too many requests" for an answer. Nothing is sent any more until the pause that the server asks
 * for is over, or one that doubles with each such answer; what is asked in between is told the same, with the time that
 * is left, so that whoever retries waits as well.
 */
const pauseMs = { first: 4_000, most: 64_000 };
const tooManyRequests = 429;

export function createPoliteFetch(options: { fetch: typeof globalThis.fetch; nowMs: () => number }): typeof fetch {
  const { nowMs } = options;
  let quietUntilMs = 0;
  let nextPauseMs = pauseMs.first;
  return async (input, init) => {
    const leftMs = quietUntilMs - nowMs();
    if (leftMs > 0) return refusal(leftMs);
    const response = await options.fetch(input, init);
    if (response.status !== tooManyRequests) {
      nextPauseMs = pauseMs.first;
      return response;
    }
    const askedMs = Number(response.headers.get("retry-after")) * 1_000;
    const restMs = Math.min(pauseMs.most, Math.max(nextPauseMs, Number.isFinite(askedMs) ? askedMs : 0));
    quietUntilMs = nowMs() + restMs;
    nextPauseMs = Math.min(pauseMs.most, nextPauseMs * 2);
    return refusal(restMs);
  };
}

function refusal(leftMs: number): Response {
  const headers = { "retry-after": String(Math.ceil(leftMs / 1_000)) };
  return new Response("Too many requests.", { status: tooManyRequests, headers });
}
