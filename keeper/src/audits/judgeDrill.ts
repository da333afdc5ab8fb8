/**
 * What a drill says about its backup, as a pure function of the chain's events and of what this keeper itself sent. A
 * backup fails where it signed a failure, or where this keeper gave it up and another seat had the bill: a later attempt
 * alone proves nothing, because any node can sign one.
 */
import type { TaskLog } from "@ngpu/protocol/taskLogs";

/** An attempt that this keeper has begun with a node of a drill. */
export interface DrillStep {
  nodeId: number;
  assignment: number;
  attempt: number;
}

export interface DrillVerdict {
  nodeId: number;
  hasServed: boolean;
}

/** Undefined: it was not tried, or it cannot be known whose fault the end was. `logs`: all events of a task that is over. */
export function judgeDrill(drill: { steps: readonly DrillStep[]; logs: readonly TaskLog[] }): DrillVerdict | undefined {
  const { steps, logs } = drill;
  const tried = steps.findLast(({ attempt }) => attempt === 1);
  if (tried === undefined) return undefined;
  const { nodeId, assignment } = tried;
  const settled = logs.find((log) => log.eventName === "TaskSettled")?.args;
  if (settled?.attempt === 0) return undefined;
  if (settled?.nodeId === nodeId) return { nodeId, hasServed: true };
  const hasSignedFailure = logs.some(
    ({ eventName, args }) => eventName === "TaskAttemptFailed" && args.nodeId === nodeId && args.assignment === assignment,
  );
  const wasGivenUp = settled !== undefined && steps.some((step) => step.assignment === assignment && step.attempt > 1);
  return hasSignedFailure || wasGivenUp ? { nodeId, hasServed: false } : undefined;
}
