/** What one look at the machine found. */
export interface Finding {
  /** What was looked at. */
  name: string;
  /** ok: as wanted. limited: works with less. broken: a command will fail. */
  verdict: "ok" | "limited" | "broken";
  /** What is there, in plain words. */
  found: string;
  /** What to do; only where the verdict is not ok. */
  remedy?: string;
}
