/** What a property is tried with: `kept` first, then `usual` many, NGPU_SEEDS times as many where it is set. */
export function seeds(usual: number, kept: readonly number[] = []): number[] {
  const factor = Number(process.env["NGPU_SEEDS"] ?? "1");
  const only = process.env["SEED"];
  if (only !== undefined) return [Number(only)];
  return [...kept, ...Array.from({ length: Math.ceil(usual * factor) }, (_, at) => at + 1)];
}

/** Runs `act` and, where it fails, says how to repeat that seed alone. */
export function underSeed<T>(seed: number, file: string, act: () => T): T {
  try {
    return act();
  } catch (cause) {
    throw new Error(`repeat with: SEED=${seed} node --test ${file}`, { cause });
  }
}
