/**
 * What to do now, as a pure function of the chain at one block and of what the gateways said. Per open task, the first
 * that fits:
 *   a success receipt that fits          → relay accepts of backups that stood by, settle
 *   its time has passed                  → expire
 *   posted, before its deadline          → assign
 *   assigned, nobody accepted in time    → assign anew
 *   assigned or accepted                 → relay accepts and failures, dispatch, take over
 */
import { limits } from "@ngpu/protocol/limits";
import { taskStatus } from "@ngpu/protocol/taskStatus";
import { receiptStatus, type Receipt } from "@ngpu/protocol/typedData";
import { amountUsd6, standbyUsd6 } from "@ngpu/protocol/units";
import type { Hex } from "viem";
import type { Action } from "./action.ts";
import { chooseSeats, type Load } from "./chooseSeats.ts";
import type { TaskView, View } from "./gatewayView.ts";
import { mayBeAssigned } from "./mayBeAssigned.ts";
import { planExecution } from "./planExecution.ts";
import { hasSeatIn, receiptMisfit, seatOf } from "./receiptRules.ts";
import type { OpenTask, OpenWords, Snapshot } from "./snapshot.ts";
import { timing, type Timing } from "./timing.ts";

type AcceptAction = Extract<Action, { kind: "accept" }>;

interface World {
  snapshot: Snapshot;
  view: View;
  nowMs: number;
  timing: Timing;
  /** Tasks of this keeper's own whose backup is to be tried. */
  drills: ReadonlySet<Hex>;
}

const noDrills: ReadonlySet<Hex> = new Set();

export function plan(request: Pick<World, "snapshot" | "view" | "nowMs"> & Partial<World>): Action[] {
  const world: World = { timing, drills: noDrills, ...request };
  const load = currentLoad(world);
  return inOrderOfPost(world.snapshot.tasks).flatMap((task) => planTask(world, task, load));
}

/**
 * A node's own heartbeats say how many slots are free once its dispatch has arrived; until then what it was given is
 * counted here. Only for the accept window, or a payer who never hands out the key could keep nodes idle for nothing.
 */
function currentLoad({ snapshot, view, timing: { heartbeatMs } }: World): Load {
  const load: Load = { primaryOf: new Map(), assignedNow: new Map() };
  for (const { taskId, standing, assignment, assignedAtS } of snapshot.tasks) {
    const primary = standing.seats[0]?.nodeId;
    if (primary === undefined || snapshot.chainTimeS >= assignedAtS + limits.acceptWindowS) continue;
    const seen = view.tasks.get(taskId);
    const isTold = ({ nodeId, assignment: under }: { nodeId: number; assignment: number }): boolean =>
      nodeId === primary && under === assignment;
    const sentMs = seen?.dispatches.find(isTold)?.firstMs ?? Infinity;
    const isCounted = (view.nodes.get(primary)?.heardMs ?? 0) > sentMs + heartbeatMs;
    if (!isCounted && seen?.progress.some(isTold) !== true) count(load.primaryOf, primary);
  }
  return load;
}

function planTask(world: World, task: OpenTask, load: Load): Action[] {
  const { snapshot, view } = world;
  const { taskId } = task;
  const seen = view.tasks.get(taskId);
  const receipt = bestReceipt(task, seen);
  const isPastDeadline = snapshot.chainTimeS >= task.terms.deadline;
  if (receipt !== undefined) {
    const stoodBy = isPastDeadline ? [] : planStandby(task, seen, receipt.message);
    return [...stoodBy, { kind: "settle", taskId, receipt, ...wordsOf(task) }];
  }
  if (snapshot.chainTimeS >= expirableAtS(task)) return [{ kind: "expire", taskId, ...wordsOf(task) }];
  const isAssignable = mayBeAssigned(task, snapshot.chainTimeS);
  if (task.status === taskStatus.posted) return isAssignable ? planAssign(world, task, load) : [];

  const accepts = isPastDeadline ? [] : planAccepts(task, seen);
  const failures = planFailures(task, seen);
  if (isAssignable && accepts.length === 0 && failures.length === 0) {
    const anew = planAssign(world, task, load);
    if (anew.length > 0) return anew;
  }
  // What runs may end and be billed within the grace, but nothing is begun for a result that comes too late.
  const dispatches = isPastDeadline ? [] : planExecution({ ...world, task, seen, isDrill: world.drills.has(taskId) });
  return [...dispatches, ...accepts, ...failures];
}

function planAssign(world: World, task: OpenTask, load: Load): Action[] {
  const { snapshot, view, nowMs } = world;
  const nodeIds = chooseSeats({ task, snapshot, view, load, nowMs, silentMs: world.timing.silentMs });
  const [primary] = nodeIds ?? [];
  if (nodeIds === undefined || primary === undefined) return [];
  count(load.primaryOf, primary);
  const order = load.assignedNow.size + 1;
  for (const nodeId of nodeIds) load.assignedNow.set(nodeId, order);
  return [{ kind: "assign", taskId: task.taskId, nodeIds, ...wordsOf(task) }];
}

/** The success receipt of the lowest attempt that the contract would take. */
function bestReceipt(task: OpenTask, seen: TaskView | undefined): TaskView["receipts"][number] | undefined {
  return (seen?.receipts ?? [])
    .filter(({ message }) => message.status === receiptStatus.succeeded && receiptMisfit(task, message) === undefined)
    .sort((a, b) => a.message.attempt - b.message.attempt)[0];
}

/** Accepts of nodes that neither accepted nor failed on chain yet, the primary's first. */
function planAccepts(task: OpenTask, seen: TaskView | undefined): AcceptAction[] {
  const relayed = new Map<number, AcceptAction>();
  for (const accept of seen?.accepts ?? []) {
    const { nodeId, assignment, inputCommitment } = accept.message;
    const seat = seatOf(task, nodeId);
    if (seat === undefined || assignment !== task.assignment || inputCommitment !== task.inputCommitment) continue;
    const isDone = hasSeatIn(task.acceptedMask | task.failedMask, task, nodeId);
    if (!isDone) relayed.set(seat, { kind: "accept", taskId: task.taskId, accept, ...wordsOf(task) });
  }
  return [...relayed].sort(([a], [b]) => a - b).map(([, action]) => action);
}

/** A backup is paid for having stood by only if its accept is on chain before the bill. */
function planStandby(task: OpenTask, seen: TaskView | undefined, receipt: Receipt): AcceptAction[] {
  const each = standbyUsd6(amountUsd6({ ...receipt, ...task.terms }));
  if (each === 0n) return [];
  const executing = seatOf(task, receipt.nodeId) ?? 0;
  return planAccepts(task, seen).filter(({ accept: { message } }) => (seatOf(task, message.nodeId) ?? 0) > executing);
}

function planFailures(task: OpenTask, seen: TaskView | undefined): Action[] {
  const relayed = new Map<number, Action>();
  for (const receipt of seen?.receipts ?? []) {
    const { message } = receipt;
    if (message.status === receiptStatus.succeeded || receiptMisfit(task, message) !== undefined) continue;
    relayed.set(message.nodeId, { kind: "fail", taskId: task.taskId, receipt, ...wordsOf(task) });
  }
  return [...relayed.values()];
}

function expirableAtS(task: OpenTask): number {
  const { deadline } = task.terms;
  return task.status === taskStatus.accepted ? deadline + limits.settleGraceS : deadline;
}

function wordsOf({ terms, standing }: OpenTask): OpenWords {
  return { terms, standing };
}

function inOrderOfPost(tasks: OpenTask[]): OpenTask[] {
  return [...tasks].sort((a, b) => Number(a.postedBlock - b.postedBlock) || (a.taskId < b.taskId ? -1 : 1));
}

function count(counts: Map<number, number>, nodeId: number): void {
  counts.set(nodeId, (counts.get(nodeId) ?? 0) + 1);
}
