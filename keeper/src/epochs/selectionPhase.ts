/** What an epoch of selection is doing, as contracts/types/SelectionTypes.sol numbers it. */
export const selectionPhase = { open: 0, update: 1, seeding: 2 } as const;
