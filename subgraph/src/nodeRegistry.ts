/** NodeRegistry: who serves, with which keys and in which class. */
import { BigInt } from "@graphprotocol/graph-ts";
import {
  DrainingChanged,
  ModelDeclared,
  NodeClassChanged,
  NodeRegistered,
  NodeSuspended,
  OperatorRotated,
  PayoutChanged,
} from "../generated/NodeRegistry/NodeRegistry";
import { Node, NodeClass } from "../generated/schema";
import { loadNetwork } from "./entities/network";
import { loadNodeModel } from "./entities/nodeModel";
import { ONE, ZERO } from "./numbers";

/** ScoreBoard.NEWCOMER_QUALITY_BPS: no event says it. */
const NEWCOMER_QUALITY_BPS: i32 = 2500;

export function handleNodeRegistered(event: NodeRegistered): void {
  const nodeClass = loadNodeClass(event.params.classId);
  nodeClass.minimumPowerCu = event.params.powerCu;
  nodeClass.save();

  const node = new Node(event.params.nodeId.toString());
  node.nodeId = event.params.nodeId;
  node.owner = event.params.owner;
  node.operator = event.params.operator;
  node.payout = event.params.payout;
  node.nodeClass = nodeClass.id;
  node.powerCu = event.params.powerCu;
  node.draining = false;
  node.suspendedUntil = ZERO;
  node.qualityBps = NEWCOMER_QUALITY_BPS;
  node.stakedWei = ZERO;
  node.thawingWei = ZERO;
  node.unlocksAt = [];
  node.slashedWei = ZERO;
  node.tasksAssigned = ZERO;
  node.tasksAccepted = ZERO;
  node.tasksServed = ZERO;
  node.tasksForfeited = ZERO;
  node.tasksStandby = ZERO;
  node.tasksFailed = ZERO;
  node.earnedUsd6 = ZERO;
  node.standbyUsd6 = ZERO;
  node.servedCums = ZERO;
  node.registeredAt = event.block.timestamp;
  node.registeredBlock = event.block.number;
  node.registeredTx = event.transaction.hash;
  node.save();

  const network = loadNetwork();
  network.nodes = network.nodes.plus(ONE);
  network.save();
}

export function handleOperatorRotated(event: OperatorRotated): void {
  const node = Node.load(event.params.nodeId.toString());
  if (node == null) return;
  node.operator = event.params.newOperator;
  node.save();
}

export function handlePayoutChanged(event: PayoutChanged): void {
  const node = Node.load(event.params.nodeId.toString());
  if (node == null) return;
  node.payout = event.params.payout;
  node.save();
}

export function handleDrainingChanged(event: DrainingChanged): void {
  const node = Node.load(event.params.nodeId.toString());
  if (node == null) return;
  node.draining = event.params.draining;
  node.save();
}

export function handleNodeSuspended(event: NodeSuspended): void {
  const node = Node.load(event.params.nodeId.toString());
  if (node == null) return;
  node.suspendedUntil = event.params.until;
  node.save();
}

export function handleModelDeclared(event: ModelDeclared): void {
  if (Node.load(event.params.nodeId.toString()) == null) return;
  const model = loadNodeModel(event.params.nodeId, event.params.modelId);
  model.serves = event.params.serves;
  model.save();
}

/** A class's power is that of all its nodes that were not measured, so a change of it is written to each of them. */
export function handleNodeClassChanged(event: NodeClassChanged): void {
  const nodeClass = loadNodeClass(event.params.classId);
  nodeClass.name = event.params.name;
  nodeClass.minimumPowerCu = event.params.minimumPowerCu;
  nodeClass.minimumStakeWei = event.params.minimumStakeWei;
  nodeClass.enabled = event.params.enabled;
  nodeClass.save();

  const nodes = nodeClass.nodes.load();
  for (let i = 0; i < nodes.length; i++) {
    const node = nodes[i];
    if (node.scoreCu || node.powerCu == event.params.minimumPowerCu) continue;
    node.powerCu = event.params.minimumPowerCu;
    node.save();
  }
  // Classes come with the deployment, so the row of totals is there before the first node is.
  loadNetwork().save();
}

function loadNodeClass(classId: i32): NodeClass {
  const id = BigInt.fromI32(classId).toString();
  const stored = NodeClass.load(id);
  if (stored != null) return stored;

  const nodeClass = new NodeClass(id);
  nodeClass.classId = classId;
  nodeClass.name = "";
  nodeClass.minimumPowerCu = ZERO;
  nodeClass.minimumStakeWei = ZERO;
  nodeClass.enabled = true;
  return nodeClass;
}
