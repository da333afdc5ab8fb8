/**
 * How often to ask: each second while something is about to happen, else seldom. A hidden tab asks nothing (see
 * queryClient).
 */
export function pollMs(pending: boolean): number {
  return pending ? 1_000 : 4_000;
}
