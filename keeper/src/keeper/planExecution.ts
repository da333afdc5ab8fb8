/**
 * Who executes a task that is assigned. Attempt i is that of seat i, and after the last seat the first one's again, so
 * that keepers agree without talking. When the executor of the current attempt failed, vanished, fell silent or drains
 * without having begun, the next seat takes over whose node is there and holds the input; the attempts of those between
 * are passed over. A wrong suspicion costs nobody money: whoever delivers first is paid, once.
 *
 * A drill is a task of this keeper's own whose backup is tried: it is begun with attempt 1, as though the first seat had
 * failed, once that backup has accepted. Where it cannot be tried, the task goes the way of any other.
 */
import { receiptStatus } from "@ngpu/protocol/typedData";
import { capMs } from "@ngpu/protocol/units";
import type { Dispatch } from "./action.ts";
import { isDraining, type DispatchSent, type TaskView, type View } from "./gatewayView.ts";
import { hasSeatIn, powerOf } from "./receiptRules.ts";
import type { OpenTask } from "./snapshot.ts";
import type { Timing } from "./timing.ts";

/** Every seat is asked at most so often under one assignment. */
const mostRounds = 3;

interface Situation {
  task: OpenTask;
  seen: TaskView | undefined;
  view: View;
  nowMs: number;
  timing: Timing;
  /** Its backup is to be tried. */
  isDrill: boolean;
}

export function planExecution(situation: Situation): Dispatch[] {
  const { task, view } = situation;
  if (view.connectedSinceMs === undefined) return [];
  const drill = planDrill(situation);
  if (drill !== undefined) return drill;
  const attempt = currentAttempt(situation);
  const executor = executorOf(task, attempt);
  if (executor === undefined) return [];
  const next = isLost(situation, executor, attempt) ? nextAttempt(situation, attempt) : undefined;
  if (next !== undefined) return [dutyOf(task, next, executorOf(task, next) ?? executor)];
  return task.standing.seats
    .map(({ nodeId }) => dutyOf(task, attempt, nodeId))
    .filter((duty) => isUsable(situation, duty.nodeId) && isDue(situation, duty));
}

/** What to do while nothing has begun; undefined where the task is no drill, or cannot be one any more. */
function planDrill(situation: Situation): Dispatch[] | undefined {
  const { task, isDrill } = situation;
  const backup = executorOf(task, 1);
  if (!isDrill || backup === undefined || task.standing.seats.length < 2) return undefined;
  if (begunAttempts(situation).length > 0 || !canBeTried(situation, backup)) return undefined;
  if (hasAccepted(situation, backup)) return [dutyOf(task, 1, backup)];
  // All of them hold the input ready, the first seat as well: it is the next one should the backup fail.
  return task.standing.seats
    .map(({ nodeId }): Dispatch => ({ ...dutyOf(task, 0, nodeId), role: "backup" }))
    .filter((duty) => isUsable(situation, duty.nodeId) && isDue(situation, duty));
}

/**
 * Only who is there, and had a free slot when it was told: later it may say that it has none to escape a drill, and an
 * honest one that was given other work reports progress while it waits for its slot.
 */
function canBeTried(situation: Situation, nodeId: number): boolean {
  const { view, nowMs, timing } = situation;
  if (!isUsable(situation, nodeId)) return false;
  const sent = sentTo(situation, nodeId);
  if (sent === undefined) return (view.nodes.get(nodeId)?.freeSlots ?? 0) > 0;
  return hasAccepted(situation, nodeId) || nowMs - sent.firstMs <= timing.startMs;
}

function executorOf({ standing: { seats } }: OpenTask, attempt: number): number | undefined {
  return seats[attempt % seats.length]?.nodeId;
}

function dutyOf(task: OpenTask, attempt: number, nodeId: number): Dispatch {
  const { taskId, assignment } = task;
  const role = nodeId === executorOf(task, attempt) ? "primary" : "backup";
  return { kind: "dispatch", taskId, nodeId, assignment, attempt, role };
}

/** The first attempt after this one whose node can begin now; the executor's own turn does not come again before. */
function nextAttempt(situation: Situation, attempt: number): number | undefined {
  const { task } = situation;
  const { length } = task.standing.seats;
  return Array.from({ length: length - 1 }, (_, behind) => attempt + 1 + behind)
    .filter((later) => later < mostRounds * length)
    .find((later) => {
      const nodeId = executorOf(task, later);
      return nodeId !== undefined && isUsable(situation, nodeId) && hasAccepted(situation, nodeId);
    });
}

/** The highest attempt that was begun. */
function currentAttempt(situation: Situation): number {
  return begunAttempts(situation).reduce((highest, attempt) => Math.max(highest, attempt), 0);
}

/** Attempts that were begun, by this keeper's own memory or by what the nodes signed. */
function begunAttempts({ task, seen }: Situation): number[] {
  const begun = [
    ...(seen?.dispatches ?? []).filter(({ role }) => role === "primary"),
    ...(seen?.progress ?? []),
    ...(seen?.receipts ?? []).map(({ message }) => message),
  ];
  return begun
    .filter(({ assignment, attempt, nodeId }) => assignment === task.assignment && executorOf(task, attempt) === nodeId)
    .map(({ attempt }) => attempt)
    .filter((attempt) => attempt < mostRounds * task.standing.seats.length);
}

function isLost(situation: Situation, nodeId: number, attempt: number): boolean {
  const { task, seen, view, nowMs, timing } = situation;
  if (hasFailed(situation, nodeId)) return true;
  // Without fresh news of anybody, silence says nothing about this node.
  if (view.connectedSinceMs === undefined || nowMs - view.rosterMs > timing.silentMs) return false;
  const node = view.nodes.get(nodeId);
  if (node === undefined) return view.gone.has(nodeId) || nowMs - view.connectedSinceMs > timing.reconnectMs;
  if (nowMs - node.heardMs > timing.silentMs) return true;

  const progress = seen?.progress.find(
    (report) => report.nodeId === nodeId && report.assignment === task.assignment && report.attempt === attempt,
  );
  if (progress !== undefined) {
    // A node that reports for ever and delivers nothing must not hold the task until its deadline.
    const longestMs = timing.overdueMs + 3 * capMs({ workCums: task.terms.workCums, powerCu: powerOf(task, nodeId) });
    const isOverdue = nowMs - progress.sinceMs > longestMs;
    return isOverdue || nowMs - progress.receivedMs > timing.silentMs;
  }
  if (isDraining(node)) return true;
  const sent = sentTo(situation, nodeId);
  if (sent === undefined || sent.attempt !== attempt || sent.role !== "primary") return false;
  return nowMs - Math.max(sent.firstMs, node.onlineSinceMs) > timing.startMs;
}

function isUsable(situation: Situation, nodeId: number): boolean {
  const node = situation.view.nodes.get(nodeId);
  if (node === undefined || isDraining(node) || hasFailed(situation, nodeId)) return false;
  return situation.nowMs - node.heardMs <= situation.timing.silentMs;
}

/** A dispatch is repeated until it is known to have arrived, and after the node was away. */
function isDue(situation: Situation, duty: Dispatch): boolean {
  const { seen, view, nowMs, timing } = situation;
  const sent = sentTo(situation, duty.nodeId);
  if (sent === undefined) return true;
  if ((view.nodes.get(duty.nodeId)?.onlineSinceMs ?? -Infinity) > sent.lastMs) return true;
  const isNew = sent.attempt !== duty.attempt || sent.role !== duty.role;
  if (isNew) return duty.role === "primary";
  const hasBegun = seen?.progress.some(
    ({ nodeId, assignment, attempt }) =>
      nodeId === duty.nodeId && assignment === duty.assignment && attempt === duty.attempt,
  );
  const hasArrived = duty.role === "primary" ? hasBegun === true : hasAccepted(situation, duty.nodeId);
  return !hasArrived && nowMs - sent.lastMs >= timing.repeatMs;
}

function sentTo({ task, seen }: Situation, nodeId: number): DispatchSent | undefined {
  return seen?.dispatches.find((sent) => sent.nodeId === nodeId && sent.assignment === task.assignment);
}

function hasAccepted({ task, seen }: Situation, nodeId: number): boolean {
  if (hasSeatIn(task.acceptedMask, task, nodeId)) return true;
  return (seen?.accepts ?? []).some(
    ({ message }) => message.nodeId === nodeId && message.assignment === task.assignment,
  );
}

function hasFailed({ task, seen }: Situation, nodeId: number): boolean {
  if (hasSeatIn(task.failedMask, task, nodeId)) return true;
  return (seen?.receipts ?? []).some(
    ({ message }) =>
      message.nodeId === nodeId && message.assignment === task.assignment && message.status !== receiptStatus.succeeded,
  );
}
