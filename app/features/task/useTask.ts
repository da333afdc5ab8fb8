"use client";
/** Everything known about one task, put together from chain, gateway stream, this device and the index. */
import type { TimelineRow } from "@ngpu/client/chainTimeline";
import type { Address, Hex } from "viem";
import { useHead } from "../../hooks/useHead.ts";
import { useLostPost } from "../../hooks/useLostPost.ts";
import { useRuntime } from "../../hooks/useRuntime.tsx";
import { hasEnded, useTaskEntity } from "../../hooks/useTaskEntity.ts";
import { useTaskFeed, type TaskFeed } from "../../hooks/useTaskFeed.ts";
import { isEnd, useTaskTimeline } from "../../hooks/useTaskTimeline.ts";
import { useWaitedS } from "../../hooks/useWaitedS.ts";
import type { ChainHead } from "../../lib/finality.ts";
import { indexWait, type IndexWait } from "../../lib/indexWords.ts";
import { taskStages, type Stage } from "../../lib/taskStages.ts";

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
  const entity = useTaskEntity(taskId);
  const head = useHead({ pending: end === undefined, until: end?.blockNumber }).data;

  const block = entity.data?._meta?.block.number;
  const index = block === undefined ? undefined : { block: BigInt(block), ended: hasEnded(entity.data?.task) };
  const indexed = index !== undefined && end !== undefined && index.block >= end.blockNumber && index.ended;
  const waitedS = useWaitedS(end !== undefined && !indexed);
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
