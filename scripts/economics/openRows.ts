/**
 * Rows that pay with what is deployed, each a known defect. A row that pays and is not here, or is here and does not
 * pay, fails the check: the list can neither hide a new defect nor outlive one.
 */
export const openRows: ReadonlySet<string> = new Set([
  "at-cap",
  "garbage",
  "over-large-task",
  "bribed-keeper",
  "committee-bribery",
  "idle-auditor",
]);
