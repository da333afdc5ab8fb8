/** JSON as it travels and is kept: a u64 is a decimal string, because a JSON number loses it beyond 2⁵³. */
export function wireJson(value: object): string {
  return JSON.stringify(value, (_key, item: unknown) => (typeof item === "bigint" ? String(item) : item));
}
