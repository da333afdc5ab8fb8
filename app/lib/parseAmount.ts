/** Reads a typed decimal amount into base units; undefined when it is not one or has more decimals than the token. */
export function parseAmount(text: string, decimals: number): bigint | undefined {
  const match = /^(\d{1,30})(?:\.(\d*))?$/.exec(text.trim());
  if (match === null) return undefined;
  const [, whole = "0", fraction = ""] = match;
  if (fraction.length > decimals) return undefined;
  return BigInt(whole) * 10n ** BigInt(decimals) + BigInt(fraction.padEnd(decimals, "0") || "0");
}
