/** Enumerations of the session rail, as in contracts/types/SessionTypes.sol. */
export const sessionState = { none: 0, open: 1, finished: 2 } as const;
export const laneState = { none: 0, active: 1, releasing: 2, reclaimed: 3 } as const;
export const laneRole = { primary: 0, backup: 1 } as const;
export const floorState = { unclaimed: 0, claimed: 1, burned: 2, covered: 3 } as const;
