/** Selection: epochs with their seeds, and the weights that are drawn by. */
import { BigInt, Bytes } from "@graphprotocol/graph-ts";
import { EpochOpened, EpochSeeded, WeightChanged } from "../generated/Selection/Selection";
import { Epoch, Node } from "../generated/schema";
import { loadNodeModel } from "./entities/nodeModel";

const NO_SEED = Bytes.fromHexString("0x0000000000000000000000000000000000000000000000000000000000000000");

export function handleEpochOpened(event: EpochOpened): void {
  const epoch = new Epoch(event.params.epoch.toString());
  epoch.number = event.params.epoch;
  if (event.params.seed != NO_SEED) epoch.seed = event.params.seed;
  epoch.openedAt = event.block.timestamp;
  epoch.openedBlock = event.block.number;
  epoch.save();
}

export function handleEpochSeeded(event: EpochSeeded): void {
  const epoch = Epoch.load(event.params.epoch.toString());
  if (epoch == null) return;
  epoch.seed = event.params.seed;
  epoch.save();
}

/** Pool zero is that of the keepers, whose weight follows from their bond. */
export function handleWeightChanged(event: WeightChanged): void {
  if (event.params.pool == NO_SEED) return;
  const nodeId: BigInt = event.params.member;
  if (Node.load(nodeId.toString()) == null) return;
  const model = loadNodeModel(nodeId, event.params.pool);
  model.weight = event.params.weight;
  model.save();
}
