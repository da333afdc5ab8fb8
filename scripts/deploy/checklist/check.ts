/** One thing that must be so after a deployment, and how it was found. */
export interface Check {
  readonly topic: "code" | "wiring" | "values" | "roles" | "rights" | "smoke";
  readonly what: string;
  readonly ok: boolean;
  readonly found: string;
  readonly expected: string;
}

/** Equal as words, addresses in any case. */
export function checkEqual(topic: Check["topic"], what: string, found: unknown, expected: unknown): Check {
  const [is, should] = [words(found), words(expected)];
  return { topic, what, ok: is.toLowerCase() === should.toLowerCase(), found: is, expected: should };
}

function words(value: unknown): string {
  if (Array.isArray(value)) return value.map(words).join(", ");
  if (typeof value === "object" && value !== null) {
    return Object.entries(value)
      .map(([name, field]) => `${name} ${words(field)}`)
      .join(", ");
  }
  return String(value);
}
