/**
 * What a keeper does for the network as a whole, all of it on chain: epochs, liveness, quality. Anyone may do most of
 * it, so doing it twice or by two keepers at once is harmless.
 */
import type { Deployment } from "@ngpu/protocol/deployment";
import { availabilityAbi } from "@ngpu/protocol/generated/abi/availability";
import { keeperBondsAbi } from "@ngpu/protocol/generated/abi/keeperBonds";
import { priceOracleAbi } from "@ngpu/protocol/generated/abi/priceOracle";
import { scoreBoardAbi } from "@ngpu/protocol/generated/abi/scoreBoard";
import { selectionAbi } from "@ngpu/protocol/generated/abi/selection";
import { stakeVaultAbi } from "@ngpu/protocol/generated/abi/stakeVault";
import type { Signed } from "@ngpu/protocol/signed";
import type { Assigned, TaskTerms } from "@ngpu/protocol/taskDigest";
import type { Address, Hex } from "viem";

export type EpochAction =
  /** Go on to the next phase, or take a seed that came late. */
  | { kind: "advance"; epoch: number; phase: number }
  /** Open the epoch although the seed source takes no request. */
  | { kind: "openWithoutSeed"; epoch: number }
  /** Apply weights that were queued. */
  | { kind: "applyQueued"; most: number }
  /** Bring one member's weight up to date. */
  | { kind: "refreshWeight"; pool: Hex; member: number }
  /** Note the feed's rate, so that it may stand in for a failing feed. */
  | { kind: "refreshRate" };

export type FaultAction =
  /** Relay a node's answer to a challenge. */
  | { kind: "answerLiveness"; reply: Signed<"livenessReply">; blockNumber: bigint }
  /** Ask a node, with a bond, to show that it is there. */
  | { kind: "challengeLiveness"; nodeId: number; bondWei: bigint }
  /** Close challenges that nobody answered. */
  | { kind: "performUpkeep"; performData: Hex }
  /** Say that a node accepted a task and let it expire: the reporter gets a part of the slash. */
  | { kind: "reportMissedTask"; taskId: Hex; nodeId: number; terms: TaskTerms; standing: Assigned }
  /** Give the harmed payer and the reporter their shares of a slash, and burn the rest. */
  | { kind: "finishSlash"; slashId: bigint }
  /** Take out what this keeper earned: coins of a bond ledger, or stake tokens of the keepers' bonds or of slashes. */
  | { kind: "payBondCredit"; ledger: "availability" | "disputes"; account: Address }
  | { kind: "withdrawCredit"; account: Address }
  | { kind: "payStakeCredit"; account: Address };

export type QualityAction = { kind: "setQuality"; nodeId: number; qualityBps: number; cause: Hex };

export type UpkeepAction = EpochAction | FaultAction | QualityAction;

const upkeepKinds: readonly UpkeepAction["kind"][] = [
  ...(["advance", "openWithoutSeed", "applyQueued", "refreshWeight", "refreshRate"] as const),
  ...(["answerLiveness", "challengeLiveness", "performUpkeep", "payBondCredit", "withdrawCredit"] as const),
  ...(["reportMissedTask", "finishSlash", "payStakeCredit", "setQuality"] as const),
];

export function isUpkeepAction<T extends { kind: string }>(action: T | UpkeepAction): action is UpkeepAction {
  return (upkeepKinds as readonly string[]).includes(action.kind);
}

/** Equal for actions that do the same thing. */
export function upkeepKey(action: UpkeepAction): string {
  switch (action.kind) {
    case "advance":
      return `advance:${action.epoch}:${action.phase}`;
    case "openWithoutSeed":
      return `openWithoutSeed:${action.epoch}`;
    case "refreshWeight":
      return `refreshWeight:${action.pool}:${action.member}`;
    case "answerLiveness":
      return `answerLiveness:${action.reply.message.challengeId}`;
    case "reportMissedTask":
      return `reportMissedTask:${action.taskId}:${action.nodeId}`;
    case "finishSlash":
      return `finishSlash:${action.slashId}`;
    case "challengeLiveness":
    case "setQuality":
      return `${action.kind}:${action.nodeId}`;
    case "payBondCredit":
      return `payBondCredit:${action.ledger}`;
    case "applyQueued":
    case "refreshRate":
    case "performUpkeep":
    case "withdrawCredit":
    case "payStakeCredit":
      return action.kind;
  }
}

/** The contract, its function, the arguments, and the coins that go along. */
export function upkeepCall(action: UpkeepAction, deployment: Deployment) {
  const selection = { address: deployment.selection, abi: selectionAbi } as const;
  const availability = { address: deployment.availability, abi: availabilityAbi } as const;
  const vault = { address: deployment.stakeVault, abi: stakeVaultAbi } as const;
  switch (action.kind) {
    case "advance":
    case "openWithoutSeed":
      return { ...selection, functionName: action.kind, args: [] } as const;
    case "applyQueued":
      return { ...selection, functionName: "applyQueued", args: [BigInt(action.most)] } as const;
    case "refreshWeight":
      return { ...selection, functionName: "refresh", args: [action.pool, action.member] } as const;
    case "refreshRate":
      return { address: deployment.priceOracle, abi: priceOracleAbi, functionName: "refresh", args: [] } as const;
    case "answerLiveness": {
      const { reply, blockNumber } = action;
      return { ...availability, functionName: "answer", args: [reply.message, blockNumber, reply.signature] } as const;
    }
    case "challengeLiveness": {
      const { nodeId, bondWei } = action;
      return { ...availability, functionName: "challengeLiveness", args: [nodeId], value: bondWei } as const;
    }
    case "performUpkeep":
      return { ...availability, functionName: "performUpkeep", args: [action.performData] } as const;
    case "reportMissedTask": {
      const { taskId, nodeId, terms, standing } = action;
      return { ...availability, functionName: "reportMissedTask", args: [{ taskId, nodeId, terms, standing }] } as const;
    }
    case "payBondCredit": {
      const address = deployment[action.ledger];
      return { address, abi: availabilityAbi, functionName: "payBondCredit", args: [action.account] } as const;
    }
    case "withdrawCredit": {
      const bonds = { address: deployment.keeperBonds, abi: keeperBondsAbi } as const;
      return { ...bonds, functionName: "withdrawCredit", args: [action.account] } as const;
    }
    case "finishSlash":
      return { ...vault, functionName: "finishSlash", args: [action.slashId] } as const;
    case "payStakeCredit":
      return { ...vault, functionName: "payCredit", args: [action.account] } as const;
    case "setQuality": {
      const { nodeId, qualityBps, cause } = action;
      const board = { address: deployment.scoreBoard, abi: scoreBoardAbi } as const;
      return { ...board, functionName: "setQuality", args: [nodeId, qualityBps, cause] } as const;
    }
  }
}

/** What an action is about, for logs. */
export function upkeepSubject(action: UpkeepAction): object {
  switch (action.kind) {
    case "answerLiveness":
      return action.reply.message;
    case "performUpkeep":
      return {};
    case "reportMissedTask":
      return { taskId: action.taskId, nodeId: action.nodeId };
    default: {
      const { kind: _kind, ...fields } = action;
      return Object.fromEntries(Object.entries(fields).map(([k, v]) => [k, typeof v === "bigint" ? v.toString() : v]));
    }
  }
}
