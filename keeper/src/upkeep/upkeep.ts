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
import type { PublicClient } from "viem";
import type { Head } from "../chain/taskFollower.ts";
import { createEpochReader } from "../epochs/epochSnapshot.ts";
import { gasOf, planEpochs, type EpochWork } from "../epochs/planEpochs.ts";
import type { Outcome } from "../keeper/transactionLane.ts";
import { createGasBudget } from "./gasBudget.ts";
import { upkeepKey, type EpochAction, type UpkeepAction } from "./upkeepAction.ts";

export interface UpkeepSettings {
  epochs: EpochWork;
  /** What epochs may take in any hour. */
  epochGasPerHour: bigint;
}

export interface Upkeep {
  /** How an action that was submitted ended. */
  ended(action: UpkeepAction, outcome: Outcome): void;
  trigger(): void;
  /** The chain is another one. */
  forget(): void;
  stop(): Promise<void>;
}

export function startUpkeep(options: {
  chain: PublicClient;
  deployment: Deployment;
  settings: UpkeepSettings;
  submit: (action: UpkeepAction) => boolean;
  clock: Clock;
  log: Log;
  everyMs: number;
  telemetry?: Telemetry;
}): Upkeep {
  const { chain, deployment, settings, submit, clock, log, everyMs, telemetry } = options;
  const epochs = createEpochReader({ chain, deployment });
  const budget = createGasBudget({ perHourGas: settings.epochGasPerHour, nowMs: () => clock.monotonicMs() });
  const inFlight = new Map<string, UpkeepAction>();
  const doesEpochs = Object.values(settings.epochs).some(Boolean);
  /** Head that was planned from; undefined when it must be read anew. */
  let planned: Head | undefined;
  let isDown = false;
  let epoch = 0;
  telemetry?.gauge({ name: "selection_epoch", help: "Epoch of the draw, as last read.", read: () => epoch });
  telemetry?.gauge({ name: "epoch_gas_left", help: "Gas that epochs may still take.", read: () => Number(budget.left()) });

  const loop = createLoop({ name: "upkeep", everyMs, clock, log, pass });

  async function pass(signal: AbortSignal): Promise<void> {
    if (inFlight.size > 0) return;
    try {
      const head = await headOf(chain);
      if (planned?.hash === head.hash) return;
      await actOn(head);
      planned = head;
      if (isDown) log.info("upkeep goes on");
      isDown = false;
    } catch (error) {
      if (!isDown && !signal.aborted) {
        log.warn({ ...(explainFailure(error) ?? { err: error }) }, "upkeep waits for the chain");
      }
      isDown = true;
    }
  }

  async function actOn(head: Head): Promise<void> {
    if (!doesEpochs) return;
    const facts = await epochs.read(head);
    ({ epoch } = facts);
    for (const action of planEpochs({ facts, work: settings.epochs, gasLeft: budget.left() })) {
      if (begin(action)) budget.spend(gasOf(action));
    }
  }

  function begin(action: UpkeepAction): boolean {
    const isTaken = submit(action);
    if (isTaken) inFlight.set(upkeepKey(action), action);
    return isTaken;
  }

  return {
    ended(action, outcome) {
      inFlight.delete(upkeepKey(action));
      planned = undefined;
      if (isEpochAction(action) && outcome !== "done" && outcome !== "refused") budget.giveBack(gasOf(action));
      if (action.kind === "refreshWeight" && outcome === "done") epochs.refreshed(action);
      loop.trigger();
    },
    trigger: () => loop.trigger(),
    forget() {
      planned = undefined;
      epochs.forget();
    },
    stop: () => loop.stop(),
  };
}

function isEpochAction(action: UpkeepAction): action is EpochAction {
  return ["advance", "openWithoutSeed", "applyQueued", "refreshWeight", "refreshRate"].includes(action.kind);
}

async function headOf(chain: PublicClient): Promise<Head> {
  const { number, hash, timestamp } = await chain.getBlock({ blockTag: "latest" });
  return { number, hash, timestampS: Number(timestamp) };
}
