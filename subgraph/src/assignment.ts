/** Assignment: what keepers said was drawn, and what became of it. */
import { AssignmentOverturned, AssignmentPosted, AssignmentUpheld } from "../generated/Assignment/Assignment";
import { Keeper, PostedDraw, Task } from "../generated/schema";
import { ZERO } from "./numbers";
import { positionOf } from "./position";

export function handleAssignmentPosted(event: AssignmentPosted): void {
  if (Keeper.load(event.params.keeper) == null) return;
  const draw = new PostedDraw(event.params.postId);
  draw.taskId = event.params.taskId;
  if (Task.load(event.params.taskId) != null) draw.task = event.params.taskId;
  draw.keeper = event.params.keeper;
  draw.epoch = event.params.epoch;
  draw.modelId = event.params.modelId;
  draw.nodes = event.params.nodes;
  draw.skippedMask = event.params.skippedMask;
  draw.state = "Standing";
  draw.slashedWei = ZERO;
  draw.upheld = 0;
  draw.position = positionOf(event);
  draw.block = event.block.number;
  draw.timestamp = event.block.timestamp;
  draw.tx = event.transaction.hash;
  draw.save();
}

export function handleAssignmentOverturned(event: AssignmentOverturned): void {
  const draw = PostedDraw.load(event.params.postId);
  if (draw == null) return;
  draw.state = "Overturned";
  draw.challenger = event.params.challenger;
  draw.slashedWei = event.params.slashedWei;
  draw.save();
}

export function handleAssignmentUpheld(event: AssignmentUpheld): void {
  const draw = PostedDraw.load(event.params.postId);
  if (draw == null) return;
  draw.upheld = draw.upheld + 1;
  draw.save();
}
