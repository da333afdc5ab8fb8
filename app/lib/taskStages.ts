/**
 * The stages of a task for its timeline, from what the chain, the gateway's stream and the index say. Pure. A stage
 * that the chain knows is stated by the chain; the stream only fills the time in between.
 */
import type { TimelineRow } from "@ngpu/client/chainTimeline";
import { finalityOf, type ChainHead, type Finality } from "./finality.ts";
import type { TaskFacts } from "./taskFacts.ts";

export type StageId =
  | "posted"
  | "assigned"
  | "wrapped"
  | "accepted"
  | "running"
  | "result"
  | "settled"
  | "refunded"
  | "cancelled"
  | "demanded"
  | "answer"
  | "delivered"
  | "forfeited"
  | "indexed";

export interface Stage {
  id: StageId;
  state: "done" | "current" | "waiting" | "failed";
  /** Chain time in seconds; of what happens off the chain, the time of the newest block then. */
  atS?: number | undefined;
  tx?: { hash: `0x${string}`; finality: Finality | undefined };
  row?: TimelineRow;
}

export interface StagesInput {
  chainId: number;
  rows: readonly TimelineRow[];
  facts: TaskFacts;
  head: ChainHead | undefined;
  /** True when this device posted the task and so can open its result. */
  mine: boolean;
  postTx: `0x${string}` | undefined;
  /** Block up to which the index has read, and whether it shows this task as the chain does. */
  index: { block: bigint; shown: boolean } | undefined;
}

export function taskStages(input: StagesInput): Stage[] {
  const end = input.rows.find(
    (row) => row.stage === "settled" || row.stage === "refunded" || row.stage === "cancelled",
  );
  const stages = [
    posted(input),
    ...(end?.stage === "cancelled" ? [] : [assigned(input), wrapped(input), accepted(input), running(input)]),
  ];
  if (end === undefined || end.stage === "settled") stages.push(result(input), settled(input, end), ...demand(input));
  else stages.push(onChain(input, end, end.stage === "refunded" ? "refunded" : "cancelled", "failed"));
  stages.push(indexed(input));
  return markCurrent(inOrder(endedEarly(stages, end)));
}

function posted(input: StagesInput): Stage {
  const row = find(input, "posted");
  if (row !== undefined) return onChain(input, row, "posted", "done");
  return {
    id: "posted",
    state: "waiting",
    ...(input.postTx === undefined ? {} : { tx: { hash: input.postTx, finality: undefined } }),
  };
}

function assigned(input: StagesInput): Stage {
  const row = input.rows.findLast((entry) => entry.stage === "assigned");
  return row === undefined ? { id: "assigned", state: "waiting" } : onChain(input, row, "assigned", "done");
}

function wrapped(input: StagesInput): Stage {
  const { facts } = input;
  if (facts.wrapped !== undefined) return { id: "wrapped", state: "done", atS: facts.wrapped.atS };
  const held = find(input, "accepted") ?? find(input, "settled");
  // Whoever accepted had the key, even if another device of the payer wrapped it.
  return held === undefined ? { id: "wrapped", state: "waiting" } : { id: "wrapped", state: "done" };
}

function accepted(input: StagesInput): Stage {
  const row = find(input, "accepted");
  if (row !== undefined) return onChain(input, row, "accepted", "done");
  const first = input.facts.accepted[0];
  const over = find(input, "settled") !== undefined;
  if (first !== undefined) return { id: "accepted", state: "done", atS: first.atS };
  return { id: "accepted", state: over ? "done" : "waiting" };
}

function running(input: StagesInput): Stage {
  const { facts } = input;
  const over = facts.receipt?.status === 0 || find(input, "settled") !== undefined;
  const at = facts.progress === undefined ? {} : { atS: facts.progress.atS };
  if (over) return { id: "running", state: "done", ...at };
  return { id: "running", state: facts.progress === undefined ? "waiting" : "current", ...at };
}

function result(input: StagesInput): Stage {
  const { facts, mine } = input;
  if (facts.result !== undefined) return { id: "result", state: "done", atS: facts.result.atS };
  if (find(input, "forfeited") !== undefined) return { id: "result", state: "failed" };
  const over = find(input, "settled") !== undefined;
  return { id: "result", state: over && !mine ? "done" : "waiting" };
}

function settled(input: StagesInput, end: TimelineRow | undefined): Stage {
  return end === undefined ? { id: "settled", state: "waiting" } : onChain(input, end, "settled", "done");
}

/** A payer's demand and what came of it; nothing of it is named before there is one. */
function demand(input: StagesInput): Stage[] {
  const demanded = find(input, "demanded");
  if (demanded === undefined) return [];
  const delivered = find(input, "delivered");
  const forfeited = find(input, "forfeited");
  const stages = [onChain(input, demanded, "demanded", "done")];
  if (delivered !== undefined) stages.push(onChain(input, delivered, "delivered", "done"));
  else if (forfeited !== undefined) stages.push(onChain(input, forfeited, "forfeited", "failed"));
  else stages.push({ id: "answer", state: "current" });
  return stages;
}

/** The row that says how the task stands, once it has ended: what the index has to show. */
export function standingRow(rows: readonly TimelineRow[]): TimelineRow | undefined {
  return rows.findLast(({ stage }) => endingStages.includes(stage));
}

const endingStages: readonly TimelineRow["stage"][] = [
  ...(["settled", "refunded", "cancelled"] as const),
  ...(["demanded", "delivered", "forfeited"] as const),
];

function indexed({ index, rows }: StagesInput): Stage {
  const standing = standingRow(rows);
  if (standing === undefined || index === undefined) return { id: "indexed", state: "waiting" };
  const caughtUp = index.block >= standing.blockNumber && index.shown;
  return { id: "indexed", state: caughtUp ? "done" : "waiting" };
}

function onChain(input: StagesInput, row: TimelineRow, id: StageId, state: Stage["state"]): Stage {
  const { chainId, head } = input;
  const finality = head === undefined ? undefined : finalityOf({ chainId, block: row.blockNumber, head });
  return { id, state, atS: Number(row.timestamp), tx: { hash: row.txHash, finality }, row };
}

/** A task that ended without a bill skips what never happened; what had begun has failed. */
function endedEarly(stages: Stage[], end: TimelineRow | undefined): Stage[] {
  if (end === undefined || end.stage === "settled") return stages;
  return stages
    .filter((stage) => stage.state !== "waiting" || stage.id === "indexed")
    .map((stage) => (stage.state === "current" ? { ...stage, state: "failed" } : stage));
}

/**
 * What happens off the chain carries the time of the newest block that this device had seen, which may be a moment
 * old; it cannot have happened before the chain stages that lead to it.
 */
function inOrder(stages: Stage[]): Stage[] {
  let latest = 0;
  return stages.map((stage) => {
    if (stage.atS === undefined) return stage;
    const atS = stage.row === undefined ? Math.max(latest, stage.atS) : stage.atS;
    latest = Math.max(latest, atS);
    return { ...stage, atS };
  });
}

/**
 * The first stage that has not happened is the one that is being waited for; while keepers are asked for an output that
 * the payer cannot get, that is their answer.
 */
function markCurrent(stages: Stage[]): Stage[] {
  const answer = stages.findIndex(({ id }) => id === "answer");
  const waits = (stage: Stage): boolean => stage.state === "waiting" || stage.state === "current";
  const next = answer === -1 ? stages.findIndex(waits) : answer;
  return stages.map((stage, index) => (index === next ? { ...stage, state: "current" } : stage));
}

function find({ rows }: StagesInput, stage: TimelineRow["stage"]): TimelineRow | undefined {
  return rows.find((row) => row.stage === stage);
}
