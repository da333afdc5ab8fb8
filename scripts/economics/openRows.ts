/**
 * Rows that pay with what is deployed, each a known defect with the reason why it stands. A row that pays and is not
 * here, or is here and does not pay, fails the check: the list can neither hide a new defect nor outlive one.
 */
export const openRows: ReadonlyMap<string, string> = new Map([
  [
    "at-cap",
    "canaries judge how a node bills, and quality acts in draws, whose order the keeper's program takes. A keeper with " +
      "the audit role, a set of canaries and a payer audits unless it is told not to, and the sizes of its canaries " +
      "follow those of the network's tasks; but a day's budget pays for none of the size of the largest ones. Where " +
      "it does, overbilling loses on every task that a canary can be as large as (section 3); for the rest it is a " +
      "known, bounded gain: nobody else can measure how long an execution took; it is a quarter of the declared work " +
      "at most, within the maximum that the payer agreed to; the power that prices it is keepers' median, and a payer " +
      "sees every duration and names other nodes in its next session. Nobody holds the role at deployment, so a " +
      "network without an auditor has none of this",
  ],
  [
    "empty-backup",
    "a signed failure is what makes a fast second attempt possible, so it must not cost what silence does; and a " +
      "charge on it that is large enough to make this lose, 125 standbys, would let anybody burn the stakes of honest " +
      "nodes with an input on which machines fail, at no cost but gas, since such a task is refunded. The gain " +
      "is what an honest backup earns, out of what the payer agreed to; a payer whose task fails has all of it back " +
      "and has paid no standby, and it may ask for more backups, of different owners where there are some",
  ],
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
      "does post, half its bond outweighs the bill of the largest task, but no longer bill and standby together",
  ],
]);
