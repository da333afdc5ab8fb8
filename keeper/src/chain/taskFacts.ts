/**
 * What the events of TaskEscrow say about one task, and how each event changes it. Applying an event twice changes
 * nothing. Facts are what an RPC told: whoever acts on them compares their words with the chain's digest first.
 */
import type { Assigned, Settlement, TaskTerms } from "@ngpu/protocol/taskDigest";
import type { TaskLog, TaskLogOf } from "@ngpu/protocol/taskLogs";
import { assignedOf, settlementOf, termsOf } from "@ngpu/protocol/taskWords";
import type { Address, Hex } from "viem";

export interface AssignmentFacts extends Assigned {
  assignment: number;
  block: bigint;
}

/** The payer says that it cannot get the output. */
export interface DemandFacts {
  /** Chain time in seconds until which keepers may attest. */
  answerableUntilS: number;
  attestedBy: readonly Address[];
  /** Undefined while it is open. */
  outcome?: "delivered" | "forfeited";
}

export interface TaskFacts {
  taskId: Hex;
  modelId: Hex;
  inputCommitment: Hex;
  inputCiphertext: Hex;
  clientKey: Address;
  terms: TaskTerms;
  postedBlock: bigint;
  /** The newest assignment. */
  assigned?: AssignmentFacts;
  ended?: { how: "settled" | "refunded" | "cancelled"; settlement?: Settlement };
  demand?: DemandFacts;
}

/** The facts after `log`; undefined when the log says nothing about a task whose post is known. */
export function applyTaskLog(facts: TaskFacts | undefined, log: TaskLog): TaskFacts | undefined {
  if (log.eventName === "TaskPosted") return facts ?? posted(log);
  if (facts === undefined) return undefined;
  switch (log.eventName) {
    case "TaskAssigned": {
      const { assignment } = log.args;
      const stale = facts.assigned !== undefined && assignment <= facts.assigned.assignment;
      return stale ? facts : { ...facts, assigned: { ...assignedOf(log.args), assignment, block: log.blockNumber } };
    }
    case "TaskSettled":
      return ended(facts, { how: "settled", settlement: settlementOf({ posted: facts, settled: log.args }) });
    case "TaskRefunded":
      return ended(facts, { how: "refunded" });
    case "TaskCancelled":
      return ended(facts, { how: "cancelled" });
    case "OutputDemanded": {
      const { answerableUntil } = log.args;
      return facts.demand !== undefined
        ? facts
        : { ...facts, demand: { answerableUntilS: answerableUntil, attestedBy: [] } };
    }
    case "OutputAttested":
      return attested(facts, log.args.keeper);
    case "OutputDelivered":
      return concluded(facts, "delivered");
    case "OutputForfeited":
      return concluded(facts, "forfeited");
    default:
      return facts;
  }
}

/** The nodes of the standing assignment, in the order of their seats. */
export function assignedNodes({ assigned }: TaskFacts): number[] {
  return (assigned?.seats ?? []).map(({ nodeId }) => nodeId);
}

/** True when the node serves the standing assignment. */
export function isAssigned(facts: TaskFacts, nodeId: number): boolean {
  return assignedNodes(facts).includes(nodeId);
}

/** True while keepers may answer a demand, or anyone may close it. */
export function isDemanded({ demand }: TaskFacts): boolean {
  return demand !== undefined && demand.outcome === undefined;
}

function posted(log: TaskLogOf<"TaskPosted">): TaskFacts {
  const { taskId, modelId, inputCommitment, inputCiphertext, clientKey } = log.args;
  const content = { modelId, inputCommitment, inputCiphertext, clientKey };
  return { taskId, ...content, terms: termsOf(log.args), postedBlock: log.blockNumber };
}

function ended(facts: TaskFacts, how: NonNullable<TaskFacts["ended"]>): TaskFacts {
  return facts.ended === undefined ? { ...facts, ended: how } : facts;
}

function attested(facts: TaskFacts, keeper: Address): TaskFacts {
  const { demand } = facts;
  if (demand === undefined || demand.attestedBy.includes(keeper)) return facts;
  return { ...facts, demand: { ...demand, attestedBy: [...demand.attestedBy, keeper] } };
}

function concluded(facts: TaskFacts, outcome: "delivered" | "forfeited"): TaskFacts {
  const { demand } = facts;
  if (demand === undefined || demand.outcome !== undefined) return facts;
  return { ...facts, demand: { ...demand, outcome } };
}
