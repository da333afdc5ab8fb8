/**
 * Mutants that no test can tell from the original, each with the reason; `npm run mutate` counts them apart and says
 * so when one of them no longer exists.
 */
export const knownSurvivors: Readonly<Record<string, string>> = {};
