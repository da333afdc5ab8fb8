/**
 * What every error of every contract means to the person who meets it. Each says what happened and what to do; nothing
 * was spent but gas, because a reverted call moves no money. A test holds this table complete against the generated
 * ABI.
 */
import { formatAmount, formatDateTime, shortHash } from "./format.ts";

type Text = (args: readonly unknown[]) => string;

const nodeText = (value: unknown): string => `node ${String(value)}`;
const usd = (value: unknown): string => `${formatAmount({ value: BigInt(String(value)), decimals: 6 }).text} USD`;
const ngpu = (value: unknown): string =>
  `${formatAmount({ value: BigInt(String(value)), decimals: 18, least: 0, most: 4 }).text} NGPU`;
const when = (value: unknown): string => formatDateTime(BigInt(String(value)));
const who = (value: unknown): string => shortHash(String(value));

const policy = "This belongs to the operators of the contracts; your account has no right to it.";
const wiring = "The contracts are not set up as this app expects. Check that the configured chain is the right one.";
const token = "The token refused the transfer. Check your balance and try again.";

export const contractErrorTexts: Readonly<Record<string, Text>> = {
  AccessManagedInvalidAuthority: () => wiring,
  AccessManagedRequiredDelay: () => policy,
  AccessManagedUnauthorized: ([caller]) => `The account ${who(caller)} has no right to do this.`,
  AccessManagerAlreadyScheduled: () => policy,
  AccessManagerBadConfirmation: () => policy,
  AccessManagerExpired: () => policy,
  AccessManagerInvalidInitialAdmin: () => wiring,
  AccessManagerLockedFunction: () => policy,
  AccessManagerLockedRole: () => policy,
  AccessManagerNotReady: () => policy,
  AccessManagerNotScheduled: () => policy,
  AccessManagerUnauthorizedAccount: () => policy,
  AccessManagerUnauthorizedCall: () => policy,
  AccessManagerUnauthorizedCancel: () => policy,
  AccessManagerUnauthorizedConsume: () => policy,
  AddressEmptyCode: () => wiring,
  ECDSAInvalidSignature: () => "The signature is not valid. Sign again.",
  ECDSAInvalidSignatureLength: () =>
    "The signature has the wrong length. Sign again with a wallet that makes 65-byte signatures.",
  ECDSAInvalidSignatureS: () => "The signature is not in its canonical form. Sign again.",
  ERC20InsufficientAllowance: ([, allowance, needed]) =>
    `The permit covers ${String(allowance)} of ${String(needed)} base units. Sign the permit again.`,
  ERC20InsufficientBalance: () => "Your wallet holds less of the token than this needs. Add some, then try again.",
  ERC20InvalidApprover: () => token,
  ERC20InvalidReceiver: () => token,
  ERC20InvalidSender: () => token,
  ERC20InvalidSpender: () => token,
  ERC2612ExpiredSignature: () => "The permit has expired. Sign it again.",
  ERC2612InvalidSigner: () => "The permit was signed by another account than the one that is connected. Sign it again.",
  ExitNotBegun: ([node]) => `Nothing of ${nodeText(node)} is leaving, so there is nothing to withdraw or cancel.`,
  ExitPending: ([node, at]) =>
    `An exit of ${nodeText(node)} is under way until ${when(at)}. Withdraw or cancel it first.`,
  ExitStillThawing: ([node, at]) => `The stake of ${nodeText(node)} is free from ${when(at)} on.`,
  FailedCall: () =>
    "A call inside the transaction failed. Try again; if it lasts, the contracts are not set up correctly.",
  FaucetCoolingDown: ([, at]) => `This account was served lately. The faucet serves it again from ${when(at)} on.`,
  FeedInvalid: () => "The price feed gave an impossible answer, so nothing can be quoted. Open tasks are not touched.",
  FeedStale: () =>
    "The price feed has not answered for too long, so nothing can be quoted. Open tasks are not touched; try again later.",
  InsufficientBalance: () => "The account holds less than this needs.",
  InvalidAccountNonce: () => "The permit was used or replaced meanwhile. Sign it again.",
  InvalidShortString: () => wiring,
  LocalChainOnly: () => "This contract exists on the local chain only.",
  NoSuchRound: () => "The price feed has no such answer.",
  NodeClassInvalid: () => "The hardware class needs a power and a stake above zero.",
  NodeClassUnavailable: ([classId]) => `The hardware class ${String(classId)} takes no new nodes. Choose another one.`,
  NodeNotOwner: ([node]) => `Only the owner of ${nodeText(node)} may do this. Connect the account that registered it.`,
  NodeUnknown: ([node]) => `There is no ${nodeText(node)}.`,
  NodeZeroAddress: () => "An address is missing.",
  OperatorBindingInvalid: () =>
    "The registration code is not valid for this account, or it has expired. Start the agent with your account as NGPU_OWNER and copy its new code.",
  OperatorTaken: ([, node]) => `This operator key belongs to ${nodeText(node)}. Every machine needs a key of its own.`,
  OwnableInvalidOwner: () => policy,
  OwnableUnauthorizedAccount: () => policy,
  PaymentInsufficient: ([, available, asked]) =>
    `Your balance has ${usd(available)} available; this asks for ${usd(asked)}.`,
  PaymentNotRail: () => policy,
  PaymentRailsFixed: () => policy,
  PaymentTokenShort: () => "The token delivered less than it was asked for. This payment token cannot be used here.",
  PaymentZeroAddress: () => "An address is missing.",
  PaymentZeroAmount: () => "The amount is zero. Enter an amount above zero.",
  PriceOutOfBounds: () => "The price is outside the bounds that were fixed at deployment.",
  ReentrancyGuardReentrantCall: () => "The call came back into the contract while it was running. Nothing was changed.",
  RegistryStakeVaultFixed: () => policy,
  SafeCastOverflowedUintDowncast: () => "A number is larger than the contract can hold. Use a smaller one.",
  SafeERC20FailedOperation: () => token,
  StakeInsufficient: ([node, active, asked]) =>
    `${ngpu(active)} of ${nodeText(node)} are active; ${ngpu(asked)} were asked for. Choose a smaller amount.`,
  StakeNotOwner: ([node]) =>
    `Only the owner of ${nodeText(node)} may move its stake. Connect the account that registered it.`,
  StakeTokenShort: () => "The stake token delivered less than it was asked for.",
  StakeZeroAddress: () => wiring,
  StakeZeroAmount: () => "The amount is zero. Enter an amount above zero.",
  StringTooLong: () => wiring,
  TaskAssignmentStale: ([, found, standing]) =>
    `The message is about assignment ${String(found)}; the standing one is ${String(standing)}. Nothing was changed.`,
  TaskAssignmentStanding: ([, until]) => `The assigned nodes have time until ${when(until)}, or have accepted.`,
  TaskContentMismatch: () => "Model or input are not those that were posted. Nothing was changed.",
  TaskDeadlineOutOfRange: ([, earliest, latest]) =>
    `The deadline must lie between ${when(earliest)} and ${when(latest)}. Choose another one and post again.`,
  TaskDurationAboveCap: ([, found, cap]) =>
    `The receipt says ${String(found)} ms; at most ${String(cap)} ms can be billed. It was refused.`,
  TaskExists: () => "This task was posted before. Open it under Tasks.",
  TaskInvalidPair: () => "The two nodes do not fit the task.",
  TaskInvalidPost: () => "The post lacks a model, an input, a key or its work. Reload this page and try again.",
  TaskKeeperWindow: ([, at]) => `Only keepers may assign until ${when(at)}.`,
  TaskNodeNotAssigned: ([, node]) => `Node ${String(node)} is not assigned to this task.`,
  TaskNodeNotEligible: ([node]) => `Node ${String(node)} is not staked, is leaving or is paused.`,
  TaskNotExpired: ([, at]) => `The task can be taken back from ${when(at)} on, if it has not ended by then.`,
  TaskNotPayer: () => "Only the account that posted the task may do this. Connect that account.",
  TaskPastDeadline: ([, deadline]) => `The deadline passed at ${when(deadline)}. The escrow can be taken back now.`,
  TaskPowerMismatch: () => "The receipt names another power than the assignment froze. It was refused.",
  TaskPriceAboveMax: ([price, most]) =>
    `The price rose to ${usd(price)} per 10⁹ CU·ms; you agreed to at most ${usd(most)}. Look at the new quote and post again.`,
  TaskReceiptStatusInvalid: () => "This node has reported its failure before, or its report is not valid.",
  TaskSignerInvalid: () => "The message was not signed by the node it names. It was refused.",
  TaskTooManyAssignments: () =>
    "The task was assigned too often without an answer. It comes back to you at its deadline.",
  TaskWrongStatus: ([, status]) =>
    `The task is ${statusWord(status)} by now, so this cannot be done any more. Reload to see where it stands.`,
  TaskZeroAddress: () => wiring,
  ThawPeriodOutOfBounds: () => wiring,
};

function statusWord(status: unknown): string {
  const words = ["unknown", "posted", "assigned", "accepted", "settled", "refunded", "cancelled"];
  return words[Number(status)] ?? "in another state";
}
