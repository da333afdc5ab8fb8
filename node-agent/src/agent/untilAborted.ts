/** Waits for `running`, but no longer than until the signal aborts; then throws the signal's reason and lets it run on. */
export async function untilAborted<T>(running: Promise<T>, signal: AbortSignal): Promise<T> {
  running.catch(() => undefined);
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const leave = (): void => aborted.reject(signal.reason);
  signal.addEventListener("abort", leave, { once: true });
  try {
    return await Promise.race([running, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", leave);
  }
}
