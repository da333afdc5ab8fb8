/** What is fixed in the contracts is what the configuration says, and they are wired to each other. */
import { disputesAbi } from "@ngpu/protocol/generated/abi/disputes";
import { nodeRegistryAbi } from "@ngpu/protocol/generated/abi/nodeRegistry";
import { selectionAbi } from "@ngpu/protocol/generated/abi/selection";
import { parseAbi, zeroAddress } from "viem";
import type { Contract } from "../deployModule.ts";
import { checkEqual, type Check } from "./check.ts";
import type { Subject } from "./subject.ts";

/** Contract, function without arguments, what it must answer. */
type Getter = readonly [Contract, string, string | number | bigint];

export async function examineValues({ chain, configuration, addresses }: Subject): Promise<Check[]> {
  const { external, price, payment, demands, stake, selection, faults, roles, nodeClasses } = configuration;
  const values: Getter[] = [
    ["stakeVault", "token", external.stakeToken],
    ["stakeVault", "thawPeriod", stake.thawPeriodSeconds],
    ["stakeVault", "disputeWindow", stake.disputeWindowSeconds],
    ["stakeVault", "appealWindow", stake.appealWindowSeconds],
    ["stakeVault", "minimumBucketWei", stake.minimumBucketWei],
    ["paymentVault", "token", external.paymentToken],
    ["paymentVault", "withdrawalThaw", payment.withdrawalThawSeconds],
    ["paymentVault", "maturitySeconds", demands.payerWindowSeconds],
    ["taskEscrow", "treasury", roles.treasury],
    ["taskEscrow", "payerWindow", demands.payerWindowSeconds],
    ["taskEscrow", "answerWindow", demands.answerWindowSeconds],
    ["taskEscrow", "quorum", demands.demandQuorum],
    ["taskEscrow", "minimumDemandBondUsd6", demands.minimumDemandBondUsd6],
    ["priceOracle", "feed", external.priceFeed],
    ["priceOracle", "maxAgeSeconds", price.feedMaxAgeSeconds],
    ["priceOracle", "minAnswer", price.minFeedAnswer],
    ["priceOracle", "maxAnswer", price.maxFeedAnswer],
    ["priceOracle", "minPriceUsd6PerGcums", price.minPriceUsd6PerGcums],
    ["priceOracle", "maxPriceUsd6PerGcums", price.maxPriceUsd6PerGcums],
    ["priceOracle", "priceUsd6PerGcums", price.priceUsd6PerGcums],
    ["priceOracle", "sequencerFeed", external.sequencerFeed ?? zeroAddress],
    ["priceOracle", "sequencerGraceSeconds", price.sequencerGraceSeconds],
    ["priceOracle", "lastGoodSeconds", price.lastGoodSeconds],
    ["sessionSettlement", "treasury", roles.treasury],
    ["sessionSettlement", "feeBps", payment.feeBps],
    ["sessionSettlement", "settleWindow", payment.settleWindowSeconds],
    ["keeperBonds", "token", external.stakeToken],
    ["keeperBonds", "minimumBondWei", selection.keeperBondWei],
    ["keeperBonds", "lockPeriodS", selection.challengeSeconds],
    ["keeperBonds", "exitDelayS", selection.keeperExitSeconds],
    ["scoreBoard", "freshnessS", selection.scoreFreshnessSeconds],
    ["scoreBoard", "ripeningS", selection.ripeningSeconds],
    ["selection", "maxStakeWei", selection.maxStakeWei],
    ["assignment", "bondWei", selection.postBondWei],
    ["availability", "epochSeconds", faults.availabilityEpochSeconds],
    ["availability", "replyWindowSeconds", faults.replyWindowSeconds],
    ["availability", "reportWindowSeconds", faults.reportWindowSeconds],
    ["availability", "decaySeconds", faults.decaySeconds],
    ["availability", "banSeconds", faults.banSeconds],
    ["availability", "appealWindowSeconds", faults.faultAppealSeconds],
    ["availability", "minimumBondWei", faults.livenessBondWei],
    ["seedSource", "s_vrfCoordinator", external.vrfCoordinator],
  ];
  const wires: Getter[] = [
    ["nodeRegistry", "stakeVault", addresses.stakeVault],
    ["nodeRegistry", "scoreBoard", addresses.scoreBoard],
    ["stakeVault", "registry", addresses.nodeRegistry],
    ["taskEscrow", "registry", addresses.nodeRegistry],
    ["taskEscrow", "paymentVault", addresses.paymentVault],
    ["taskEscrow", "priceOracle", addresses.priceOracle],
    ["taskEscrow", "stakeVault", addresses.stakeVault],
    ["taskEscrow", "keeperBonds", addresses.keeperBonds],
    ["sessionSettlement", "registry", addresses.nodeRegistry],
    ["sessionSettlement", "paymentVault", addresses.paymentVault],
    ["sessionSettlement", "stakeVault", addresses.stakeVault],
    ["sessionSettlement", "priceOracle", addresses.priceOracle],
    ["sessionSettlement", "taskEscrow", addresses.taskEscrow],
    ["keeperBonds", "assignment", addresses.assignment],
    ["scoreBoard", "registry", addresses.nodeRegistry],
    ["scoreBoard", "bonds", addresses.keeperBonds],
    ["scoreBoard", "escrow", addresses.taskEscrow],
    ["scoreBoard", "selection", addresses.selection],
    ["scoreBoard", "conduct", addresses.availability],
    ["selection", "registry", addresses.nodeRegistry],
    ["selection", "stakeVault", addresses.stakeVault],
    ["selection", "scoreBoard", addresses.scoreBoard],
    ["selection", "bonds", addresses.keeperBonds],
    ["selection", "seedSource", addresses.seedSource],
    ["assignment", "selection", addresses.selection],
    ["assignment", "bonds", addresses.keeperBonds],
    ["assignment", "escrow", addresses.taskEscrow],
    ["availability", "stakeVault", addresses.stakeVault],
    ["availability", "escrow", addresses.taskEscrow],
    ["disputes", "stakeVault", addresses.stakeVault],
    ["disputes", "escrow", addresses.taskEscrow],
    ["disputes", "committee", addresses.keeperCommittee],
    ["disputes", "seeds", addresses.selection],
    ["keeperCommittee", "selection", addresses.selection],
    ["keeperCommittee", "bonds", addresses.keeperBonds],
    ["seedSource", "requester", addresses.selection],
    ...authorities.map((name): Getter => [name, "authority", addresses.accessManager]),
  ];
  const checks: Check[] = [];
  for (const [topic, getters] of [["values", values], ["wiring", wires]] as const) {
    for (const [contract, name, expected] of getters) {
      const found = await ask(chain, { address: addresses[contract], name, expected });
      checks.push(checkEqual(topic, `${contract}.${name}`, found, expected));
    }
  }
  const rails = { address: addresses.selection, abi: selectionAbi } as const;
  checks.push(
    checkEqual("values", "selection.lengths", await chain.readContract({ ...rails, functionName: "lengths" }), {
      openS: selection.openSeconds,
      updateS: selection.updateSeconds,
      seedTimeoutS: selection.seedTimeoutSeconds,
      challengeS: selection.challengeSeconds,
    }),
  );
  const judges = { address: addresses.disputes, abi: disputesAbi } as const;
  checks.push(
    checkEqual("values", "disputes.terms", await chain.readContract({ ...judges, functionName: "terms" }), {
      openSeconds: faults.disputeOpenSeconds,
      nodeSeconds: faults.disputeStageSeconds,
      drawSeconds: faults.disputeStageSeconds,
      wrapSeconds: faults.disputeStageSeconds,
      commitSeconds: faults.disputeStageSeconds,
      revealSeconds: faults.disputeStageSeconds,
      appealSeconds: faults.faultAppealSeconds,
      arbitrationSeconds: faults.arbitrationSeconds,
      committeeSize: faults.committeeSize,
      quorum: faults.quorum,
      sampleBps: faults.sampleBps,
      judgeFeeWei: faults.judgeFeeWei,
      bondWei: faults.disputeBondWei,
      minimumSlashableWei: faults.minimumSlashableWei,
    }),
  );
  const registry = { address: addresses.nodeRegistry, abi: nodeRegistryAbi } as const;
  for (const [classId, wanted] of [nodeClasses.cpu, nodeClasses.gpu, nodeClasses.datacenterGpu].entries()) {
    const found = await chain.readContract({ ...registry, functionName: "nodeClass", args: [classId] });
    const { minimumPowerCu, minimumStakeWei } = wanted;
    const expected = { minimumPowerCu, minimumStakeWei, enabled: true };
    checks.push(checkEqual("values", `node class ${classId}`, found, expected));
  }
  return checks;
}

const authorities: readonly Contract[] = [
  "nodeRegistry",
  "stakeVault",
  "priceOracle",
  "taskEscrow",
  "sessionSettlement",
  "scoreBoard",
  "availability",
  "disputes",
  "roleGuard",
];

async function ask(
  chain: Subject["chain"],
  getter: { address: `0x${string}`; name: string; expected: string | number | bigint },
): Promise<unknown> {
  const { address, name, expected } = getter;
  const type = typeof expected === "string" ? "address" : "uint256";
  const abi = parseAbi([`function ${name}() view returns (${type})`] as readonly string[]);
  return chain.readContract({ address, abi, functionName: name }).catch(() => "no answer");
}
