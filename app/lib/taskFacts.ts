/** What a task's stream told, and how its events add up. Pure: the same events give the same facts. */
import type { TaskEvent } from "@ngpu/client/followTask";
import type { Hex } from "viem";

/** When something happened off the chain. */
export interface Moment {
  /** This device's clock, Unix milliseconds; only compared with itself. */
  atMs: number;
  /** Time of the newest block at that moment, so that a timeline can be shown in chain time throughout. */
  atS: number | undefined;
}

export interface TaskFacts {
  postTx?: Hex;
  uploaded?: Moment;
  wrapped?: Moment & { nodeIds: number[]; assignment: number };
  accepted: (Moment & { nodeId: number; assignment: number })[];
  progress?: Moment & { nodeId: number; attempt: number; permille: number };
  takeover?: Moment & { fromNodeId: number; silentSince: Moment; toNodeId: number };
  receipt?: Moment & {
    nodeId: number;
    attempt: number;
    status: number;
    durationMs: number;
    powerCu: number;
    detail: string;
  };
  result?: Moment & { json: unknown };
}

export const noFacts: TaskFacts = { accepted: [] };

export function foldTaskEvent(facts: TaskFacts, event: TaskEvent, moment: Moment): TaskFacts {
  switch (event.kind) {
    case "uploaded":
      return { ...facts, uploaded: moment };
    case "wrapped":
      return { ...facts, wrapped: { ...moment, nodeIds: event.nodeIds, assignment: event.assignment } };
    case "accepted": {
      const { nodeId, assignment } = event;
      const known = facts.accepted.some((entry) => entry.nodeId === nodeId && entry.assignment === assignment);
      return known ? facts : { ...facts, accepted: [...facts.accepted, { ...moment, nodeId, assignment }] };
    }
    case "progress":
      return foldProgress(facts, event, moment);
    case "receipt": {
      const { nodeId, attempt, status, durationMs, powerCu } = event.receipt.message;
      return { ...facts, receipt: { ...moment, nodeId, attempt, status, durationMs, powerCu, detail: event.detail } };
    }
    case "result":
      return { ...facts, result: { ...moment, json: event.json } };
    case "connection":
    case "direct":
    case "problem":
      return facts;
  }
}

/** Progress of another node with a higher attempt is a takeover; the silence began with the former node's last word. */
function foldProgress(facts: TaskFacts, event: TaskEvent & { kind: "progress" }, moment: Moment): TaskFacts {
  const { nodeId, attempt, permille } = event;
  const last = facts.progress;
  if (last !== undefined && attempt < last.attempt) return facts;
  const progress = { ...moment, nodeId, attempt, permille };
  if (last === undefined || last.nodeId === nodeId) return { ...facts, progress };
  const silentSince = { atMs: last.atMs, atS: last.atS };
  return { ...facts, progress, takeover: { ...moment, fromNodeId: last.nodeId, silentSince, toNodeId: nodeId } };
}
