/** True for a JSON object: what every decoder asks before it looks at a field. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
