/**
 * Rows that pay with what is deployed, each a known defect with the reason why it stands. A row that pays and is not
 * here, or is here and does not pay, fails the check: the list can neither hide a new defect nor outlive one.
 */
export const openRows: ReadonlyMap<string, string> = new Map([
  [
    "at-cap",
    "a known, bounded gain: nobody else can measure how long an execution took. It is a quarter of the declared work " +
      "at most, within the maximum that the payer agreed to; the power that prices it is keepers' median, and a payer " +
      "sees every duration and names other nodes in its next session",
  ],
  [
    "bribed-keeper",
    "asking for a standing post in `assign` costs every task of the direct rail a post of 98,000 gas and stops the " +
      "rail between epochs, so the keeper role assigns without one. It is held by accounts that the administrator " +
      "named and a guardian removes at once; what the friend returns is audited like anybody's, and after the keeper " +
      "window anyone assigns. Where a keeper does post, half its bond outweighs the largest task",
  ],
]);
