/**
 * Who was there and whose results hold: Availability and Disputes with their committee, and the rights they need.
 * Times are parameters; the defaults of a public chain are in docs/decisions/0005-faults.md.
 */
import type {
  ArgumentType,
  IgnitionModuleBuilder,
  NamedArtifactContractDeploymentFuture,
} from "@nomicfoundation/ignition-core";
import { toFunctionSelector } from "viem";
import { roles } from "./roles.ts";

type Deployed = NamedArtifactContractDeploymentFuture<string>;

export interface FaultParts {
  readonly accessManager: Deployed;
  readonly nodeRegistry: Deployed;
  readonly stakeVault: Deployed;
  readonly taskEscrow: Deployed;
  /** Holds APPEAL_ROLE: takes penalties back and decides what no committee did. */
  readonly appeal: ArgumentType;
  /** Draws the judges among bonded keepers, and reveals the seeds that sample results. */
  readonly selection: Deployed;
  readonly keeperBonds: Deployed;
  /** Multiplies qualities by what faults leave of them. */
  readonly scoreBoard: Deployed;
  readonly times: FaultTimes;
}

/** Seconds, and wei of the chain's coin. */
export interface FaultTimes {
  readonly epoch: number;
  readonly replyWindow: number;
  readonly reportWindow: number;
  readonly decay: number;
  readonly ban: number;
  readonly appeal: number;
  readonly open: number;
  /** Each of: the node's preimage, draw, wrapping, commit, reveal. */
  readonly stage: number;
  readonly arbitration: number;
}

/** Fits a thaw of 14 days. */
export const publicTimes: FaultTimes = {
  epoch: 3_600,
  replyWindow: 600,
  reportWindow: 86_400,
  decay: 7 * 86_400,
  ban: 86_400,
  appeal: 2 * 86_400,
  open: 86_400,
  stage: 6 * 3_600,
  arbitration: 3 * 86_400,
};

/** Fits a thaw of 300 seconds. */
export const localTimes: FaultTimes = {
  epoch: 60,
  replyWindow: 20,
  reportWindow: 120,
  decay: 600,
  ban: 120,
  appeal: 60,
  open: 60,
  stage: 20,
  arbitration: 60,
};

export function buildFaults(m: IgnitionModuleBuilder, parts: FaultParts) {
  const { accessManager, nodeRegistry, stakeVault, taskEscrow, times } = parts;
  const appealSeconds = m.getParameter("faultAppealSeconds", times.appeal);
  const stageSeconds = m.getParameter("disputeStageSeconds", times.stage);
  const availability = m.contract("Availability", [
    accessManager,
    nodeRegistry,
    taskEscrow,
    stakeVault,
    {
      epochSeconds: m.getParameter("availabilityEpochSeconds", times.epoch),
      replyWindowSeconds: m.getParameter("replyWindowSeconds", times.replyWindow),
      reportWindowSeconds: m.getParameter("reportWindowSeconds", times.reportWindow),
      decaySeconds: m.getParameter("decaySeconds", times.decay),
      banSeconds: m.getParameter("banSeconds", times.ban),
      appealWindowSeconds: appealSeconds,
      minimumBondWei: m.getParameter("livenessBondWei", 10n ** 14n),
    },
  ]);
  const keeperCommittee = m.contract("KeeperCommittee", [parts.selection, parts.keeperBonds]);
  const disputes = m.contract("Disputes", [
    accessManager,
    nodeRegistry,
    taskEscrow,
    stakeVault,
    keeperCommittee,
    parts.selection,
    {
      openSeconds: m.getParameter("disputeOpenSeconds", times.open),
      nodeSeconds: stageSeconds,
      drawSeconds: stageSeconds,
      wrapSeconds: stageSeconds,
      commitSeconds: stageSeconds,
      revealSeconds: stageSeconds,
      appealSeconds,
      arbitrationSeconds: m.getParameter("arbitrationSeconds", times.arbitration),
      committeeSize: m.getParameter("committeeSize", 5),
      quorum: m.getParameter("quorum", 3),
      // Times the 5 % that a wrong result costs: 1.25 % of the stake, above the 1 % that a task is worth at most.
      sampleBps: m.getParameter("sampleBps", 2_500),
      // Five of them cost less than the challenger's share of the smallest node's slash: being right must pay.
      judgeFeeWei: m.getParameter("judgeFeeWei", 10n ** 13n),
      bondWei: m.getParameter("disputeBondWei", 10n ** 16n),
      // The smallest stake of any class.
      minimumSlashableWei: m.getParameter("minimumSlashableWei", 100n * 10n ** 18n),
    },
  ]);

  const grants = [
    { id: "AvailabilitySlashes", role: roles.slasher, account: availability },
    { id: "DisputesSlash", role: roles.slasher, account: disputes },
    // So that an appeal takes back strike and slash at once.
    { id: "AvailabilityReverses", role: roles.appeal, account: availability },
    { id: "GrantAppeal", role: roles.appeal, account: parts.appeal },
  ];
  for (const { id, role, account } of grants) m.call(accessManager, "grantRole", [role, account, 0], { id });

  const functions = [
    { id: "AppealOverturns", target: availability, signature: "overturn(bytes32)", role: roles.appeal },
    { id: "AppealArbitrates", target: disputes, signature: "arbitrate(bytes32,uint8)", role: roles.appeal },
    { id: "PolicySetsDeterminism", target: disputes, signature: "setDeterminism(bytes32,uint8)", role: roles.policy },
  ];
  for (const { id, target, signature, role } of functions) {
    m.call(accessManager, "setTargetFunctionRole", [target, [toFunctionSelector(signature)], role], { id });
  }
  // An administrator's call, made before the administration is handed over.
  m.call(parts.scoreBoard, "setConduct", [availability]);
  return { availability, disputes, keeperCommittee };
}
