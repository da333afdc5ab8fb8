export const defaultWithinMs = 30_000;

/** What is waited for, or an error that names it once the time is over. */
export async function within<T>(
  promise: Promise<T>,
  { what, withinMs = defaultWithinMs }: { readonly what: string; readonly withinMs: number | undefined },
): Promise<T> {
  const { promise: over, reject } = Promise.withResolvers<never>();
  const late = setTimeout(() => reject(new Error(`not within ${withinMs / 1_000} s: ${what}`)), withinMs);
  try {
    return await Promise.race([promise, over]);
  } finally {
    clearTimeout(late);
  }
}
