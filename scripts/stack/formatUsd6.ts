/**
 * Payment-token base units as a decimal number of USD with all six places, because a bill is never rounded for show.
 */
export function formatUsd6(amountUsd6: bigint): string {
  const digits = amountUsd6.toString().padStart(7, "0");
  return `${digits.slice(0, -6)}.${digits.slice(-6)}`;
}
