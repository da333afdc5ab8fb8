/** The part of contractErrors.ts that is about faults: liveness, missed tasks, conflicting receipts and disputes. */
import type { ContractErrorEntry } from "./contractErrors.ts";

const setUp: ContractErrorEntry = {
  meaning: "The contracts are not set up as this program expects.",
  remedy: "Check that the configured chain is the right one.",
};
const refused = "Nothing was changed; nothing needs to be done.";
const lookAgain = "Look at where it stands now.";

export const faultErrors = {
  AvailabilityBatchTooLong: {
    meaning: "{items:number} items are more than the {maximum:number} that one call may carry.",
    remedy: "Send them in several calls.",
  },
  AvailabilityBlockUnknown: {
    meaning: "The answer names block {blockNumber:number}, which is older than the challenge or not known any more.",
    remedy: "Sign the answer over the newest block.",
  },
  AvailabilityBondTooSmall: {
    meaning: "The bond of {bondWei:number} wei does not pay for the answer; {requiredWei:number} wei do.",
    remedy: "Send the larger bond.",
  },
  AvailabilityChallengeNotOpen: { meaning: "No such challenge is open.", remedy: refused },
  AvailabilityChallengedBefore: {
    meaning: "{nodeId:node} was challenged in this epoch before.",
    remedy: "Wait for the next epoch.",
  },
  AvailabilityNoMiss: {
    meaning: "{nodeId:node} did not miss this task, or it was reported before or too late.",
    remedy: refused,
  },
  AvailabilityNodeNotActive: {
    meaning: "{nodeId:node} is not staked, is leaving, paused or suspended, so it owes no answer.",
    remedy: refused,
  },
  AvailabilityNotAppealable: {
    meaning: "There is no such fault, it was taken back before, or the time to appeal has passed.",
    remedy: refused,
  },
  AvailabilityNotDue: {
    meaning: "The node may still answer, or others of the same window may.",
    remedy: "Close the challenge from {closableAt:time} on.",
  },
  AvailabilityReplyLate: { meaning: "The time to answer ended on {replyBy:time}.", remedy: refused },
  AvailabilitySignerInvalid: {
    meaning: "The answer was not signed by the key that {nodeId:node} uses now.",
    remedy: "Sign with the operator key of now.",
  },
  AvailabilityTermsInvalid: setUp,
  BondNoCredit: { meaning: "The account {account:account} has no credit.", remedy: refused },
  BondPaymentFailed: {
    meaning: "The account {account:account} does not take coins; its credit stays.",
    remedy: "Make the account able to receive coins.",
  },
  CommitteeZeroAddress: setUp,
  CreReceiverForeignWorkflow: { meaning: "The report is of another workflow or owner.", remedy: refused },
  CreReceiverInvalid: setUp,
  CreReceiverMetadataInvalid: { meaning: "The report's metadata has the wrong length.", remedy: refused },
  CreReceiverNotForwarder: { meaning: "Only the forwarder delivers reports.", remedy: refused },
  DisputeAnchorInvalid: { meaning: "These receipts were anchored before.", remedy: refused },
  DisputeBondWrong: {
    meaning: "The bond is {bondWei:number} wei; {requiredWei:number} wei are asked for.",
    remedy: "Send exactly that.",
  },
  DisputeDrawTooEarly: {
    meaning: "The committee is drawn by block {drawBlock:number}, which is not there yet.",
    remedy: "Try again after that block.",
  },
  DisputeKnown: { meaning: "This was disputed or punished before.", remedy: lookAgain },
  DisputeNotComparable: {
    meaning: "Nobody has said how results of this model compare, so they cannot be disputed.",
    remedy: refused,
  },
  DisputeNotOpener: {
    meaning: "The account {caller:account} is not the one that may do this.",
    remedy: "Use the payer's account, or a keeper's for a sampled task.",
  },
  DisputeNotSampled: { meaning: "The seed of that epoch does not sample this task.", remedy: refused },
  DisputeNothingDue: { meaning: "Nothing is due yet.", remedy: "Try again after {deadline:time}." },
  DisputePreimageWrong: {
    meaning: "What was revealed is not what was committed to.",
    remedy: "Reveal the salt and the hash of the commitment.",
  },
  DisputeReceiptInvalid: {
    meaning: "The receipt bills nothing or does not belong to a settled task.",
    remedy: refused,
  },
  DisputeStakeTooSmall: {
    meaning: "{nodeId:node} has {slashableWei:ngpu} at stake; a dispute needs {minimumWei:ngpu}.",
    remedy: refused,
  },
  DisputeTermsInvalid: setUp,
  DisputeTooLate: { meaning: "It could be disputed until {openableUntil:time}.", remedy: refused },
  DisputeVoteInvalid: {
    meaning: "The account {judge:account} does not sit here, has voted, or reveals something else than it committed.",
    remedy: lookAgain,
  },
  DisputeWrongStage: { meaning: "The dispute is at another stage by now.", remedy: lookAgain },
  EvidenceCommittedBefore: { meaning: "This commitment exists.", remedy: "Choose another salt." },
  PenaltyGasTooLow: {
    meaning: "The call carries too little gas: the penalty alone may need {neededGas:number}.",
    remedy: "Send it with more gas.",
  },
  PriceGasTooLow: {
    meaning: "The call carries too little gas to ask the price feed.",
    remedy: "Send it with more gas.",
  },
  ReceiptFaultKnown: { meaning: "This fault was punished before.", remedy: refused },
  ReceiptFaultUnpunished: {
    meaning: "Nothing can be taken of the node now: a limit is reached, or it has no stake.",
    remedy: "Bring the proof again tomorrow.",
  },
  ReceiptSignerInvalid: {
    meaning: "The receipt was not signed by a key of {nodeId:node}, which it names.",
    remedy: refused,
  },
  ReceiptsNoFault: { meaning: "The two receipts do not contradict each other.", remedy: refused },
  SequencerDown: {
    meaning: "The chain has not been running for long enough to trust its prices.",
    remedy: "Post again a little later.",
  },
} as const satisfies Record<string, ContractErrorEntry>;
