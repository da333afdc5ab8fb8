/**
 * A word for every value of every enumeration in the subgraph's schema. A value that is newer than this dApp is shown
 * under its own name, never as nothing.
 */
const enumWords = {
  TaskStatus: {
    Posted: "Posted",
    Assigned: "Assigned",
    Accepted: "Running",
    Settled: "Settled",
    Refunded: "Refunded",
    Cancelled: "Cancelled",
    Demanded: "Output demanded",
    Delivered: "Output delivered",
    Forfeited: "Bill forfeited",
  },
  BillState: {
    Standing: "Stands",
    Demanded: "Waits for the output",
    Delivered: "Stands, delivered",
    Forfeited: "Forfeited",
  },
  DemandStatus: { Open: "Keepers are asked", Delivered: "Delivered", Forfeited: "Forfeited" },
  RefundReason: { Expired: "Its time passed", Failed: "The attempts failed", Cancelled: "Taken back by its payer" },
  ReceiptStatus: {
    Succeeded: "Succeeded",
    InputRefused: "Input refused",
    ModelFailed: "Model failed",
    RunnerCrashed: "Runner crashed",
    TimedOut: "Timed out",
  },
  TaskEventKind: {
    Posted: "Posted",
    Assigned: "Assigned",
    Accepted: "Accepted",
    AttemptFailed: "Attempt failed",
    Settled: "Settled",
    Refunded: "Refunded",
    Cancelled: "Cancelled",
    StandbyPaid: "Standby paid",
    Demanded: "Output demanded",
    Attested: "Output attested",
    Delivered: "Output delivered",
    Forfeited: "Bill forfeited",
  },
  StakeEventKind: {
    Deposited: "Staked",
    ExitBegun: "Exit begun",
    ExitCancelled: "Exit cancelled",
    Withdrawn: "Withdrawn",
    LockShort: "Fee locked less than it should",
    Slashed: "Slashed",
    SlashReversed: "Slash reversed, given back",
  },
  SlashStatus: { Held: "Held, can be appealed", Finished: "Paid out and burned", Reversed: "Reversed, given back" },
  AccountEventKind: { Deposited: "Paid in", Withdrawn: "Withdrawn", CreditPaid: "Credit paid out" },
  PostedDrawState: { Standing: "Stands", Overturned: "Proved wrong" },
  FaultKind: {
    Silence: "Did not answer",
    MissedTask: "Missed a task",
    Conflict: "Two receipts for one attempt",
    Overlap: "Receipts that overlap in time",
    WrongResult: "Wrong result",
  },
  ChallengeStatus: { Open: "Open", Answered: "Answered", Silent: "Not answered", Excused: "Excused" },
  DeterminismClass: {
    None: "Not comparable",
    Exact: "Byte for byte",
    Tolerance: "Within a tolerance",
    TopK: "Same top ranks",
  },
  DisputeStage: {
    Opened: "Opened",
    Drawing: "Judges are drawn",
    Wrapping: "Keys go to the judges",
    Committing: "Judges decide",
    Ruled: "Ruled, can be appealed",
    Arbitrating: "Under appeal",
    Closed: "Closed",
  },
  DisputeOutcome: { NodeLoses: "Against the node", OpenerLoses: "For the node", Lapsed: "Lapsed without a ruling" },
  SessionStatus: { Open: "Open", Closed: "Closed", Finished: "Finished" },
  LaneRole: { Primary: "Primary", Backup: "Backup" },
  LaneStatus: { Active: "Active", Releasing: "Released", Reclaimed: "Reclaimed" },
  SessionBillKind: { Execution: "Execution", Standby: "Standby" },
  SessionEventKind: {
    Opened: "Opened",
    ToppedUp: "Topped up",
    SignerReplaced: "Signer replaced",
    Assigned: "Lane assigned",
    Released: "Lane released",
    Settled: "Voucher settled",
    VoucherRefused: "Voucher refused",
    OwedCollected: "Debt collected",
    FloorClaimed: "Uncovered receipts claimed",
    FloorBurned: "Claim burned",
    FloorClaimEnded: "Claim ended",
    LaneReclaimed: "Lane reclaimed",
    Closed: "Closed",
    Finished: "Finished",
  },
} as const satisfies Record<string, Record<string, string>>;

export type EnumName = keyof typeof enumWords;
export type ValueOf<Name extends EnumName> = Extract<keyof (typeof enumWords)[Name], string>;

export const enumNames = Object.keys(enumWords) as EnumName[];

export function wordOf<Name extends EnumName>(name: Name, value: ValueOf<Name>): string {
  const words: Partial<Record<string, string>> = enumWords[name];
  return words[value] ?? value;
}
