/** What upkeep may spend in any hour, in gas: nobody pays a keeper for it, so nobody may make it spend without bound. */
export interface GasBudget {
  /** Gas that may still be spent now. */
  left(): bigint;
  /** Books what an action is going to take. */
  spend(gas: bigint): void;
  /** Gives back what was booked and not spent. */
  giveBack(gas: bigint): void;
}

const hourMs = 3_600_000;

export function createGasBudget(options: { perHourGas: bigint; nowMs: () => number }): GasBudget {
  const { perHourGas, nowMs } = options;
  let spent: { gas: bigint; atMs: number }[] = [];

  return {
    left() {
      const sinceMs = nowMs() - hourMs;
      spent = spent.filter(({ atMs }) => atMs > sinceMs);
      const total = spent.reduce((sum, { gas }) => sum + gas, 0n);
      return total < perHourGas ? perHourGas - total : 0n;
    },
    spend: (gas) => void spent.push({ gas, atMs: nowMs() }),
    giveBack(gas) {
      const index = spent.findLastIndex((booked) => booked.gas === gas);
      if (index >= 0) spent.splice(index, 1);
    },
  };
}
