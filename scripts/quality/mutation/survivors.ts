/**
 * Mutants that no test can tell from the original, each with the reason; `npm run mutate` counts them apart and says
 * so when one of them no longer exists.
 */
const addsNothing = "Zero would be added to a credit, which changes nothing.";

export const knownSurvivors: Readonly<Record<string, string>> = {
  "contracts/StakeVault.sol:219 condition 1": addsNothing,
  "contracts/StakeVault.sol:220 condition 1": addsNothing,
  "contracts/StakeVault.sol:325 condition 2": "Zero taken from pool and total changes neither.",
};
