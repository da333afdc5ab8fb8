/** A node in a model's pool, made when it is first heard of: by its own word, or by its weight. */
import { BigInt, Bytes } from "@graphprotocol/graph-ts";
import { NodeModel } from "../../generated/schema";
import { ZERO } from "../numbers";

export function loadNodeModel(nodeId: BigInt, modelId: Bytes): NodeModel {
  const id = nodeId.toString().concat("-").concat(modelId.toHexString());
  const stored = NodeModel.load(id);
  if (stored != null) return stored;

  const model = new NodeModel(id);
  model.node = nodeId.toString();
  model.modelId = modelId;
  model.serves = false;
  model.weight = ZERO;
  return model;
}
