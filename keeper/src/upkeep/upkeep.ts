/**
 * The slow half of a keeper: what the network as a whole needs. A loop of its own, so that no task ever waits for it;
 * observe → plan → act as in keeper.ts, through the same lane. While something of it is in flight nothing is planned,
 * so nothing is planned from a world that is older than the last act.
 */
import type { Deployment } from "@ngpu/protocol/deployment";
import { explainFailure } from "@ngpu/protocol/service/explainFailure";
import type { Clock } from "@ngpu/protocol/service/clock";
import type { Log } from "@ngpu/protocol/service/log";
import { createLoop } from "@ngpu/protocol/service/loop";
import type { Telemetry } from "@ngpu/protocol/service/telemetry";
import type { SigningContext } from "@ngpu/protocol/signed";
import type { Frame, FrameOf } from "@ngpu/protocol/wire";
import type { Address, Hex, PublicClient } from "viem";
import type { Authority } from "../chain/authority.ts";
import type { Head, TaskFollower } from "../chain/taskFollower.ts";
import { createEpochReader } from "../epochs/epochSnapshot.ts";
import { gasOf, planEpochs, type EpochWork } from "../epochs/planEpochs.ts";
import { createFaultReader, type FaultFacts } from "../faults/faultSnapshot.ts";
import { closingGas, finishGas, planFaults, toAsk, type FaultWork } from "../faults/planFaults.ts";
import { createMissReader } from "../faults/missReader.ts";
import { planMissed, reportGas } from "../faults/planMissed.ts";
import { createReplyShelf } from "../faults/replyShelf.ts";
import { createSilenceWatch } from "../faults/silenceWatch.ts";
import type { View } from "../keeper/gatewayView.ts";
import type { Outcome } from "../keeper/transactionLane.ts";
import { createGasBudget } from "./gasBudget.ts";
import { upkeepKey, type UpkeepAction } from "./upkeepAction.ts";

export interface UpkeepSettings {
  epochs: EpochWork;
  faults: FaultWork;
  /** What epochs, closed challenges, finished slashes and reports may take in any hour: nobody pays for them, or not at once. */
  gasPerHour: bigint;
}

export interface Upkeep {
  /** How an action that was submitted ended. */
  ended(action: UpkeepAction, outcome: Outcome): void;
  /** A node's answer to a challenge. Rejects when the chain does not answer. */
  take(frame: FrameOf<"livenessReply">): Promise<void>;
  /** Ended tasks of which the RPC told what the chain's digest denies: they are not reported. */
  misfits(): Hex[];
  /** The chain is another one. */
  forget(): void;
  stop(): Promise<void>;
}

/** A node that was asked for an answer has so long before it is asked again. */
const askEveryMs = 2_000;
/** All nodes are looked at, so at most so often, or four times in what counts as silence. */
const silenceEveryMs = 15_000;

export function startUpkeep(options: {
  chain: PublicClient;
  deployment: Deployment;
  settings: UpkeepSettings;
  account: Address;
  authority: Pick<Authority, "operatorOf">;
  follower: Pick<TaskFollower, "refunded">;
  context: SigningContext;
  readView: () => Pick<View, "nodes" | "connectedSinceMs">;
  /** To every gateway. */
  send: (frame: Frame) => void;
  submit: (action: UpkeepAction) => boolean;
  clock: Clock;
  log: Log;
  everyMs: number;
  telemetry?: Telemetry;
}): Upkeep {
  const { chain, deployment, settings, account, readView, send, submit, clock, log, everyMs, telemetry } = options;
  const { epochs: epochWork, faults: faultWork, gasPerHour } = settings;
  const nowMs = (): number => clock.monotonicMs();
  const epochs = createEpochReader({ chain, deployment });
  const faults = createFaultReader({ chain, deployment, account });
  const misses = createMissReader(options);
  const replies = createReplyShelf(options);
  const silence = createSilenceWatch({ nowMs });
  const budget = createGasBudget({ perHourGas: gasPerHour, nowMs });
  const inFlight = new Map<string, bigint>();
  const asked = new Map<Hex, number>();
  const doesEpochs = Object.values(epochWork).some(Boolean);
  const doesFaults = Object.values(faultWork).some((part) => part !== false && part !== undefined);
  /** Head that was planned from; undefined when it must be read anew. */
  let planned: Head | undefined;
  let faultFacts: FaultFacts | undefined;
  let silenceReadMs = -Infinity;
  let isDown = false;
  let epoch = 0;
  const open = (): number => faultFacts?.challenges.length ?? 0;
  telemetry?.gauge({ name: "selection_epoch", help: "Epoch of the draw, as last read.", read: () => epoch });
  telemetry?.gauge({ name: "upkeep_gas_left", help: "Gas that upkeep may still take.", read: () => Number(budget.left()) });
  telemetry?.gauge({ name: "open_challenges", help: "Liveness challenges that can be answered.", read: open });

  const loop = createLoop({ name: "upkeep", everyMs, clock, log, pass });

  async function pass(signal: AbortSignal): Promise<void> {
    const view = readView();
    silence.look(view);
    askNodes(view);
    if (inFlight.size > 0) return;
    try {
      const head = await headOf(chain);
      if (planned?.hash === head.hash) return;
      // Whatever comes in meanwhile is planned in the next pass.
      planned = head;
      await keepFaults(head, view);
      await keepMissed(head);
      await keepEpochs(head);
      if (isDown) log.info("upkeep goes on");
      isDown = false;
    } catch (error) {
      planned = undefined;
      if (!isDown && !signal.aborted) {
        log.warn({ ...(explainFailure(error) ?? { err: error }) }, "upkeep waits for the chain");
      }
      isDown = true;
    }
  }

  async function keepEpochs(head: Head): Promise<void> {
    if (!doesEpochs) return;
    const facts = await epochs.read(head);
    ({ epoch } = facts);
    for (const action of planEpochs({ facts, work: epochWork, gasLeft: budget.left() })) begin(action, gasOf(action));
  }

  async function keepFaults(head: Head & { baseFeeWei: bigint }, view: Pick<View, "nodes">): Promise<void> {
    if (!doesFaults) return;
    const { challenge } = faultWork;
    const forMs = (challenge?.silentForS ?? 0) * 1_000;
    const looksForSilence = challenge !== undefined && nowMs() - silenceReadMs >= Math.min(silenceEveryMs, forMs / 4);
    const silentOf = (nodeCount: number): number[] => silence.silent({ nodeCount, forMs });
    const facts = looksForSilence ? await faults.read(head, silentOf) : await faults.read(head);
    if (looksForSilence) silenceReadMs = nowMs();
    faultFacts = facts;
    const ids = new Set(facts.challenges.map(({ challengeId }) => challengeId));
    replies.keepOnly(ids);
    for (const challengeId of asked.keys()) if (!ids.has(challengeId)) asked.delete(challengeId);
    askNodes(view);
    for (const action of planFaults({ facts, work: faultWork, replyOf: replies.of, gasLeft: budget.left() })) {
      begin(action, action.kind === "performUpkeep" ? closingGas(facts) : action.kind === "finishSlash" ? finishGas : 0n);
    }
  }

  async function keepMissed(head: Head): Promise<void> {
    if (!faultWork.missed) return;
    const facts = await misses.read(head);
    for (const action of planMissed({ facts, gasLeft: budget.left() })) begin(action, reportGas);
  }

  /** A node that is linked to one of our gateways is asked for its answer, and again until it has come. */
  function askNodes({ nodes }: Pick<View, "nodes">): void {
    if (faultFacts === undefined) return;
    for (const { challengeId, nodeId } of toAsk({ facts: faultFacts, work: faultWork, replyOf: replies.of })) {
      if (!nodes.has(nodeId) || nowMs() - (asked.get(challengeId) ?? -Infinity) < askEveryMs) continue;
      asked.set(challengeId, nowMs());
      send({ t: "livenessAsk", nodeId, challengeId });
    }
  }

  function begin(action: UpkeepAction, gas: bigint): void {
    if (!submit(action)) return;
    inFlight.set(upkeepKey(action), gas);
    if (gas > 0n) budget.spend(gas);
  }

  return {
    ended(action, outcome) {
      const gas = inFlight.get(upkeepKey(action)) ?? 0n;
      inFlight.delete(upkeepKey(action));
      // What is not so in the newest block although it was planned from it is looked at again in the next one.
      if (action.kind !== "reportMissedTask" || outcome !== "benign") planned = undefined;
      if (gas > 0n && outcome !== "done" && outcome !== "refused") budget.giveBack(gas);
      if (action.kind === "refreshWeight" && outcome === "done") epochs.refreshed(action);
      // Its block may have been undone: the node is asked for another one.
      if (action.kind === "answerLiveness" && outcome === "refused") replies.drop(action.reply.message.challengeId);
      loop.trigger();
    },
    async take(frame) {
      if (!faultWork.relay || !asked.has(frame.reply.message.challengeId)) return;
      if (!(await replies.take(frame))) return;
      planned = undefined;
      loop.trigger();
    },
    misfits: () => misses.misfits(),
    forget() {
      [planned, faultFacts] = [undefined, undefined];
      epochs.forget();
      faults.forget();
      misses.forget();
      silence.forget();
      asked.clear();
    },
    stop: () => loop.stop(),
  };
}

async function headOf(chain: PublicClient): Promise<Head & { baseFeeWei: bigint }> {
  const { number, hash, timestamp, baseFeePerGas } = await chain.getBlock({ blockTag: "latest" });
  return { number, hash, timestampS: Number(timestamp), baseFeeWei: baseFeePerGas ?? 0n };
}
