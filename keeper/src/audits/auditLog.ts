/**
 * What an auditor remembers across restarts, a line each in its folder: a task is noted before it is posted, so that no
 * crash makes it spend a budget twice, what a drill's nodes were asked, and its end when it has ended.
 */
import { openAppendLog } from "@ngpu/protocol/service/appendLog";
import { wireJson } from "@ngpu/protocol/wireJson";
import type { Hex } from "viem";
import type { CanaryResult } from "./judgeCanaries.ts";
import type { DrillStep } from "./judgeDrill.ts";

/** A task that is going to be posted. */
export interface CanaryPost {
  slot: string;
  canaryId: string;
  mostUsd6: bigint;
  /** The task that is a drill; nothing else is said of one that is none. */
  drill?: Hex;
}

/** How it ended; without a result it was not billed, or nothing can be said about what was. */
export interface CanaryEnd {
  slot: string;
  amountUsd6: bigint;
  result?: CanaryResult;
  /** What a backup that failed its drill gets beside whoever was paid. */
  failedDrill?: CanaryResult;
}

/** A drill that has not ended yet. */
export interface OpenDrill {
  slot: string;
  canaryId: string;
  taskId: Hex;
  steps: DrillStep[];
}

export interface AuditLog {
  history(): readonly CanaryResult[];
  /** Slots that were used, and what they cost or still may cost. */
  used(): ReadonlyMap<string, bigint>;
  usesOf(canaryId: string): number;
  /** By their tasks. */
  drills(): ReadonlyMap<Hex, OpenDrill>;
  /** Notes what a node of an open drill is asked. */
  step(taskId: Hex, step: DrillStep): Promise<void>;
  post(post: CanaryPost): Promise<void>;
  end(end: CanaryEnd): Promise<void>;
  close(): Promise<void>;
}

export async function openAuditLog(path: string): Promise<AuditLog> {
  const file = await openAppendLog(path);
  const history: CanaryResult[] = [];
  const used = new Map<string, bigint>();
  const uses = new Map<string, number>();
  const drills = new Map<Hex, OpenDrill>();

  function takePost({ slot, canaryId, mostUsd6, drill: taskId }: CanaryPost): void {
    used.set(slot, mostUsd6);
    if (taskId !== undefined) drills.set(taskId, { slot, canaryId, taskId, steps: [] });
    uses.set(canaryId, (uses.get(canaryId) ?? 0) + 1);
  }

  function takeEnd({ slot, amountUsd6, result, failedDrill }: CanaryEnd): void {
    used.set(slot, amountUsd6);
    for (const known of [failedDrill, result]) if (known !== undefined) history.push(known);
    for (const drill of drills.values()) if (drill.slot === slot) drills.delete(drill.taskId);
  }

  for (const text of file.lines) {
    const line = JSON.parse(text) as Record<string, string>;
    if (line.step !== undefined) drills.get(line.taskId as Hex)?.steps.push(line.step as never as DrillStep);
    if (line.mostUsd6 !== undefined) takePost({ ...(line as never as CanaryPost), mostUsd6: BigInt(line.mostUsd6) });
    if (line.amountUsd6 === undefined) continue;
    const { result, failedDrill, ...rest } = line as never as CanaryEnd;
    takeEnd({
      ...{ ...rest, amountUsd6: BigInt(line.amountUsd6) },
      ...(result === undefined ? {} : { result: read(result) }),
      ...(failedDrill === undefined ? {} : { failedDrill: read(failedDrill) }),
    });
  }

  return {
    history: () => history,
    used: () => used,
    usesOf: (canaryId) => uses.get(canaryId) ?? 0,
    drills: () => drills,
    async step(taskId, step) {
      drills.get(taskId)?.steps.push(step);
      await file.append(wireJson({ taskId, step }));
    },
    async post(post) {
      await file.append(wireJson(post));
      takePost(post);
    },
    async end(end) {
      await file.append(wireJson(end));
      takeEnd(end);
    },
    close: () => file.close(),
  };
}

/** A result as a line has it: its sum is a string. */
function read(result: CanaryResult): CanaryResult {
  return { ...result, billedCums: BigInt(result.billedCums) };
}
