/**
 * The words of a task and the digest that the chain keeps of them (docs/PROTOCOL.md), equal to
 * contracts/libraries/TaskDigest.sol. Whoever reads words in events checks them against `stateOf(taskId).digest`.
 */
import { encodeAbiParameters, keccak256, parseAbiParameters, sliceHex, zeroAddress, type Address, type Hex } from "viem";

/** What a post froze; all of it is in TaskPosted. Times are chain time in seconds. */
export interface TaskTerms {
  readonly payer: Address;
  readonly postedAt: number;
  readonly deadline: number;
  readonly backups: number;
  readonly workCums: bigint;
  readonly priceUsd6PerGcums: bigint;
  readonly stakeWeiPerUsd6: bigint;
  /** See `contentHashOf` in ids.ts. */
  readonly contentHash: Hex;
}

/** A node's place in an assignment, with its power frozen. */
export interface Seat {
  readonly nodeId: number;
  readonly powerCu: number;
}

/** Who assigned, and who serves in which order; all of it is in TaskAssigned. */
export interface Assigned {
  readonly assigner: Address;
  readonly seats: readonly Seat[];
}

/** What a settlement fixed; all of it is in TaskSettled and in the receipt. */
export interface Settlement {
  readonly nodeId: number;
  readonly payout: Address;
  readonly amountUsd6: bigint;
  /** EIP-712 struct hash of the receipt. */
  readonly receiptHash: Hex;
  readonly outputCiphertext: Hex;
}

/** Words about an assignment of a task that was not assigned. */
export const unassigned: Assigned = { assigner: zeroAddress, seats: [] };

const joinParameters = parseAbiParameters("bytes32 termsHash, bytes32 wordsHash");
const termsParameters = parseAbiParameters([
  "TaskTerms terms",
  "struct TaskTerms { address payer; uint40 postedAt; uint40 deadline; uint8 backups; uint64 workCums; uint64 priceUsd6PerGcums; uint64 stakeWeiPerUsd6; bytes32 contentHash; }",
]);
const assignedParameters = parseAbiParameters([
  "Assigned assigned",
  "struct Assigned { address assigner; Seat[] seats; }",
  "struct Seat { uint32 nodeId; uint32 powerCu; }",
]);
const settlementParameters = parseAbiParameters([
  "Settlement settlement",
  "struct Settlement { uint32 nodeId; address payout; uint64 amountUsd6; bytes32 receiptHash; bytes32 outputCiphertext; }",
]);

/** Digest of a task that is Posted or Cancelled, or Refunded without ever having been assigned. */
export function termsDigest(terms: TaskTerms): Hex {
  return shorten(termsHash(terms));
}

/** Digest of a task that is Assigned or Accepted, or Refunded from there. */
export function assignedDigest(terms: TaskTerms, assigned: Assigned): Hex {
  return join(terms, keccak256(encodeAbiParameters(assignedParameters, [assigned])));
}

/** Digest of a task that is Settled, Demanded, Delivered or Forfeited. */
export function settlementDigest(terms: TaskTerms, settlement: Settlement): Hex {
  return join(terms, keccak256(encodeAbiParameters(settlementParameters, [settlement])));
}

function termsHash(terms: TaskTerms): Hex {
  return keccak256(encodeAbiParameters(termsParameters, [terms]));
}

function join(terms: TaskTerms, wordsHash: Hex): Hex {
  return shorten(keccak256(encodeAbiParameters(joinParameters, [termsHash(terms), wordsHash])));
}

/** The slot has room for 23 bytes. */
function shorten(hash: Hex): Hex {
  return sliceHex(hash, 0, 23);
}
