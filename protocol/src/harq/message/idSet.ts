/** A set of message ids kept as runs: ids are finished nearly in order, so that it stays as small as what is open. */
export interface IdSet {
  has(id: number): boolean;
  add(id: number): void;
  /** Runs that are kept. */
  size(): number;
}

export function createIdSet(): IdSet {
  const runs: { from: number; end: number }[] = [];
  /** Index of the first run that ends behind the id. */
  const at = (id: number): number => {
    let low = 0;
    let high = runs.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (runs[middle]!.end <= id) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  const has = (id: number): boolean => {
    const run = runs[at(id)];
    return run !== undefined && run.from <= id;
  };
  return {
    has,
    add(id) {
      if (has(id)) return;
      const index = at(id);
      const before = runs[index - 1];
      const after = runs[index];
      const joinsBefore = before?.end === id;
      const joinsAfter = after?.from === id + 1;
      if (joinsBefore && joinsAfter) {
        before.end = after.end;
        runs.splice(index, 1);
      } else if (joinsBefore) before.end = id + 1;
      else if (joinsAfter) after.from = id;
      else runs.splice(index, 0, { from: id, end: id + 1 });
    },
    size: () => runs.length,
  };
}
