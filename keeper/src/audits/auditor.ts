/**
 * Audits nodes by tasks whose right result it knows: posts one when its time has come, judges the node that was paid for
 * it, and sets the node's quality where that changed. Some canaries are drills, which this keeper begins with the backup.
 * One canary at a time; what it knows is in its log, so a restart changes nothing.
 */
import type { Deployment } from "@ngpu/protocol/deployment";
import { codeOf } from "@ngpu/protocol/errors";
import { nodeRegistryAbi } from "@ngpu/protocol/generated/abi/nodeRegistry";
import { priceOracleAbi } from "@ngpu/protocol/generated/abi/priceOracle";
import { scoreBoardAbi } from "@ngpu/protocol/generated/abi/scoreBoard";
import { explainFailure } from "@ngpu/protocol/service/explainFailure";
import type { Clock } from "@ngpu/protocol/service/clock";
import type { Log } from "@ngpu/protocol/service/log";
import { createLoop } from "@ngpu/protocol/service/loop";
import { readTask, type KnownTask } from "@ngpu/protocol/readTask";
import { isOver } from "@ngpu/protocol/taskStatus";
import { maxAmountUsd6 } from "@ngpu/protocol/units";
import type { Hex, PublicClient } from "viem";
import { revertOf } from "../chain/revertOf.ts";
import type { Dispatch } from "../keeper/action.ts";
import type { Outcome } from "../keeper/transactionLane.ts";
import type { QualityAction, UpkeepAction } from "../upkeep/upkeepAction.ts";
import { ageQuality } from "./ageQuality.ts";
import type { AuditLog, OpenDrill } from "./auditLog.ts";
import type { Canary } from "./canarySet.ts";
import { evidenceOf, type Evidence } from "./evidence.ts";
import { judgeCanaries, type CanaryResult } from "./judgeCanaries.ts";
import { judgeDrill, type DrillStep } from "./judgeDrill.ts";
import { isPast, planAudit, type AuditRules } from "./planAudit.ts";
import { canaryBackups, type CanaryOutcome, type PostCanary } from "./postCanary.ts";
import { sameResult } from "./sameResult.ts";

export interface Auditor {
  /** Open tasks of its own whose backup is to be tried. */
  drills(): ReadonlySet<Hex>;
  /** This keeper has asked a node to execute a task, which may be a drill. */
  asked(dispatch: Dispatch): void;
  /** How an action that was submitted ended. */
  ended(action: UpkeepAction, outcome: Outcome): void;
  stop(): Promise<void>;
}

export interface AuditorOptions {
  chain: PublicClient;
  chainId: number;
  deployment: Deployment;
  /** None while there is no set yet. */
  canaries: () => readonly Canary[];
  rules: AuditRules;
  /** Secret; decides when and which. */
  seed: Hex;
  memory: AuditLog;
  post: PostCanary;
  /** Keeps a document under its hash before the chain names it. */
  publish: (evidence: Evidence) => Promise<void>;
  clock: Clock;
  log: Log;
  everyMs?: number;
}

/** `traffic`: declared work of recent tasks, which the sizes of canaries follow. */
export function startAuditor(
  options: AuditorOptions & { submit: (action: QualityAction) => boolean; traffic: () => bigint[] },
): Auditor {
  const { traffic, chain, chainId, deployment, canaries, rules, seed, memory, post, publish, submit, clock, log } = options;
  const board = { address: deployment.scoreBoard, abi: scoreBoardAbi } as const;
  const registry = { address: deployment.nodeRegistry, abi: nodeRegistryAbi } as const;
  /** Nodes that were paid for a canary since they were judged last; after a restart that may be any. */
  const unjudged = new Set(memory.history().map(({ nodeId }) => nodeId));
  const wanted = new Map<number, QualityAction>();

  let stopped: Promise<void> | undefined;
  /** Code of what failed last, so that it is said once. */
  let trouble: string | undefined;

  const loop = createLoop({ name: "audits", everyMs: options.everyMs ?? 5_000, clock, log, pass });

  async function pass(signal: AbortSignal): Promise<void> {
    try {
      for (const nodeId of unjudged) await judge(nodeId).catch((error: unknown) => passOver(nodeId, error));
      for (const action of wanted.values()) submit(action);
      // Those that a restart, or a chain that did not answer, left behind.
      for (const drill of [...memory.drills().values()]) await endLate(drill);
      await postNext(signal);
      trouble = undefined;
    } catch (error) {
      const code = codeOf(error);
      if (!signal.aborted && code !== trouble) log.warn({ ...(explainFailure(error) ?? { err: error }) }, "auditing waits");
      trouble = code;
    }
  }

  async function postNext(signal: AbortSignal): Promise<void> {
    const oracle = { address: deployment.priceOracle, abi: priceOracleAbi } as const;
    const priceUsd6PerGcums = await chain.readContract({ ...oracle, functionName: "priceUsd6PerGcums" });
    const mostOf = ({ workCums }: Canary): bigint => maxAmountUsd6({ workCums, priceUsd6PerGcums, backups: canaryBackups });
    const set = canaries();
    const candidates = set.map((canary) => {
      const { id, workCums } = canary;
      return { id, workCums, mostUsd6: mostOf(canary), uses: memory.usesOf(id) };
    });
    const nowS = Math.floor(clock.nowMs() / 1_000);
    const due = planAudit({ nowS, seed, rules, candidates, used: memory.used(), traffic: traffic() });
    const canary = set.find(({ id }) => id === due?.canaryId);
    if (due === undefined || canary === undefined || signal.aborted) return;
    const { slot, canaryId, isDrill } = due;
    let drill: Hex | undefined;
    const outcome = await post({
      ...{ canary, signal },
      beforePost(taskId) {
        if (isDrill) drill = taskId;
        return memory.post({ slot, canaryId, mostUsd6: mostOf(canary), ...(isDrill ? { drill: taskId } : {}) });
      },
    });
    // What may have been billed goes on counting with the most that it can cost.
    if (outcome === undefined) return;
    const drilled = drill === undefined ? undefined : memory.drills().get(drill);
    const { served, failedDrill } = drilled === undefined ? {} : drillResults(drilled.steps, await taskOf(drilled.taskId));
    const end = { slot, ...(failedDrill === undefined ? {} : { failedDrill }) };
    if (outcome === "refunded") await memory.end({ ...end, amountUsd6: 0n });
    else {
      const result = resultOf(canary, outcome);
      const { amountUsd6, standbyUsd6 } = outcome.bill;
      const billed = served === result.nodeId ? { ...result, drill: "served" as const } : result;
      await memory.end({ ...end, amountUsd6: amountUsd6 + standbyUsd6, result: billed });
      unjudged.add(result.nodeId);
    }
    if (failedDrill !== undefined) unjudged.add(failedDrill.nodeId);
    loop.trigger();
  }

  /** Ends a drill by what the chain says alone: nobody can open its result any more. */
  async function endLate({ slot, taskId, steps }: OpenDrill): Promise<void> {
    const nowS = Math.floor(clock.nowMs() / 1_000);
    const task = await taskOf(taskId).catch((error: unknown) => {
      if (codeOf(error) !== "TASK_UNKNOWN") throw error;
    });
    // It was never posted; on its day it may be yet.
    if (task === undefined) return isPast(slot, nowS) ? memory.end({ slot, amountUsd6: 0n }) : undefined;
    if (!isOver(task.state.status)) return;
    const { amountUsd6 = 0n, standbyUsd6 = 0n } = task.settled?.args ?? {};
    const { failedDrill } = drillResults(steps, task);
    await memory.end({ slot, amountUsd6: amountUsd6 + standbyUsd6, ...(failedDrill === undefined ? {} : { failedDrill }) });
    if (failedDrill !== undefined) unjudged.add(failedDrill.nodeId);
  }

  function taskOf(taskId: Hex): Promise<KnownTask> {
    return readTask({ chain, escrow: deployment.taskEscrow, taskId, firstBlock: BigInt(deployment.deploymentBlock) });
  }

  /** A node that the chain refuses to know must not hold up the others. */
  function passOver(nodeId: number, error: unknown): void {
    if (revertOf(error) === undefined) throw error;
    unjudged.delete(nodeId);
    log.warn({ nodeId, ...(explainFailure(error) ?? { err: error }) }, "a node cannot be judged");
  }

  async function judge(nodeId: number): Promise<void> {
    const [node, ripeningS, stored, block] = await Promise.all([
      chain.readContract({ ...registry, functionName: "node", args: [nodeId] }),
      chain.readContract({ ...board, functionName: "ripeningS" }),
      chain.readContract({ ...board, functionName: "scoreOf", args: [nodeId] }),
      chain.getBlock(),
    ]);
    const judgedAtS = Number(block.timestamp);
    const ageBps = ageQuality({ registeredAtS: node.registeredAt, nowS: judgedAtS, ripeningS });
    const history = memory.history();
    const judgement = judgeCanaries({ history, nodeId, ageBps });
    const { qualityBps } = judgement;
    // A clean node that nobody has rated goes on to ripen by itself.
    if (qualityBps !== (stored.rated ? stored.qualityBps : ageBps)) {
      const { scoreBoard } = deployment;
      const evidence = evidenceOf({ chainId, scoreBoard, nodeId, ageBps, judgement, history, judgedAtS });
      await publish(evidence);
      wanted.set(nodeId, { kind: "setQuality", nodeId, qualityBps, cause: evidence.cause });
      log.info({ nodeId, qualityBps, cause: evidence.cause }, "an audit changes a node's quality");
    } else wanted.delete(nodeId);
    unjudged.delete(nodeId);
  }

  return {
    drills: () => new Set(memory.drills().keys()),
    asked({ taskId, nodeId, assignment, attempt }) {
      const steps = memory.drills().get(taskId)?.steps;
      const isKnown = steps?.some((step) => step.assignment === assignment && step.attempt === attempt);
      if (isKnown !== false) return;
      const noted = memory.step(taskId, { nodeId, assignment, attempt });
      noted.catch((error: unknown) => log.warn({ taskId, err: error }, "what a drill asked is not on disk"));
    },
    ended(action, outcome) {
      if (action.kind !== "setQuality") return;
      // What failed is tried again; what the contract refused, it refuses always: the role is missing.
      if (outcome === "failed") return loop.trigger();
      if (outcome === "refused") log.error({ nodeId: action.nodeId }, "this account may not set qualities");
      if (wanted.get(action.nodeId)?.cause === action.cause) wanted.delete(action.nodeId);
    },
    stop: () => (stopped ??= loop.stop().then(() => memory.close())),
  };
}

/** Who served as a backup, or what is held against the one that did not. */
function drillResults(
  steps: readonly DrillStep[],
  { taskId, posted, terms, logs }: KnownTask,
): { served?: number; failedDrill?: CanaryResult } {
  const verdict = judgeDrill({ steps, logs });
  if (verdict === undefined) return {};
  const { nodeId, hasServed } = verdict;
  if (hasServed) return { served: nodeId };
  const size = sizeOf(posted.modelId, terms.workCums);
  return { failedDrill: { taskId, nodeId, size, isRight: false, billedCums: 0n, drill: "failed" } };
}

/** Equal for tasks whose bills are compared. */
function sizeOf(modelId: Hex, workCums: bigint): string {
  return `${modelId}:${workCums}`;
}

function resultOf(canary: Canary, { taskId, bill, json }: CanaryOutcome): CanaryResult {
  const { modelId, manifest, expected, workCums } = canary;
  return {
    taskId,
    nodeId: bill.nodeId,
    size: sizeOf(modelId, workCums),
    isRight: sameResult({ expected, found: json, determinism: manifest.determinism }),
    billedCums: BigInt(bill.powerCu) * BigInt(bill.durationMs),
  };
}
