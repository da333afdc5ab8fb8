/**
 * What a refused call means: somebody else did it already (benign), or the world is not as the plan assumed (refused).
 */
import { revertOf } from "../chain/revertOf.ts";
import type { SessionAction } from "../session/sessionAction.ts";
import type { UpkeepAction } from "../upkeep/upkeepAction.ts";
import type { Action } from "./action.ts";

export type ChainAction = Exclude<Action, { kind: "dispatch" }>;
type Kind = ChainAction["kind"] | SessionAction["kind"] | UpkeepAction["kind"];

export interface Revert {
  /** Name of the contract's error; empty when it gave none. */
  name: string;
  isBenign: boolean;
}

const benign: Record<Kind, ReadonlySet<string>> = {
  // Words were true when the act was planned: if they are not any more, somebody else has moved the task on.
  assign: new Set([
    ...["TaskAssignmentStanding", "TaskWrongStatus", "TaskTooManyAssignments", "TaskPastDeadline"],
    "TaskWordsMismatch",
  ]),
  accept: new Set(["TaskWrongStatus", "TaskAssignmentStale", "TaskPastDeadline", "TaskWordsMismatch"]),
  settle: new Set(["TaskWrongStatus", "TaskAssignmentStale", "TaskWordsMismatch"]),
  fail: new Set(["TaskWrongStatus", "TaskAssignmentStale", "TaskReceiptStatusInvalid", "TaskWordsMismatch"]),
  expire: new Set(["TaskWrongStatus", "TaskWordsMismatch"]),
  attest: new Set(["TaskWrongStatus", "TaskDemandWindow", "TaskAttesterInvalid"]),
  closeDemand: new Set(["TaskWrongStatus"]),
  assignReplica: new Set(["SessionNotOpen", "SessionReplicasFull", "SessionAllotmentLower", "SessionInsufficientFree"]),
  releaseReplica: new Set(["SessionNotOpen", "SessionLaneWrongState"]),
  settleSessions: new Set(),
  claimFloor: new Set(["SessionFloorClaimed", "SessionWindowOver", "SessionLaneWrongState"]),
  burnFloor: new Set(["SessionClaimNotBurnable"]),
  reclaimLane: new Set(["SessionLaneWrongState", "SessionLaneNotReclaimable"]),
  finishSession: new Set(["SessionNotOpen", "SessionStillSettling", "SessionLanesLeft"]),
  advance: new Set(["SelectionPhaseNotOver"]),
  openWithoutSeed: new Set(["SelectionNotUpdating", "SelectionPhaseNotOver"]),
  applyQueued: new Set(["SelectionNotUpdating"]),
  refreshWeight: new Set(),
  refreshRate: new Set(),
  answerLiveness: new Set(["AvailabilityChallengeNotOpen", "AvailabilityReplyLate"]),
  challengeLiveness: new Set(["AvailabilityChallengedBefore", "AvailabilityNodeNotActive"]),
  performUpkeep: new Set(),
  // It was a miss when the report was planned: if it is none any more, somebody else has reported it.
  reportMissedTask: new Set(["AvailabilityNoMiss"]),
  finishSlash: new Set(["SlashNotHeld"]),
  payBondCredit: new Set(["BondNoCredit"]),
  withdrawCredit: new Set(["BondNoCredit"]),
  payStakeCredit: new Set(["StakeZeroAmount"]),
  setQuality: new Set(),
};

/** undefined when the call was not refused by a contract, such as when the RPC did not answer. */
export function classifyRevert(kind: Kind, error: unknown): Revert | undefined {
  const revert = revertOf(error);
  if (revert === undefined) return undefined;
  const name = revert.data?.errorName ?? "";
  return { name, isBenign: benign[kind].has(name) };
}
