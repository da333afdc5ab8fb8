/**
 * What every error of every contract means to the person who meets it, and what to do. A figure of the error stands
 * as `{name:kind}`, named as in the ABI; the kinds are those of explainContractError.ts. A test holds the table
 * complete against the generated ABI, and docs/ERRORS.md is made of it.
 */
import { faultErrors } from "./faultErrors.ts";

export interface ContractErrorEntry {
  /** What happened, in plain words. */
  meaning: string;
  /** What to do. */
  remedy: string;
}

/** The same for all of them: a reverted call moves no money. */
export const contractErrorCost = "No money was moved. If a transaction was sent, its gas is spent.";

const policy: ContractErrorEntry = {
  meaning: "This belongs to the operators of the contracts; the account has no right to it.",
  remedy: "Use an account that has the right, or leave it.",
};
const wiring: ContractErrorEntry = {
  meaning: "The contracts are not set up as this program expects.",
  remedy: "Check that the configured chain is the right one.",
};
const token: ContractErrorEntry = {
  meaning: "The token refused the transfer.",
  remedy: "Check the balance and try again.",
};
const refused = "Nothing was changed; nothing needs to be done.";
const signAgain = "Sign it again.";
const reload = "Look at where the task stands now.";

export const contractErrors = {
  AccessManagedInvalidAuthority: wiring,
  AccessManagedRequiredDelay: policy,
  AccessManagedUnauthorized: {
    meaning: "The account {caller:account} has no right to do this.",
    remedy: policy.remedy,
  },
  AccessManagerAlreadyScheduled: policy,
  AccessManagerBadConfirmation: policy,
  AccessManagerExpired: policy,
  AccessManagerInvalidInitialAdmin: wiring,
  AccessManagerLockedFunction: policy,
  AccessManagerLockedRole: policy,
  AccessManagerNotReady: policy,
  AccessManagerNotScheduled: policy,
  AccessManagerUnauthorizedAccount: policy,
  AccessManagerUnauthorizedCall: policy,
  AccessManagerUnauthorizedCancel: policy,
  AccessManagerUnauthorizedConsume: policy,
  AddressEmptyCode: wiring,
  ECDSAInvalidSignature: { meaning: "The signature is not valid.", remedy: signAgain },
  ECDSAInvalidSignatureLength: {
    meaning: "The signature has the wrong length.",
    remedy: "Sign again with a wallet that makes 65-byte signatures.",
  },
  ECDSAInvalidSignatureS: { meaning: "The signature is not in its canonical form.", remedy: signAgain },
  ERC20InsufficientAllowance: {
    meaning: "The permit covers {allowance:number} of {needed:number} base units of the token.",
    remedy: "Sign the permit again.",
  },
  ERC20InsufficientBalance: {
    meaning: "The wallet holds {balance:number} of the {needed:number} base units of the token that this needs.",
    remedy: "Add the rest, then try again.",
  },
  ERC20InvalidApprover: token,
  ERC20InvalidReceiver: token,
  ERC20InvalidSender: token,
  ERC20InvalidSpender: token,
  ERC2612ExpiredSignature: { meaning: "The permit expired on {deadline:time}.", remedy: signAgain },
  ERC2612InvalidSigner: {
    meaning: "The permit was signed by another account than {owner:account}, or for another chain or amount.",
    remedy: "Connect that account and sign it again.",
  },
  ExitNotBegun: {
    meaning: "Nothing of {nodeId:node} is leaving, so there is nothing to withdraw or cancel.",
    remedy: "Begin an exit first.",
  },
  ExitPending: {
    meaning: "{nodeId:node} has as many exits under way as it may; the first ends on {unlockAt:time}.",
    remedy: "Withdraw or cancel them first.",
  },
  ExitStillThawing: {
    meaning: "The stake of {nodeId:node} is still thawing.",
    remedy: "Withdraw it from {unlockAt:time} on, or cancel the exit.",
  },
  FailedCall: {
    meaning: "A call inside the transaction failed.",
    remedy: "Try again; if it lasts, the contracts are not set up correctly.",
  },
  FaucetCoolingDown: {
    meaning: "This account was served lately.",
    remedy: "Ask the faucet again from {availableAt:time} on.",
  },
  FeedInvalid: {
    meaning: "The price feed gave an impossible answer, so no price can be quoted. Open tasks are not touched.",
    remedy: "Try again later.",
  },
  QuotesPaused: {
    meaning: "New quotes are stopped for now. What is open goes on.",
    remedy: "Try again later.",
  },
  FeedStale: {
    meaning:
      "The price feed has not answered since {updatedAt:time}, so no price can be quoted. Open tasks are not touched.",
    remedy: "Try again in a few minutes.",
  },
  InsufficientBalance: { meaning: "The account holds less than this needs.", remedy: "Add some, then try again." },
  InvalidAccountNonce: { meaning: "The permit was used or replaced meanwhile.", remedy: signAgain },
  InvalidShortString: wiring,
  LocalChainOnly: {
    meaning: "This contract exists on the local chain only.",
    remedy: "Use the real token or feed of this chain.",
  },
  NoSuchRound: { meaning: "The price feed has no such answer.", remedy: "Ask for a round that it has." },
  GuardAdminRole: policy,
  GuardNotGuardian: {
    meaning: "Only a guardian, or the holder of a role itself, may end it; {caller:account} is neither.",
    remedy: "Ask a guardian.",
  },
  NodeClassInvalid: {
    meaning: "A hardware class needs a power and a stake above zero.",
    remedy: "Correct the class and try again.",
  },
  NodeClassUnavailable: {
    meaning: "The hardware class {classId:number} takes no new nodes.",
    remedy: "Choose another one.",
  },
  NodeNotOwner: {
    meaning: "Only the owner of {nodeId:node} may do this.",
    remedy: "Connect the account that registered it.",
  },
  NodeUnknown: { meaning: "There is no {nodeId:node}.", remedy: "Check the number of the node." },
  NodeZeroAddress: { meaning: "An address is missing.", remedy: "Fill it in and try again." },
  OperatorBindingInvalid: {
    meaning: "The registration code is not valid for {owner:account}, or it has expired.",
    remedy: "Start the agent with that account as NGPU_OWNER and copy its new code.",
  },
  OperatorTaken: {
    meaning: "This operator key belongs to {nodeId:node}.",
    remedy: "Give every machine a key of its own.",
  },
  OwnableInvalidOwner: policy,
  OwnableUnauthorizedAccount: policy,
  PaymentCreditImmature: {
    meaning: "What {account:account} earned can still be contested by its payers.",
    remedy: "Pay it out from {until:time} on.",
  },
  PaymentInsufficient: {
    meaning: "The balance has {availableUsd6:usd} available; this asks for {askedUsd6:usd}.",
    remedy: "Choose a smaller amount, or deposit the difference.",
  },
  PaymentMaturityOutOfBounds: wiring,
  PaymentNotRail: policy,
  PaymentRailsFixed: policy,
  PaymentTokenShort: {
    meaning: "The token delivered {receivedUsd6:usd} where {expectedUsd6:usd} were asked for.",
    remedy: "This payment token takes a fee and cannot be used here.",
  },
  PaymentZeroAddress: { meaning: "An address is missing.", remedy: "Fill it in and try again." },
  PaymentZeroAmount: { meaning: "The amount is zero.", remedy: "Enter an amount above zero." },
  PriceOutOfBounds: {
    meaning: "The price {priceUsd6PerGcums:usd} lies outside {minimum:usd} to {maximum:usd}, fixed at deployment.",
    remedy: "Choose a price within these bounds.",
  },
  ReentrancyGuardReentrantCall: {
    meaning: "The call came back into the contract while it was running.",
    remedy: "Call it from a plain account.",
  },
  RegistryStakeVaultFixed: policy,
  SafeCastOverflowedUintDowncast: {
    meaning: "A number is larger than the contract can hold.",
    remedy: "Use a smaller one.",
  },
  SafeERC20FailedOperation: token,
  StakeInsufficient: {
    meaning: "{activeWei:ngpu} of {nodeId:node} are active; {askedWei:ngpu} were asked for.",
    remedy: "Choose a smaller amount.",
  },
  StakeNotOwner: {
    meaning: "Only the owner of {nodeId:node} may move its stake.",
    remedy: "Connect the account that registered it.",
  },
  StakeTokenShort: {
    meaning: "The stake token delivered {receivedWei:ngpu} where {expectedWei:ngpu} were asked for.",
    remedy: "This stake token takes a fee and cannot be used here.",
  },
  StakeZeroAddress: wiring,
  StakeZeroAmount: { meaning: "The amount is zero.", remedy: "Enter an amount above zero." },
  StringTooLong: wiring,
  TaskAssignmentStale: {
    meaning: "The message is about assignment {assignment:number}; the standing one is {standing:number}.",
    remedy: refused,
  },
  TaskAssignmentStanding: {
    meaning: "The assigned nodes have time until {until:time}, or have accepted.",
    remedy: "Wait until then.",
  },
  TaskAttesterInvalid: {
    meaning: "{caller:account} is no bonded keeper, or has attested this output before.",
    remedy: "Attest with the account of a bonded keeper.",
  },
  TaskContentMismatch: { meaning: "Model or input are not those that were posted.", remedy: refused },
  TaskDeadlineOutOfRange: {
    meaning: "The deadline must lie between {earliest:time} and {latest:time}.",
    remedy: "Choose another one and post again.",
  },
  TaskDemandWindow: {
    meaning: "Keepers can attest the output until {until:time}; from then on the demand can be closed.",
    remedy: reload,
  },
  TaskDurationAboveCap: {
    meaning: "The receipt says {durationMs:number} ms; at most {capMs:number} ms can be billed.",
    remedy: "The receipt was refused; nobody pays for it.",
  },
  TaskExists: { meaning: "This task was posted before.", remedy: "Open it under Tasks." },
  TaskInvalidPost: {
    meaning: "The post lacks a model, an input, a key or its work.",
    remedy: "Prepare the task again and post it.",
  },
  TaskInvalidSeats: {
    meaning: "{nodes:number} nodes were named; the task needs another number of them, or one is named twice.",
    remedy: "Name as many different nodes as the task asked for.",
  },
  TaskKeeperWindow: { meaning: "Only keepers may assign until {openToAll:time}.", remedy: "Wait until then." },
  TaskNodeNotAssigned: { meaning: "{nodeId:node} is not assigned to this task.", remedy: refused },
  TaskNodeNotEligible: {
    meaning: "{nodeId:node} is not staked, is leaving or is paused.",
    remedy: "Choose another node, or stake for it.",
  },
  TaskTooLargeForNode: {
    meaning:
      "The task is too large for {nodeId:node}: its power cannot do the work before the deadline, or its stake is " +
      "worth too little for what the task may cost.",
    remedy: "Choose a node with more power or stake, or post with a later deadline.",
  },
  TaskNotExpired: {
    meaning: "The task may still be finished.",
    remedy: "Take it back from {expirableAt:time} on, if it has not ended by then.",
  },
  TaskNotPayer: {
    meaning: "Only the account that posted the task may do this.",
    remedy: "Connect that account.",
  },
  TaskPastDeadline: {
    meaning: "The deadline passed on {deadline:time}.",
    remedy: "Take the escrow back; anyone may.",
  },
  TaskPayerWindowOver: {
    meaning: "An output can be demanded until {until:time}.",
    remedy: "The bill stands. A wrong result can still be disputed.",
  },
  TaskPowerMismatch: {
    meaning: "The receipt names {powerCu:number} CU, the assignment froze {frozenPowerCu:number} CU.",
    remedy: "The receipt was refused; nobody pays for it.",
  },
  TaskPriceAboveMax: {
    meaning:
      "The price rose to {priceUsd6PerGcums:usd} per 10⁹ CU·ms; at most {maxPriceUsd6PerGcums:usd} were agreed to.",
    remedy: "Look at the new quote and post again.",
  },
  TaskReceiptStatusInvalid: {
    meaning: "This node has reported its failure before, or its report is not valid.",
    remedy: refused,
  },
  TaskSignerInvalid: {
    meaning: "The message was not signed by {nodeId:node}, which it names.",
    remedy: "It was refused; nothing was changed.",
  },
  TaskTooManyAssignments: {
    meaning: "The task was assigned too often without an answer.",
    remedy: "Wait: everything comes back to the payer at the deadline.",
  },
  TaskWindowsInvalid: wiring,
  TaskWordsMismatch: {
    meaning: "The terms, the assignment or the settlement that were brought are not the task's.",
    remedy: "Read them again from the chain's events.",
  },
  TaskWrongStatus: {
    meaning: "The task is {status:status} by now, so this cannot be done any more.",
    remedy: reload,
  },
  TaskZeroAddress: wiring,
  ThawPeriodOutOfBounds: wiring,
  SlashFinal: {
    meaning: "The appeal window of slash {slashId:number} ended on {payableAt:time}.",
    remedy: "It stands; nothing can be changed.",
  },
  SlashNotHeld: {
    meaning: "Slash {slashId:number} was paid out or reversed, or never existed.",
    remedy: refused,
  },
  SlashNotPayable: {
    meaning: "Slash {slashId:number} can still be appealed.",
    remedy: "Finish it from {payableAt:time} on.",
  },
  StakeNotRail: policy,
  StakeRailsFixed: policy,
  StakeRoleMissing: {
    meaning: "The account {caller:account} has no right to do this.",
    remedy: policy.remedy,
  },
  StakeStillLocked: {
    meaning: "{freeWei:ngpu} of {nodeId:node} are free; {askedWei:ngpu} were asked for. Recent fees lock the rest.",
    remedy: "Choose a smaller amount, or wait until the dispute windows of its latest fees have ended.",
  },
  StakeWindowsOutOfBounds: wiring,
  AuthorizationNotReceiver: {
    meaning: "Only the receiver {to:account} may submit this authorisation.",
    remedy: "Submit it through the contract that it names.",
  },
  AuthorizationOutOfTime: {
    meaning: "The authorisation counts between {validAfter:time} and {validBefore:time} only.",
    remedy: signAgain,
  },
  AuthorizationSignerInvalid: {
    meaning: "The authorisation was signed by another account than {authorizer:account}, or for another amount.",
    remedy: signAgain,
  },
  AuthorizationSpent: { meaning: "The authorisation was used or cancelled before.", remedy: signAgain },
  PaymentHeldInsufficient: {
    meaning: "The rail holds {heldUsd6:usd}; this asks for {askedUsd6:usd}.",
    remedy: refused,
  },
  PaymentKeyCapExceeded: {
    meaning: "The key {key:account} may still commit {capUsd6:usd}; this asks for {askedUsd6:usd}.",
    remedy: "Choose a smaller amount, or let the payer raise the key's cap.",
  },
  PaymentKeyInvalid: {
    meaning: "{payer:account} has not authorised the key {key:account}, or it has expired or was revoked.",
    remedy: "Let the payer authorise it.",
  },
  PaymentNoObligation: policy,
  PaymentThawOutOfBounds: wiring,
  PaymentWithdrawalNotBegun: {
    meaning: "No withdrawal of {account:account} is under way.",
    remedy: "Begin one first.",
  },
  PaymentWithdrawalPending: {
    meaning: "A withdrawal of {account:account} is under way until {unlockAt:time}.",
    remedy: "Finish or cancel it first.",
  },
  PaymentWithdrawalStillThawing: {
    meaning: "The withdrawal of {account:account} is still thawing.",
    remedy: "Finish it from {unlockAt:time} on, or cancel it.",
  },
  PaymentWithdrawalThaws: {
    meaning: "Sessions of {account:account} are open: {obligations:number}. Money leaves after a thaw then.",
    remedy: "Begin a withdrawal and finish it once it has thawed.",
  },
  SessionAllotmentLower: {
    meaning: "The lane is allotted {allotmentUsd6:usd}; {askedUsd6:usd} would be less.",
    remedy: "Release the lane to get back what it does not spend.",
  },
  SessionClaimInvalid: {
    meaning: "The claim needs 1 to 64 receipts, a signature for each, and an amount above zero.",
    remedy: "Show the receipts that follow the last voucher.",
  },
  SessionClaimNotBurnable: {
    meaning: "No claim of {nodeId:node} burns now; one would between {burnableAt:time} and {lapsesAt:time}.",
    remedy: refused,
  },
  SessionExists: { meaning: "This session was opened before.", remedy: "Open one under a new nonce." },
  SessionExpiryOutOfRange: {
    meaning: "The expiry must lie between {earliest:time} and {latest:time}.",
    remedy: "Choose another one.",
  },
  SessionFloorClaimed: {
    meaning: "{nodeId:node} has claimed the floor of this lane before, once until {until:time}.",
    remedy: refused,
  },
  SessionInsufficientFree: {
    meaning: "The session has {freeUsd6:usd} left to allot; this asks for {askedUsd6:usd}.",
    remedy: "Choose a smaller allotment, or top the session up.",
  },
  SessionInvalidOpen: {
    meaning: "The session lacks a model, a signer, a spend cap or a sensible number of replicas.",
    remedy: "Fill it in and open it again.",
  },
  SessionLaneNotReclaimable: {
    meaning: "Vouchers of {nodeId:node} may still be settled.",
    remedy: "Reclaim the lane from {reclaimableAt:time} on.",
  },
  SessionLaneWrongState: {
    meaning: "The lane of {nodeId:node} is not there, or not in a state that allows this.",
    remedy: "Look at where the lane stands now.",
  },
  SessionLanesLeft: {
    meaning: "Lanes of the session that hold money: {lanes:number}.",
    remedy: "Reclaim them first; anyone may.",
  },
  SessionNodeNotEligible: {
    meaning: "{nodeId:node} is not staked, is leaving or is paused.",
    remedy: "Choose another node, or stake for it.",
  },
  SessionNotAllowed: {
    meaning: "The account {caller:account} may not do this in this session.",
    remedy: "Connect the payer, or a key that it authorised.",
  },
  SessionNotOpen: {
    meaning: "The session is not there, has closed or is finished.",
    remedy: "Open another one.",
  },
  SessionNothingOwed: {
    meaning: "{nodeId:node} is owed nothing in this session that could be collected now.",
    remedy: refused,
  },
  SessionParameterInvalid: wiring,
  SessionPriceAboveMax: {
    meaning:
      "The price rose to {priceUsd6PerGcums:usd} per 10⁹ CU·ms; at most {maxPriceUsd6PerGcums:usd} were agreed to.",
    remedy: "Look at the new price and open again.",
  },
  SessionReceiptInvalid: {
    meaning: "Receipt {index:number} does not follow the lane's last record, or the node did not sign it.",
    remedy: "Show the receipts in order, each as it was signed.",
  },
  SessionReplicasFull: {
    meaning: "The session has as many nodes as the payer wants: {maxReplicas:number}.",
    remedy: "Release one first.",
  },
  SessionSignerThawing: {
    meaning: "The signer was replaced lately; the former one's vouchers count until {formerUntil:time}.",
    remedy: "Replace it again after that.",
  },
  SessionStillSettling: {
    meaning: "Vouchers of the session may be settled until {settleUntil:time}.",
    remedy: "Finish it after that; anyone may.",
  },
  SessionWindowOver: {
    meaning: "The session's settle window ended on {settleUntil:time}.",
    remedy: refused,
  },
  SessionZeroAddress: { meaning: "An address is missing.", remedy: "Fill it in and try again." },
  SessionZeroAmount: { meaning: "The amount is zero.", remedy: "Enter an amount above zero." },
  AssignmentChallengeOver: {
    meaning: "The posted draw could be challenged until {until:time}.",
    remedy: refused,
  },
  AssignmentNodesInvalid: {
    meaning:
      "A posted draw names 1 to 16 nodes and ends with one that was not passed over; this one names {nodes:number}.",
    remedy: "Draw again and post what was drawn.",
  },
  AssignmentNotPostable: {
    meaning: "No draw can be posted now: weights are changing, the epoch ends or it has no seed.",
    remedy: "Wait for the next epoch; the task itself can be assigned without a draw.",
  },
  AssignmentParameterInvalid: wiring,
  AssignmentPostExists: { meaning: "This keeper posted the same draw before.", remedy: refused },
  AssignmentPostUnknown: {
    meaning: "No such draw stands in this epoch: it was not posted so, or it was overturned.",
    remedy: refused,
  },
  AssignmentSkipInvalid: {
    meaning: "The proof for passing over {nodeId:node} does not hold for this task now.",
    remedy: "Get a fresh certificate, or do not pass it over.",
  },
  AssignmentSkipOrder: {
    meaning: "The nodes passed over are not named once each and in the order of the draw.",
    remedy: "Sort them and post again.",
  },
  BondAssignmentIsFixed: policy,
  BondBelowMinimum: {
    meaning: "The bond would be {bondWei:ngpu}; a keeper needs {minimumWei:ngpu}.",
    remedy: "Bond more.",
  },
  BondNotAssignment: policy,
  BondNotKeeper: { meaning: "{account:account} is no bonded keeper.", remedy: "Bond the minimum first." },
  BondNotUnlocked: {
    meaning: "Nothing of this keeper's bond is leaving, or not yet.",
    remedy: "Begin an exit, then withdraw it once its delay is over.",
  },
  BondParameterInvalid: wiring,
  BondShort: {
    meaning: "{freeWei:ngpu} of the bond of {account:account} are free; {askedWei:ngpu} were asked for.",
    remedy: "Wait until posted draws can no longer be challenged, or bond more.",
  },
  BondTokenShort: {
    meaning: "The stake token delivered {receivedWei:ngpu} where {expectedWei:ngpu} were asked for.",
    remedy: "This stake token takes a fee and cannot be used here.",
  },
  BondZeroAmount: { meaning: "The amount is zero.", remedy: "Enter an amount above zero." },
  NodeNotScoreBoard: policy,
  NodeModelInvalid: { meaning: "No model has the id zero.", remedy: "Name the model by its id." },
  NodeTooManyModels: {
    meaning: "{nodeId:node} declares {maximum:number} models, as many as it may.",
    remedy: "Take one back first.",
  },
  OnlyCoordinatorCanFulfill: policy,
  OnlyOwnerOrCoordinator: policy,
  RegistryScoreBoardFixed: policy,
  ScoreKeeperNotDrawn: {
    meaning: "{signer:account} is not a bonded keeper that was drawn to measure {nodeId:node}, or signed twice.",
    remedy: "Submit transcripts of distinct drawn keepers.",
  },
  ScoreNotImproved: {
    meaning: "{nodeId:node} has a score by {transcripts:number} keepers in epoch {epoch:number} already.",
    remedy: "Submit transcripts of more keepers, or wait for the next epoch.",
  },
  ScoreQualityInvalid: {
    meaning: "A quality is at most 10000 basis points; this says {qualityBps:number}.",
    remedy: "Choose a smaller one.",
  },
  ScoreSelectionIsFixed: policy,
  ScoreTranscriptCount: {
    meaning: "A score needs {minimum:number} to {maximum:number} transcripts with one signature each.",
    remedy: "Collect as many and submit again.",
  },
  ScoreTranscriptMismatch: {
    meaning: "A transcript is not about {nodeId:node} in this epoch and under this seed.",
    remedy: "Measure the node in this epoch and sign again.",
  },
  ScoreZero: { meaning: "A transcript says that {nodeId:node} has no power at all.", remedy: refused },
  ScoreZeroParameter: wiring,
  SeedNotRequester: policy,
  SeedRequesterIsFixed: policy,
  SelectionNotDrawable: {
    meaning: "Nothing can be drawn now: weights are changing, or the epoch has no seed.",
    remedy: "Wait for the next epoch; the task itself can be assigned without a draw.",
  },
  SelectionNotUpdating: {
    meaning: "Weights change between epochs alone.",
    remedy: "Wait for the next update.",
  },
  SelectionParameterInvalid: wiring,
  SelectionPhaseNotOver: { meaning: "The phase lasts until {until:time}.", remedy: "Wait until then." },
  ZeroAddress: wiring,
  ...faultErrors,
} as const satisfies Record<string, ContractErrorEntry>;

export type ContractErrorName = keyof typeof contractErrors;

export function isContractErrorName(name: string): name is ContractErrorName {
  return Object.hasOwn(contractErrors, name);
}
