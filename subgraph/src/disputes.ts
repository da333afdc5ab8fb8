/** Disputes: proved faults, and disputes from opening to the end. */
import { Bytes } from "@graphprotocol/graph-ts";
import {
  ArbitrationBegun,
  CommitteeDrawn,
  DisputeClosed,
  DisputeOpened,
  DisputeRuled,
  FaultProved,
  KeysWrapped,
  OutputRevealed,
} from "../generated/Disputes/Disputes";
import { Dispute } from "../generated/schema";
import { newFault } from "./entities/fault";
import { determinismName, outcomeName } from "./faultNames";
import { ZERO } from "./numbers";
import { positionOf } from "./position";

export function handleFaultProved(event: FaultProved): void {
  const kind = event.params.kind == 0 ? "Conflict" : "Overlap";
  const fault = newFault(event, event.params.faultId, event.params.nodeId, kind);
  fault.receiptA = event.params.receiptA;
  fault.receiptB = event.params.receiptB;
  fault.slashedWei = event.params.slashedWei;
  fault.slashId = event.params.slashId;
  fault.save();
}

export function handleDisputeOpened(event: DisputeOpened): void {
  const dispute = new Dispute(event.params.disputeId);
  dispute.node = event.params.nodeId.toString();
  dispute.opener = event.params.opener;
  dispute.faultId = event.params.faultId;
  dispute.taskId = event.params.taskId;
  dispute.determinism = determinismName(event.params.determinism);
  dispute.stage = "Opened";
  dispute.deadline = event.params.deadline;
  dispute.claimedBodyHash = event.params.claimedBodyHash;
  dispute.judges = [];
  dispute.bondWei = event.params.bondWei;
  dispute.snapshotWei = event.params.snapshotWei;
  dispute.judgeFeesWei = ZERO;
  dispute.slashedWei = ZERO;
  dispute.position = positionOf(event);
  dispute.block = event.block.number;
  dispute.timestamp = event.block.timestamp;
  dispute.tx = event.transaction.hash;
  dispute.save();
}

/** The deadline of the draw is not in the event: it stands until the committee is drawn. */
export function handleOutputRevealed(event: OutputRevealed): void {
  const dispute = Dispute.load(event.params.disputeId);
  if (dispute == null) return;
  dispute.stage = "Drawing";
  dispute.outputBodyHash = event.params.outputBodyHash;
  dispute.save();
}

export function handleCommitteeDrawn(event: CommitteeDrawn): void {
  const dispute = Dispute.load(event.params.disputeId);
  if (dispute == null) return;
  const judges: Bytes[] = [];
  for (let i = 0; i < event.params.judges.length; i++) judges.push(event.params.judges[i]);
  dispute.stage = "Wrapping";
  dispute.judges = judges;
  dispute.deadline = event.params.deadline;
  dispute.save();
}

/** Revealing follows Committing by time alone, without an event; the deadline is that of committing. */
export function handleKeysWrapped(event: KeysWrapped): void {
  const dispute = Dispute.load(event.params.disputeId);
  if (dispute == null) return;
  dispute.stage = "Committing";
  dispute.wrapsHash = event.params.wrapsHash;
  dispute.deadline = event.params.deadline;
  dispute.save();
}

export function handleDisputeRuled(event: DisputeRuled): void {
  const dispute = Dispute.load(event.params.disputeId);
  if (dispute == null) return;
  dispute.stage = "Ruled";
  dispute.ruling = outcomeName(event.params.ruling);
  dispute.deadline = event.params.deadline;
  dispute.save();
}

export function handleArbitrationBegun(event: ArbitrationBegun): void {
  const dispute = Dispute.load(event.params.disputeId);
  if (dispute == null) return;
  dispute.stage = "Arbitrating";
  dispute.appellant = event.params.appellant;
  dispute.deadline = event.params.deadline;
  dispute.save();
}

export function handleDisputeClosed(event: DisputeClosed): void {
  const dispute = Dispute.load(event.params.disputeId);
  if (dispute == null) return;
  dispute.stage = "Closed";
  dispute.outcome = outcomeName(event.params.outcome);
  dispute.judgeFeesWei = event.params.judgeFeesWei;
  dispute.slashedWei = event.params.slashedWei;
  dispute.save();
  if (event.params.slashedWei.equals(ZERO)) return;

  const fault = newFault(event, dispute.faultId, event.params.nodeId, "WrongResult");
  fault.slashedWei = event.params.slashedWei;
  fault.slashId = event.params.slashId;
  fault.save();
}
