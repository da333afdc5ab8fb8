/**
 * Rows that pay with what is deployed, each a known defect with the reason why it stands. A row that pays and is not
 * here, or is here and does not pay, fails the check: the list can neither hide a new defect nor outlive one.
 */
export const openRows: ReadonlyMap<string, string> = new Map([
  [
    "seated-standby",
    "as for the next row: nothing but the keeper role says who sits where. The payer has no damage of it while the " +
      "friends serve, and chooses how many backups it asks for",
  ],
  [
    "bribed-keeper",
    "asking for a standing post in `assign` costs every task of the direct rail a post of 98,000 gas and stops the " +
      "rail between epochs, so the keeper role assigns without one. An event names who assigned, and until the task " +
      "is settled its digest binds it, so an assignment that was never posted is seen by all; but no contract takes " +
      "anything for it. The role is held by accounts that the administrator named and a guardian removes at once; " +
      "what the friend returns is audited like anybody's, and after the keeper window anyone assigns. Where a keeper " +
      "does post, half its bond outweighs the bill of the largest task, but no longer bill and standby together. " +
      "[Decision 0013](decisions/0013-seats-that-were-not-drawn.md) says what is to close both",
  ],
]);
