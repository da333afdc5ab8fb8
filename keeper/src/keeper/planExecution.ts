/**
 * Who executes a task that is assigned. Attempt 0 is the primary's, attempt 1 the backup's, and so on in turn, so that
 * keepers agree without talking. The next attempt begins when the executor of the current one failed, vanished, fell
 * silent or drains without having begun, and the other node holds the input. A wrong suspicion costs nobody money:
 * whoever delivers first is paid, once.
 */
import { receiptStatus } from "@ngpu/protocol/typedData";
import { capMs } from "@ngpu/protocol/units";
import type { Dispatch } from "./action.ts";
import { isDraining, type DispatchSent, type TaskView, type View } from "./gatewayView.ts";
import { seatOf } from "./receiptRules.ts";
import type { OpenTask } from "./snapshot.ts";
import type { Timing } from "./timing.ts";

const mostAttempts = 6;

interface Situation {
  task: OpenTask;
  seen: TaskView | undefined;
  view: View;
  nowMs: number;
  timing: Timing;
}

export function planExecution(situation: Situation): Dispatch[] {
  const { task, view } = situation;
  if (view.connectedSinceMs === undefined) return [];
  const nodes = [task.primary, task.backup].filter((nodeId) => nodeId !== 0);
  const attempt = currentAttempt(situation);
  const executor = executorOf(task, attempt);
  const other = nodes.find((nodeId) => nodeId !== executor);
  const takesOver =
    other !== undefined &&
    attempt + 1 < mostAttempts &&
    isLost(situation, executor, attempt) &&
    isUsable(situation, other) &&
    hasAccepted(situation, other);

  return nodes.flatMap((nodeId) => {
    const base = { kind: "dispatch", taskId: task.taskId, nodeId, assignment: task.assignment } as const;
    if (takesOver && nodeId === other) return [{ ...base, attempt: attempt + 1, role: "primary" }];
    if (takesOver) return [];
    const duty: Dispatch = { ...base, attempt, role: nodeId === executor ? "primary" : "backup" };
    return isUsable(situation, nodeId) && isDue(situation, duty) ? [duty] : [];
  });
}

function executorOf(task: OpenTask, attempt: number): number {
  return task.backup !== 0 && attempt % 2 === 1 ? task.backup : task.primary;
}

/** The highest attempt that was begun, by this keeper's own memory or by what the nodes signed. */
function currentAttempt({ task, seen }: Situation): number {
  const begun = [
    ...(seen?.dispatches ?? []).filter(({ role }) => role === "primary"),
    ...(seen?.progress ?? []),
    ...(seen?.receipts ?? []).map(({ message }) => message),
  ];
  return begun
    .filter(({ assignment, attempt, nodeId }) => assignment === task.assignment && executorOf(task, attempt) === nodeId)
    .map(({ attempt }) => attempt)
    .filter((attempt) => attempt < mostAttempts)
    .reduce((highest, attempt) => Math.max(highest, attempt), 0);
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
    const longestMs = timing.overdueMs + 3 * capMs({ workCums: task.workCums, powerCu: powerOf(task, nodeId) });
    const isOverdue = nowMs - progress.sinceMs > longestMs;
    return isOverdue || nowMs - progress.receivedMs > timing.silentMs;
  }
  if (isDraining(node)) return true;
  const sent = sentTo(situation, nodeId);
  if (sent === undefined || sent.attempt !== attempt || sent.role !== "primary") return false;
  return nowMs - Math.max(sent.firstMs, node.onlineSinceMs) > timing.startMs;
}

function powerOf(task: OpenTask, nodeId: number): number {
  return nodeId === task.primary ? task.primaryPowerCu : task.backupPowerCu;
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
  if ((task.acceptedMask & seatOf(task, nodeId)) !== 0) return true;
  return (seen?.accepts ?? []).some(
    ({ message }) => message.nodeId === nodeId && message.assignment === task.assignment,
  );
}

function hasFailed({ task, seen }: Situation, nodeId: number): boolean {
  if ((task.failedMask & seatOf(task, nodeId)) !== 0) return true;
  return (seen?.receipts ?? []).some(
    ({ message }) =>
      message.nodeId === nodeId && message.assignment === task.assignment && message.status !== receiptStatus.succeeded,
  );
}
