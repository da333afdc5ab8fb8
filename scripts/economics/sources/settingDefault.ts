/**
 * Reads out of a TypeScript source what a setting of the environment is unless it is given. One that was renamed is not
 * found, and never guessed.
 */
export function settingDefault(source: string, setting: string): bigint | undefined {
  const [, digits] = new RegExp(`"${setting}",\\s*\\{[^}]*?\\bfallback: (\\d[\\d_]*)`).exec(source) ?? [];
  return digits === undefined ? undefined : BigInt(digits.replaceAll("_", ""));
}
