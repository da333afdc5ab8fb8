/** Availability: challenges, strikes and what they cost. */
import { Bytes } from "@graphprotocol/graph-ts";
import {
  FaultOverturned,
  FaultRecorded,
  LivenessAnswered,
  LivenessChallenged,
  PenaltyApplied,
} from "../generated/Availability/Availability";
import { Fault, LivenessChallenge } from "../generated/schema";
import { newFault } from "./entities/fault";
import { ZERO } from "./numbers";
import { positionOf } from "./position";

export function handleLivenessChallenged(event: LivenessChallenged): void {
  const challenge = new LivenessChallenge(event.params.challengeId);
  challenge.node = event.params.nodeId.toString();
  challenge.challenger = event.params.challenger;
  challenge.epoch = event.params.epoch;
  challenge.status = "Open";
  challenge.bondWei = event.params.bondWei;
  challenge.snapshotWei = event.params.snapshotWei;
  challenge.replyBy = event.params.replyBy;
  challenge.closableAt = event.params.closableAt;
  challenge.position = positionOf(event);
  challenge.block = event.block.number;
  challenge.timestamp = event.block.timestamp;
  challenge.tx = event.transaction.hash;
  challenge.save();
}

export function handleLivenessAnswered(event: LivenessAnswered): void {
  const challenge = LivenessChallenge.load(event.params.challengeId);
  if (challenge == null) return;
  challenge.status = "Answered";
  challenge.relayer = event.params.relayer;
  challenge.relayWei = event.params.relayWei;
  challenge.burnedWei = event.params.burnedWei;
  challenge.returnedWei = event.params.returnedWei;
  challenge.save();
}

export function handleFaultRecorded(event: FaultRecorded): void {
  const kind = event.params.kind == 0 ? "Silence" : "MissedTask";
  const fault = newFault(event, event.params.faultId, event.params.nodeId, kind);
  fault.excused = event.params.excused;
  fault.strikes = event.params.strikes;
  fault.save();
  endChallenge(event.params.faultId, event.params.excused);
}

export function handlePenaltyApplied(event: PenaltyApplied): void {
  const fault = Fault.load(event.params.faultId);
  if (fault == null) return;
  fault.suspendedUntil = event.params.suspendedUntil;
  if (event.params.bannedUntil.notEqual(ZERO)) fault.bannedUntil = event.params.bannedUntil;
  fault.slashedWei = event.params.slashedWei;
  if (event.params.slashedWei.notEqual(ZERO)) fault.slashId = event.params.slashId;
  fault.save();
}

export function handleFaultOverturned(event: FaultOverturned): void {
  const fault = Fault.load(event.params.faultId);
  if (fault == null) return;
  fault.overturned = true;
  fault.save();
}

/** A silence's fault has the id of its challenge. */
function endChallenge(id: Bytes, excused: boolean): void {
  const challenge = LivenessChallenge.load(id);
  if (challenge == null) return;
  challenge.status = excused ? "Excused" : "Silent";
  challenge.save();
}
