/** ScoreBoard: how fast and how good each node was found. */
import { QualityChanged, ScoreUpdated } from "../generated/ScoreBoard/ScoreBoard";
import { Node, ScoreEvent } from "../generated/schema";
import { eventId, positionOf } from "./position";

export function handleScoreUpdated(event: ScoreUpdated): void {
  const node = Node.load(event.params.nodeId.toString());
  if (node == null) return;
  node.powerCu = event.params.scoreCu;
  node.scoreCu = event.params.scoreCu;
  node.scoreFreshUntil = event.params.freshUntil;
  node.save();

  const row = new ScoreEvent(eventId(event));
  row.node = node.id;
  row.epoch = event.params.epoch;
  row.formerCu = event.params.formerCu;
  row.scoreCu = event.params.scoreCu;
  row.medianCu = event.params.medianCu;
  row.transcripts = event.params.transcripts;
  row.freshUntil = event.params.freshUntil;
  row.position = positionOf(event);
  row.block = event.block.number;
  row.timestamp = event.block.timestamp;
  row.tx = event.transaction.hash;
  row.save();
}

export function handleQualityChanged(event: QualityChanged): void {
  const node = Node.load(event.params.nodeId.toString());
  if (node == null) return;
  node.qualityBps = event.params.qualityBps;
  node.save();
}
