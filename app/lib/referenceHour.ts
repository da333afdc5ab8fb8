/** What an hour of 1,000 CU costs at a price per 10⁹ CU·ms: 3.6 times the price, rounded down. */
export function referenceHourUsd6(priceUsd6PerGcums: bigint): bigint {
  return (priceUsd6PerGcums * 1_000n * 3_600_000n) / 1_000_000_000n;
}
