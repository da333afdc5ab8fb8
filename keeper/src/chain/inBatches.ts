/** Calls in batches that any RPC takes; what they answer, in the order of the items. */
export async function inBatches<T, R>(
  items: readonly T[],
  read: (batch: T[]) => Promise<readonly R[]>,
  size = 500,
): Promise<R[]> {
  const results: R[] = [];
  for (let start = 0; start < items.length; start += size) {
    results.push(...(await read(items.slice(start, start + size))));
  }
  return results;
}
