"use client";
/** Everything known about one task, put together from chain, gateway stream, this device and the index. */
import type { TimelineRow } from "@ngpu/client/chainTimeline";
import type { Address, Hex } from "viem";
import { useHead } from "../../hooks/useHead.ts";
import { useLostPost } from "../../hooks/useLostPost.ts";
import { useRuntime } from "../../hooks/useRuntime.tsx";
import { showsStanding, useTaskEntity } from "../../hooks/useTaskEntity.ts";
import { useTaskFeed, type TaskFeed } from "../../hooks/useTaskFeed.ts";
import { hasOpenDemand, isEnd, useTaskTimeline } from "../../hooks/useTaskTimeline.ts";
import { useWaitedS } from "../../hooks/useWaitedS.ts";
import type { ChainHead } from "../../lib/finality.ts";
import { indexWait, type IndexWait } from "../../lib/indexWords.ts";
import { standingRow, taskStages, type Stage } from "../../lib/taskStages.ts";

export interface TaskModel {
  taskId: Hex;
  rows: readonly TimelineRow[];
  /** undefined until the chain has answered once. */
  stages: Stage[] | undefined;
  feed: TaskFeed;
  head: ChainHead | undefined;
  modelId: Hex | undefined;
  payer: Address | undefined;
  /** True once the chain shows an end. */
  ended: boolean;
  /** Whether the index shows the end as well. */
  indexWait: IndexWait;
  /** True when neither chain nor device knows the task. */
  unknown: boolean;
  error: unknown;
}

export function useTask(taskId: Hex): TaskModel {
  const { chainId } = useRuntime();
  const timeline = useTaskTimeline(taskId);
  const rows = timeline.data ?? [];
  const end = rows.find(isEnd);
  const feed = useTaskFeed({ taskId, rows: timeline.data });
  const standing = standingRow(rows);
  const entity = useTaskEntity(taskId, standing);
  const moves = end === undefined || hasOpenDemand(rows);
  const head = useHead({ pending: moves, until: standing?.blockNumber }).data;

  const block = entity.data?._meta?.block.number;
  const shown = showsStanding(entity.data?.task, standing);
  const index = block === undefined ? undefined : { block: BigInt(block), shown };
  const indexed = index !== undefined && standing !== undefined && index.block >= standing.blockNumber && shown;
  const waitedS = useWaitedS(standing !== undefined && !indexed);
  const mine = feed.local !== undefined && feed.local !== null;
  const posted = rows.find((row) => row.stage === "posted");
  const answered = timeline.data !== undefined && feed.local !== undefined;
  const { postTx } = feed.facts;
  const unseen = answered && rows.length === 0;
  const sentMs = feed.local?.createdAtMs ?? 0;
  const lost = useLostPost(unseen && postTx !== undefined ? { hash: postTx, sentMs } : undefined);
  const unknown = unseen && (postTx === undefined || lost);
  const stages = answered ? taskStages({ chainId, rows, facts: feed.facts, head, mine, postTx, index }) : undefined;
  return {
    taskId,
    rows,
    stages,
    feed,
    head,
    modelId: (posted?.args.modelId as Hex | undefined) ?? feed.local?.modelId,
    payer: (posted?.args.payer as Address | undefined) ?? feed.local?.payer,
    ended: end !== undefined,
    indexWait: indexWait({ indexed, waitedS }),
    unknown,
    error: timeline.error,
  };
}
