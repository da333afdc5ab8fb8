/** What is sent first: `interactive` before all else, but for a tenth that the others keep. Index: as on the wire. */
export const priorities = ["interactive", "bulk", "background"] as const;
export type Priority = (typeof priorities)[number];

/** Shares among messages that are not interactive. */
export const weightOf: Record<Priority, number> = { interactive: 1, bulk: 4, background: 1 };
