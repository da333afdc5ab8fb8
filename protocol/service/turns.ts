/** Lets so many run at once; others wait in the order in which they came. */
export interface Turns {
  /** Runs `act` when its turn comes; rejects with the signal's reason when that aborts before. */
  run<T>(act: () => Promise<T>, signal?: AbortSignal): Promise<T>;
}

export function createTurns(most: number): Turns {
  const waiting = new Set<() => void>();
  let running = 0;

  async function wait(signal: AbortSignal | undefined): Promise<void> {
    const turn = Promise.withResolvers<void>();
    const leave = (): void => turn.reject(signal?.reason);
    waiting.add(turn.resolve);
    signal?.addEventListener("abort", leave, { once: true });
    try {
      await turn.promise;
    } finally {
      waiting.delete(turn.resolve);
      signal?.removeEventListener("abort", leave);
    }
  }

  return {
    async run(act, signal) {
      signal?.throwIfAborted();
      // Whoever ends hands its place on, so nobody who comes now may take it.
      if (running >= most) await wait(signal);
      else running += 1;
      try {
        return await act();
      } finally {
        const [next] = waiting;
        if (next === undefined) running -= 1;
        else {
          waiting.delete(next);
          next();
        }
      }
    },
  };
}
