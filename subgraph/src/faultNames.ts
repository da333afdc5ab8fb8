/** Names of the enumerations of disputes. A number that a later contract adds reads as the most careful known name. */

/** `DeterminismClass` of a model. */
export function determinismName(kind: i32): string {
  if (kind == 1) return "Exact";
  if (kind == 2) return "Tolerance";
  if (kind == 3) return "TopK";
  return "None";
}

/** `Outcome` of a ruling or an end. */
export function outcomeName(outcome: i32): string {
  if (outcome == 1) return "NodeLoses";
  if (outcome == 2) return "OpenerLoses";
  return "Lapsed";
}
