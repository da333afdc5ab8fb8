/**
 * Every figure that the economics stand on, and where it is: a constant of a contract, an argument of the deployment,
 * a service's setting, a fact about a source, or an assumption about the world, which is the only kind that is typed
 * here.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ParameterError } from "./parameterError.ts";
import { deployedValues } from "./sources/deployedValues.ts";
import { solidityConstant } from "./sources/solidityConstant.ts";
import { settingDefault } from "./sources/settingDefault.ts";

export type ParameterName = keyof typeof catalogue;
export type Parameters = Readonly<Record<ParameterName, bigint>>;

/** How a parameter is read. `file` is the source whose absence means that the contract is not there yet. */
export type ParameterPlace =
  | { readonly from: "constant"; readonly file: string; readonly name: string; readonly unit: Unit }
  | { readonly from: "deployment"; readonly file: string; readonly name: string; readonly unit: Unit }
  | { readonly from: "local deployment"; readonly file: string; readonly name: string; readonly unit: Unit }
  | { readonly from: "mention"; readonly file: string; readonly name: string; readonly unit: "yes or no" }
  | { readonly from: "setting"; readonly file: string; readonly name: string; readonly unit: Unit }
  | { readonly from: "assumption"; readonly value: bigint; readonly why: string; readonly unit: Unit };

export type Unit =
  | "yes or no"
  | "seconds"
  | "ms"
  | "basis points"
  | "number"
  | "NGPU wei"
  | "coin wei"
  | "usd6"
  | "CU"
  | "usd8 per NGPU";

const constant = (file: string, name: string, unit: Unit): ParameterPlace => ({
  from: "constant",
  file: `contracts/${file}.sol`,
  name,
  unit,
});
/** `since`: a source that came with the argument, where the contract itself is older. */
const deployed = (contract: string, argument: string, unit: Unit, since = contract): ParameterPlace => ({
  from: "deployment",
  file: `contracts/${since}.sol`,
  name: `${contract}.${argument}`,
  unit,
});
/** What a service does unless its operator says otherwise. */
const setting = (file: string, name: string, unit: Unit): ParameterPlace => ({ from: "setting", file, name, unit });
/** Whether a source speaks of something. */
const mention = (file: string, name: string): ParameterPlace => ({ from: "mention", file, name, unit: "yes or no" });
const nodeClass = (id: number, field: string, unit: Unit): ParameterPlace => ({
  from: "deployment",
  file: "contracts/NodeRegistry.sol",
  name: `class.${id}.${field}`,
  unit,
});

export const catalogue = {
  priceUsd6PerGcums: deployed("PriceOracle", "initialPriceUsd6PerGcums_", "usd6"),
  cumsPerPrice: constant("libraries/Limits", "CUMS_PER_PRICE", "number"),
  maxDeadlineS: constant("libraries/Limits", "MAX_DEADLINE_S", "seconds"),
  capNumerator: constant("libraries/Limits", "CAP_NUMERATOR", "number"),
  capDenominator: constant("libraries/Limits", "CAP_DENOMINATOR", "number"),
  cpuPowerCu: nodeClass(0, "minimumPowerCu", "CU"),
  cpuStakeWei: nodeClass(0, "minimumStakeWei", "NGPU wei"),
  gpuPowerCu: nodeClass(1, "minimumPowerCu", "CU"),
  gpuStakeWei: nodeClass(1, "minimumStakeWei", "NGPU wei"),
  datacenterPowerCu: nodeClass(2, "minimumPowerCu", "CU"),
  datacenterStakeWei: nodeClass(2, "minimumStakeWei", "NGPU wei"),

  backupStandbyBps: constant("libraries/Limits", "STANDBY_BPS", "basis points"),
  maxBackups: constant("libraries/Limits", "MAX_BACKUPS", "number"),
  payerWindowS: deployed("PaymentVault", "maturitySeconds_", "seconds", "libraries/MaturingCredit"),
  answerWindowS: deployed("TaskEscrow", "parts.answerWindow", "seconds", "task/OutputDemands"),
  demandQuorum: deployed("TaskEscrow", "parts.quorum", "number", "task/OutputDemands"),
  billPerBond: constant("task/OutputDemands", "BILL_PER_BOND", "number"),
  minimumDemandBondUsd6: deployed("TaskEscrow", "parts.minimumDemandBondUsd6", "usd6", "task/OutputDemands"),
  attestersUnpaid: mention("contracts/task/OutputDemands.sol", "payFromHeld(treasury, bondUsd6)"),
  failureIsFault: mention("contracts/libraries/PenaltyLadder.sol", "SignedFailure"),

  feeBps: deployed("SessionSettlement", "parts.feeBps", "basis points"),
  settleWindowS: deployed("SessionSettlement", "parts.settleWindow", "seconds"),
  creditWindowMs: constant("libraries/SessionLimits", "CREDIT_WINDOW_MS", "ms"),
  maxClaimReceipts: constant("libraries/SessionLimits", "MAX_CLAIM_RECEIPTS", "number"),
  executionWeight: constant("libraries/PackedBills", "EXECUTION_BPS", "number"),
  standbyWeight: constant("libraries/PackedBills", "STANDBY_BPS", "number"),

  thawS: deployed("StakeVault", "terms.thawPeriodSeconds", "seconds", "libraries/SlashBucket"),
  disputeWindowS: deployed("StakeVault", "terms.disputeWindowSeconds", "seconds", "libraries/SlashBucket"),
  appealWindowS: deployed("StakeVault", "terms.appealWindowSeconds", "seconds", "libraries/SlashBucket"),
  minimumBucketWei: deployed("StakeVault", "terms.minimumBucketWei", "NGPU wei", "libraries/SlashBucket"),
  bucketBps: constant("libraries/SlashBucket", "CAPACITY_BPS", "basis points"),
  maxCompensationBps: constant("libraries/SlashSplit", "MAX_COMPENSATION_BPS", "basis points"),
  maxChallengerBps: constant("libraries/SlashSplit", "MAX_CHALLENGER_BPS", "basis points"),

  missSlashBps: constant("libraries/PenaltyLadder", "MISS_SLASH_BPS", "basis points"),
  silenceSlashBps: constant("libraries/PenaltyLadder", "SILENCE_SLASH_BPS", "basis points"),
  livenessBondWei: deployed("Availability", "terms.minimumBondWei", "coin wei"),
  livenessBurnBps: constant("Availability", "BURN_BPS", "basis points"),
  livenessHeadroom: constant("Availability", "BOND_HEADROOM", "number"),

  conflictBps: constant("ReceiptFaults", "CONFLICT_BPS", "basis points"),
  overlapBps: constant("ReceiptFaults", "OVERLAP_BPS", "basis points"),
  resultBps: constant("Disputes", "RESULT_BPS", "basis points"),
  arbitratedBps: constant("Disputes", "ARBITRATED_BPS", "basis points"),
  sampleBps: deployed("Disputes", "terms_.sampleBps", "basis points"),
  auditSeeds: { from: "deployment", file: "contracts/Disputes.sol", name: "Disputes.seeds_", unit: "yes or no" },
  disputeBondWei: deployed("Disputes", "terms_.bondWei", "coin wei"),
  judgeFeeWei: deployed("Disputes", "terms_.judgeFeeWei", "coin wei"),
  committeeSize: deployed("Disputes", "terms_.committeeSize", "number"),

  workFitsNode: mention("contracts/TaskEscrow.sol", "TaskTooLargeForNode"),
  stakePerTask: constant("libraries/Limits", "STAKE_PER_TASK", "number"),
  drawEnforced: mention("contracts/TaskEscrow.sol", "IAssignment"),
  seatsByWeight: mention("keeper/src/keeper/chooseSeats.ts", "draw"),
  postBondWei: deployed("Assignment", "bondWei_", "NGPU wei"),
  maxStakeWei: deployed("Selection", "maxStakeWei_", "NGPU wei"),
  epochOpenS: deployed("Selection", "lengths_.openS", "seconds"),
  minTranscripts: constant("ScoreBoard", "MIN_TRANSCRIPTS", "number"),
  keepersDrawn: constant("ScoreBoard", "KEEPERS_DRAWN", "number"),
  newcomerQualityBps: constant("libraries/Quality", "NEWCOMER_BPS", "basis points"),
  qualityPeriods: constant("libraries/Quality", "PERIODS", "number"),
  ripeningS: deployed("ScoreBoard", "ripeningS_", "seconds"),
  stepDivisor: constant("libraries/ScoreStep", "STEP_DIVISOR", "number"),

  // On by default says nothing without canaries: what counts is whether the keeper that we start is given some.
  auditsRun: mention("scripts/stack/services.ts", "NGPU_AUDIT_FOLDER"),
  auditsPerDay: setting("keeper/src/audits/auditSettings.ts", "NGPU_AUDITS_PER_DAY", "number"),
  auditBudgetUsd6: setting("keeper/src/audits/auditSettings.ts", "NGPU_AUDIT_USD6_PER_DAY", "usd6"),
  auditDrillPercent: setting("keeper/src/audits/auditSettings.ts", "NGPU_AUDIT_DRILL_PERCENT", "number"),

  ngpuUsd8: {
    from: "local deployment",
    file: "contracts/local/LocalPriceFeed.sol",
    name: "LocalPriceFeed.answer",
    unit: "usd8 per NGPU",
  },
  coinUsd6: {
    from: "assumption",
    value: 2_500_000_000n,
    why: "the chain's coin, in which bonds of disputes and liveness challenges are posted, is worth 2,500 USD",
    unit: "usd6",
  },
  judgeErrorBps: {
    from: "assumption",
    value: 500n,
    why: "judges and arbitrator are wrong in one case of twenty",
    unit: "basis points",
  },
  missedReplyBps: {
    from: "assumption",
    value: 100n,
    why: "a living node misses one liveness challenge of a hundred",
    unit: "basis points",
  },
  silentQuorumBps: {
    from: "assumption",
    value: 100n,
    why: "of an output that keepers hold too few attest in time, in one demand of a hundred",
    unit: "basis points",
  },
  missedWindowBps: {
    from: "assumption",
    value: 1_000n,
    why: "a payer that cannot get its output lets its window pass in one case of ten",
    unit: "basis points",
  },
  failingPrimaryBps: {
    from: "assumption",
    value: 100n,
    why: "a primary fails one task of a hundred, so that its backup is asked to take over",
    unit: "basis points",
  },
  auditedNodes: {
    from: "assumption",
    value: 100n,
    why: "a hundred nodes share the canaries of one auditor",
    unit: "number",
  },
} as const satisfies Readonly<Record<string, ParameterPlace>>;

/** What was found, and what could not be because its contract is not in any of the roots. */
export interface ReadParameters {
  readonly values: Partial<Parameters>;
  readonly absent: ReadonlyMap<ParameterName, string>;
}

/** The first root that has a parameter gives it. A source that is there without it is an error. */
export async function readParameters(roots: readonly string[]): Promise<ReadParameters> {
  const values: Partial<Record<ParameterName, bigint>> = {};
  const absent = new Map<ParameterName, string>();
  const deployments = await Promise.all(
    roots.map(async (root) => ({
      root,
      deployment: await deployedValues(root, "Ngpu"),
      "local deployment": await deployedValues(root, "NgpuLocal"),
    })),
  );
  for (const [name, place] of Object.entries(catalogue) as [ParameterName, ParameterPlace][]) {
    if (place.from === "assumption") {
      values[name] = place.value;
      continue;
    }
    const holders = deployments.filter(({ root }) => existsSync(join(root, place.file)));
    if (place.from === "mention" && holders.length > 0) {
      values[name] = holders.some(({ root }) => textOf(root, place.file).includes(place.name)) ? 1n : 0n;
      continue;
    }
    const found = holders.map((holder) => readOne(place, holder)).find((value) => value !== undefined);
    if (found !== undefined) values[name] = found;
    else if (holders.length === 0) absent.set(name, place.file);
    else throw new ParameterError("PARAMETER_RENAMED", `${name}: ${place.file} is there, but not ${place.name}`);
  }
  return { values, absent };
}

type Holder = { readonly root: string } & Readonly<Record<"deployment" | "local deployment", Map<string, bigint>>>;

function readOne(place: ParameterPlace, holder: Holder): bigint | undefined {
  if (place.from === "deployment" || place.from === "local deployment") return holder[place.from].get(place.name);
  if (place.from === "setting") return settingDefault(textOf(holder.root, place.file), place.name);
  if (place.from !== "constant") return undefined;
  const source = textOf(holder.root, place.file);
  return source.includes(`constant ${place.name}`) ? solidityConstant(source, place.name) : undefined;
}

function textOf(root: string, file: string): string {
  return readFileSync(join(root, file), "utf8");
}
