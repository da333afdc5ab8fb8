/** The machine's monotonic clock in microseconds: the same number at the same time in every process. */
export function monotonicUs(): number {
  return Number(process.hrtime.bigint()) / 1_000;
}
