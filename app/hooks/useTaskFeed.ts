"use client";
/**
 * Follows a task that this device posted: uploads what is missing, wraps the key, opens the result, and keeps on this
 * device what it learned. Ends with the task. Without the task's keys there is nothing to follow, and the chain alone
 * tells the story.
 */
import type { TaskEvent } from "@ngpu/client/followTask";
import type { TimelineRow } from "@ngpu/client/chainTimeline";
import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useReducer, useState } from "react";
import type { Hex } from "viem";
import { readClockSkew } from "../lib/clockSkew.ts";
import { explainError, type Explanation } from "../lib/explainError.ts";
import type { ChainHead } from "../lib/finality.ts";
import { foldTaskEvent, noFacts, type Moment, type TaskFacts } from "../lib/taskFacts.ts";
import { readLocalTask, readTaskFacts, saveLocalTask, saveTaskFacts, type LocalTask } from "../lib/taskStore.ts";
import { useChain } from "./useChain.ts";
import { useRuntime } from "./useRuntime.tsx";
import { isEnd } from "./useTaskTimeline.ts";

export interface TaskFeed {
  /** undefined while this device is asked; null when it has no keys of the task. */
  local: LocalTask | null | undefined;
  facts: TaskFacts;
  connection: "off" | "connecting" | "open" | "lost";
  problem: Explanation | undefined;
  /** Asks the gateway once more for the output of a settled task. */
  openAgain: () => void;
}

/** The stream usually brings the result first; after this long the settlement is asked where it lies. */
const streamPatienceMs = 2_000;

export function useTaskFeed({ taskId, rows }: { taskId: Hex; rows: readonly TimelineRow[] | undefined }): TaskFeed {
  const runtime = useRuntime();
  const chain = useChain();
  const now = useMoment();
  const [local, setLocal] = useState<LocalTask | null | undefined>(undefined);
  const [feed, dispatch] = useReducer(feedReducer, { facts: noFacts, connection: "off", problem: undefined });
  const posted = rows?.some((row) => row.stage === "posted") === true;
  const end = rows?.find(isEnd);
  const delivered = rows?.some((row) => row.stage === "delivered") === true;
  const forfeited = rows?.some((row) => row.stage === "forfeited") === true;
  const returned = forfeited || (end !== undefined && end.stage !== "settled");
  const [tries, setTries] = useState(0);
  const openAgain = useCallback(() => setTries((count) => count + 1), []);
  const opened = feed.facts.result !== undefined;
  const stored = feed.facts.uploaded !== undefined;

  useEffect(() => {
    let stale = false;
    Promise.all([readLocalTask(taskId), readTaskFacts(taskId)])
      .catch(() => [undefined, undefined] as const)
      .then(([task, facts]) => {
        if (stale) return;
        if (facts !== undefined) dispatch({ type: "restore", facts });
        setLocal(task ?? null);
      });
    return () => {
      stale = true;
    };
  }, [taskId]);

  useEffect(() => {
    if (local === undefined || local === null || !posted || opened || returned) return;
    const stop = new AbortController();
    const onEvent = (event: TaskEvent): void => dispatch({ type: "event", event, moment: now() });
    void follow({ local, runtime, chain, upload: !stored, signal: stop.signal, onEvent });
    return () => stop.abort();
    // `stored` only decides how following begins; a change while following must not begin it anew.
  }, [local, posted, opened, returned, runtime, chain, now]);

  useEffect(() => {
    if (local === undefined || local === null || opened || end?.stage !== "settled") return;
    const open = (): void => {
      openFromChain({ local, runtime, settled: end })
        .then((json) => dispatch({ type: "opened", json, moment: now() }))
        .catch((error: unknown) => dispatch({ type: "problem", error }));
    };
    const timer = setTimeout(open, tries === 0 ? streamPatienceMs : 0);
    return () => clearTimeout(timer);
    // Once keepers have said that they hold the output it is asked for again.
  }, [local, opened, end, runtime, now, tries, delivered]);

  useEffect(() => {
    if (local !== undefined && local !== null && feed.facts !== noFacts) void saveTaskFacts(taskId, feed.facts);
  }, [taskId, local, feed.facts]);

  useEffect(() => {
    const done = opened && local !== undefined && local !== null && local.sealedInput.length > 0;
    if (done) void saveLocalTask({ ...local, sealedInput: new Uint8Array() });
  }, [local, opened]);

  return { local, ...feed, openAgain };
}

function useMoment(): () => Moment {
  const { chainId } = useRuntime();
  const queries = useQueryClient();
  return useCallback(() => {
    const head = queries.getQueryData<ChainHead>(["head", chainId]);
    return { atMs: Date.now(), atS: head === undefined ? undefined : Number(head.timestamp) };
  }, [queries, chainId]);
}

type FeedState = Omit<TaskFeed, "local" | "openAgain">;
type FeedAction =
  | { type: "restore"; facts: TaskFacts }
  | { type: "event"; event: TaskEvent; moment: Moment }
  | { type: "opened"; json: unknown; moment: Moment }
  | { type: "problem"; error: unknown };

function feedReducer(state: FeedState, action: FeedAction): FeedState {
  switch (action.type) {
    case "restore":
      return { ...state, facts: action.facts };
    case "opened":
      return {
        ...state,
        problem: undefined,
        facts: { ...state.facts, result: { ...action.moment, json: action.json } },
      };
    case "problem":
      return { ...state, problem: explainError(action.error) };
    case "event":
      return foldEvent(state, action.event, action.moment);
  }
}

function foldEvent(state: FeedState, event: TaskEvent, moment: Moment): FeedState {
  if (event.kind === "problem") return { ...state, problem: explainError(event.error) };
  if (event.kind !== "connection")
    return { ...state, problem: undefined, facts: foldTaskEvent(state.facts, event, moment) };
  const problem = event.state === "open" ? undefined : state.problem;
  return { ...state, connection: event.state, problem };
}

async function follow(options: {
  local: LocalTask;
  runtime: ReturnType<typeof useRuntime>;
  chain: ReturnType<typeof useChain>;
  upload: boolean;
  signal: AbortSignal;
  onEvent: (event: TaskEvent) => void;
}): Promise<void> {
  const { local, runtime, chain, upload, signal, onEvent } = options;
  const [{ followTask }, { pageBlobs }, skewMs] = await Promise.all([
    import("@ngpu/client/followTask"),
    import("../lib/pageBlobs.ts"),
    skewOfDevice(),
  ]);
  if (signal.aborted) return;
  const { chainId, deployment } = runtime;
  await followTask({
    gatewayUrl: runtime.gatewayUrl,
    chain,
    chainId,
    deployment,
    openBlobs: pageBlobs({ chainId, verifyingContract: deployment.taskEscrow }),
    secrets: local.secrets,
    ...(upload ? { sealedInput: local.sealedInput } : {}),
    random: (length) => crypto.getRandomValues(new Uint8Array(length)),
    nowMs: () => Date.now() - skewMs,
    signal,
    onEvent,
  });
}

function skewOfDevice(): Promise<number> {
  return readClockSkew({ fetch: (url, init) => fetch(url, init), nowMs: () => Date.now() });
}

async function openFromChain(options: {
  local: LocalTask;
  runtime: ReturnType<typeof useRuntime>;
  settled: TimelineRow;
}): Promise<unknown> {
  const { local, runtime, settled } = options;
  const [{ openSettledResult }, { pageBlobs }] = await Promise.all([
    import("../lib/openSettledResult.ts"),
    import("../lib/pageBlobs.ts"),
  ]);
  const { gatewayUrl, chainId, deployment } = runtime;
  const openBlobs = pageBlobs({ chainId, verifyingContract: deployment.taskEscrow });
  const request = { gatewayUrl, chainId, taskEscrow: deployment.taskEscrow, secrets: local.secrets, settled, openBlobs };
  return openSettledResult({ ...request, nowMs: Date.now() - (await skewOfDevice()) });
}
