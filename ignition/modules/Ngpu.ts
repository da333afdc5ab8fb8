/**
 * The core of NGPU on any chain: access manager, registry, vaults, oracle and escrow, wired to a payment token, a
 * stake token and a price feed that exist already. Deploy it alone with parameters, or through NgpuLocal, which
 * brings local ones along.
 */
import { buildModule } from "@nomicfoundation/hardhat-ignition/modules";
import type {
  ArgumentType,
  ContractCallFuture,
  IgnitionModuleBuilder,
  NamedArtifactContractDeploymentFuture,
} from "@nomicfoundation/ignition-core";
import { toFunctionSelector, zeroAddress } from "viem";
import { buildFaults, publicTimes, type FaultTimes } from "./faults.ts";
import { buildRoleGuard, giveToManager, handOver, recordCalls, roles } from "./roles.ts";

/** What differs from chain to chain. */
export interface CoreParts {
  readonly paymentToken: ArgumentType;
  readonly stakeToken: ArgumentType;
  readonly priceFeed: ArgumentType;
  /** Holds KEEPER_ROLE: may assign during the keeper window. */
  readonly keeper: ArgumentType;
  /** Holds POLICY_ROLE: may set the price and the node classes. */
  readonly policy: ArgumentType;
  /** Holds APPEAL: takes penalties back and decides what no committee did. */
  readonly appeal: ArgumentType;
  /** Holds PAUSER: may stop new quotes. */
  readonly pauser: ArgumentType;
  /** Holds UNPAUSER: may let them go on. */
  readonly unpauser: ArgumentType;
  /** Holds GUARDIAN: may take roles at once, and give none. */
  readonly guardian: ArgumentType;
  /** Holds AUDIT: sets nodes' qualities. Without one the administrator may name one later. */
  readonly auditor?: ArgumentType;
  /** Credited with the fee of the session rail. */
  readonly treasury: ArgumentType;
  /** Defaults of the parameters of these names. */
  readonly thawPeriodSeconds: number;
  readonly settleWindowSeconds: number;
  readonly withdrawalThawSeconds: number;
  readonly disputeWindowSeconds: number;
  readonly appealWindowSeconds: number;
  /** Gives one seed an epoch; nobody may have asked it before. */
  readonly seedSource: NamedArtifactContractDeploymentFuture<string>;
  /** Defaults of the parameters of these names. */
  readonly selection: SelectionTimes;
  /** Windows of liveness and disputes; they must fit the thaw. */
  readonly faultTimes: FaultTimes;
  /** Defaults for outputs that payers demand. */
  readonly demands: DemandTerms;
}

/** How long a payer may demand an output and keepers may attest it, how many must, and the least that a payer bets. */
export interface DemandTerms {
  readonly payerWindowSeconds: number;
  readonly answerWindowSeconds: number;
  readonly quorum: number;
  readonly minimumBondUsd6: bigint;
}

/** How long things last in selection, in seconds: phases, bonds, scores. */
export interface SelectionTimes {
  readonly openSeconds: number;
  readonly updateSeconds: number;
  readonly seedTimeoutSeconds: number;
  readonly challengeSeconds: number;
  readonly keeperExitSeconds: number;
  readonly scoreFreshnessSeconds: number;
  /** A clean node that nobody has rated gains a quarter of quality in each such time. */
  readonly ripeningSeconds: number;
}

const NGPU_WEI = 10n ** 18n;
const DAY_S = 24 * 3_600;

const nodeClasses = [
  { name: "cpu", minimumPowerCu: 1_000, minimumStakeWei: 100n * NGPU_WEI },
  { name: "gpu", minimumPowerCu: 4_000, minimumStakeWei: 400n * NGPU_WEI },
  { name: "datacenter-gpu", minimumPowerCu: 16_000, minimumStakeWei: 1_600n * NGPU_WEI },
] as const;

/**
 * Deploys and wires the core. The deployer is the access manager's first admin, and still is afterwards; the working
 * roles are under RoleGuard by then.
 */
export function buildCore(builder: IgnitionModuleBuilder, parts: CoreParts) {
  const { m, calls } = recordCalls(builder);
  const accessManager = m.contract("AccessManager", [m.getAccount(0)]);
  const nodeRegistry = m.contract("NodeRegistry", [accessManager]);
  const stakeVault = m.contract("StakeVault", [
    parts.stakeToken,
    nodeRegistry,
    accessManager,
    {
      thawPeriodSeconds: m.getParameter("thawPeriodSeconds", parts.thawPeriodSeconds),
      disputeWindowSeconds: m.getParameter("disputeWindowSeconds", parts.disputeWindowSeconds),
      appealWindowSeconds: m.getParameter("appealWindowSeconds", parts.appealWindowSeconds),
      // Ten cpu nodes' least stake a day.
      minimumBucketWei: m.getParameter("minimumBucketWei", 1_000n * NGPU_WEI),
    },
  ]);
  const paymentVault = m.contract("PaymentVault", [
    parts.paymentToken,
    m.getParameter("withdrawalThawSeconds", parts.withdrawalThawSeconds),
    // How long a payer has to demand an output: what was settled matures no earlier.
    m.getParameter("payerWindowSeconds", parts.demands.payerWindowSeconds),
  ]);
  const priceOracle = m.contract("PriceOracle", [
    accessManager,
    parts.priceFeed,
    m.getParameter("feedMaxAgeSeconds", 3_600),
    // Believable USD per NGPU, in the feed's 8 decimals: 0.0001 to 10,000.
    m.getParameter("minAnswer", 10_000n),
    m.getParameter("maxAnswer", 1_000_000_000_000n),
    m.getParameter("minPriceUsd6PerGcums", 1_000n),
    m.getParameter("maxPriceUsd6PerGcums", 10_000_000n),
    // 0.36 USD for an hour of the reference machine (1,000 CU).
    m.getParameter("priceUsd6PerGcums", 100_000n),
    // A rollup's uptime feed; zero where there is no sequencer.
    m.getParameter("sequencerFeed", zeroAddress),
    m.getParameter("sequencerGraceSeconds", 3_600),
    m.getParameter("lastGoodSeconds", 7_200),
  ]);
  const challengeSeconds = m.getParameter("challengeSeconds", parts.selection.challengeSeconds);
  const keeperBonds = m.contract("KeeperBonds", [
    parts.stakeToken,
    m.getParameter("keeperBondWei", 100n * NGPU_WEI),
    challengeSeconds,
    m.getParameter("keeperExitSeconds", parts.selection.keeperExitSeconds),
  ]);
  const taskEscrow = m.contract("TaskEscrow", [
    {
      authority: accessManager,
      registry: nodeRegistry,
      paymentVault,
      priceOracle,
      stakeVault,
      keeperBonds,
      treasury: parts.treasury,
      answerWindow: m.getParameter("answerWindowSeconds", parts.demands.answerWindowSeconds),
      quorum: m.getParameter("demandQuorum", parts.demands.quorum),
      minimumDemandBondUsd6: m.getParameter("minimumDemandBondUsd6", parts.demands.minimumBondUsd6),
    },
  ]);

  const sessionSettlement = m.contract("SessionSettlement", [
    {
      authority: accessManager,
      registry: nodeRegistry,
      paymentVault,
      stakeVault,
      priceOracle,
      taskEscrow,
      treasury: parts.treasury,
      feeBps: m.getParameter("feeBps", 100),
      settleWindow: m.getParameter("settleWindowSeconds", parts.settleWindowSeconds),
    },
  ]);

  m.call(nodeRegistry, "fixStakeVault", [stakeVault]);
  m.call(paymentVault, "fixRails", [[taskEscrow, sessionSettlement]]);
  m.call(stakeVault, "fixRails", [[taskEscrow, sessionSettlement]]);
  const classes = [...nodeClasses.entries()].map(([classId, { name, minimumPowerCu, minimumStakeWei }]) => {
    const limits = {
      minimumPowerCu: m.getParameter(`class${classId}MinimumPowerCu`, minimumPowerCu),
      minimumStakeWei: m.getParameter(`class${classId}MinimumStakeWei`, minimumStakeWei),
      enabled: true,
    };
    return m.call(nodeRegistry, "setNodeClass", [classId, name, limits], { id: `NodeClass${classId}` });
  });
  const grants = [
    { id: "GrantKeeper", role: roles.keeper, account: parts.keeper },
    { id: "GrantSessionSlasher", role: roles.slasher, account: sessionSettlement },
    { id: "GrantPauser", role: roles.pauser, account: parts.pauser },
    { id: "GrantUnpauser", role: roles.unpauser, account: parts.unpauser },
    { id: "GrantGuardian", role: roles.guardian, account: parts.guardian },
  ];
  for (const { id, role, account } of grants) m.call(accessManager, "grantRole", [role, account, 0], { id });
  grantPolicy(m, { accessManager, nodeRegistry, priceOracle }, { policy: parts.policy, classes });

  const core = { accessManager, nodeRegistry, stakeVault, paymentVault, priceOracle, taskEscrow, sessionSettlement };
  const bonds = { keeperBonds, challengeSeconds };
  const selection = buildSelection(m, core, parts, bonds);
  const faults = buildFaults(m, {
    ...selection,
    accessManager,
    nodeRegistry,
    stakeVault,
    taskEscrow,
    appeal: parts.appeal,
    times: parts.faultTimes,
  });
  if (parts.auditor !== undefined)
    // After the others: what comes between would move the addresses of contracts that are deployed later.
    m.call(accessManager, "grantRole", [roles.audit, parts.auditor, 0], { id: "GrantAudit", after: [...calls] });
  const roleGuard = buildRoleGuard(m, accessManager, calls);
  return { contracts: { ...core, ...selection, ...faults, roleGuard }, calls };
}

type Core = Record<
  "accessManager" | "nodeRegistry" | "stakeVault" | "taskEscrow",
  NamedArtifactContractDeploymentFuture<string>
>;

/** What keepers have at stake, and how long a post of theirs can be challenged. */
interface Bonds {
  readonly keeperBonds: NamedArtifactContractDeploymentFuture<string>;
  readonly challengeSeconds: ArgumentType;
}

/** Who is drawn: keepers' bonds, scores, the snapshot with its seed, and posted draws. */
function buildSelection(m: IgnitionModuleBuilder, core: Core, parts: CoreParts, bonds: Bonds) {
  const { accessManager, nodeRegistry, stakeVault, taskEscrow } = core;
  const { seedSource, selection: times } = parts;
  const { keeperBonds, challengeSeconds } = bonds;
  const scoreBoard = m.contract("ScoreBoard", [
    accessManager,
    nodeRegistry,
    keeperBonds,
    taskEscrow,
    m.getParameter("scoreFreshnessSeconds", times.scoreFreshnessSeconds),
    m.getParameter("ripeningSeconds", times.ripeningSeconds),
  ]);
  const selection = m.contract("Selection", [
    nodeRegistry,
    stakeVault,
    scoreBoard,
    keeperBonds,
    seedSource,
    m.getParameter("maxStakeWei", 10_000n * NGPU_WEI),
    {
      openS: m.getParameter("openSeconds", times.openSeconds),
      updateS: m.getParameter("updateSeconds", times.updateSeconds),
      seedTimeoutS: m.getParameter("seedTimeoutSeconds", times.seedTimeoutSeconds),
      challengeS: challengeSeconds,
    },
  ]);
  const assignment = m.contract("Assignment", [
    nodeRegistry,
    selection,
    keeperBonds,
    taskEscrow,
    // Half of it burns, and that half is worth more than the largest task.
    m.getParameter("postBondWei", 30n * NGPU_WEI),
  ]);
  m.call(seedSource, "fixRequester", [selection]);
  m.call(scoreBoard, "fixSelection", [selection]);
  m.call(keeperBonds, "fixAssignment", [assignment]);
  m.call(nodeRegistry, "fixScoreBoard", [scoreBoard]);
  const faultFunctions = [
    { id: "FaultSuspends", target: nodeRegistry, signature: "suspend(uint32,uint40)", role: roles.slasher },
    { id: "AuditSetsQuality", target: scoreBoard, signature: "setQuality(uint32,uint16,bytes32)", role: roles.audit },
  ];
  for (const { id, target, signature, role } of faultFunctions) {
    m.call(accessManager, "setTargetFunctionRole", [target, [toFunctionSelector(signature)], role], { id });
  }
  return { keeperBonds, scoreBoard, selection, assignment };
}

type Managed = Record<
  "accessManager" | "nodeRegistry" | "priceOracle",
  NamedArtifactContractDeploymentFuture<string>
>;

/**
 * Hands each function that is restricted to its role, once the deployer has set the first node classes. Who holds the
 * policy role waits `policyDelaySeconds` between announcing and doing.
 */
function grantPolicy(
  m: IgnitionModuleBuilder,
  managed: Managed,
  { policy, classes }: { readonly policy: ArgumentType; readonly classes: ContractCallFuture<string, string>[] },
): void {
  const { accessManager, nodeRegistry, priceOracle } = managed;
  m.call(accessManager, "grantRole", [roles.policy, policy, m.getParameter("policyDelaySeconds", 0)], {
    id: "GrantPolicy",
  });
  const setNodeClass = "setNodeClass(uint8,string,(uint32,uint128,bool))";
  const functions = [
    { id: "PolicySetsNodeClass", target: nodeRegistry, signature: setNodeClass, role: roles.policy },
    { id: "PolicySetsPrice", target: priceOracle, signature: "setPrice(uint64)", role: roles.policy },
    { id: "PauserStopsQuotes", target: priceOracle, signature: "pauseQuotes()", role: roles.pauser },
    { id: "UnpauserResumesQuotes", target: priceOracle, signature: "resumeQuotes()", role: roles.unpauser },
  ];
  for (const { id, target, signature, role } of functions) {
    const args = [target, [toFunctionSelector(signature)], role];
    m.call(accessManager, "setTargetFunctionRole", args, { id, after: classes });
  }
}

/** Chainlink VRF v2.5; its subscription must be funded and must list the deployed source as a consumer. */
function buildVrfSource(m: IgnitionModuleBuilder) {
  return m.contract("VrfSeedSource", [
    m.getParameter("vrfCoordinator"),
    {
      keyHash: m.getParameter("vrfKeyHash"),
      subscriptionId: m.getParameter("vrfSubscriptionId"),
      requestConfirmations: m.getParameter("vrfRequestConfirmations", 3),
      callbackGasLimit: m.getParameter("vrfCallbackGasLimit", 100_000),
      nativePayment: m.getParameter("vrfNativePayment", false),
    },
  ]);
}

/** The module as it is deployed on a chain of others; `hasAuditor`: its parameter `auditor` is given. */
export function ngpuModule({ hasAuditor }: { readonly hasAuditor: boolean }) {
  return buildModule("Ngpu", (m) => buildPublic(m, hasAuditor ? { auditor: m.getParameter("auditor") } : {}));
}

export default ngpuModule({ hasAuditor: false });

function buildPublic(m: IgnitionModuleBuilder, auditor: Pick<CoreParts, "auditor">) {
  const seedSource = buildVrfSource(m);
  const { contracts, calls } = buildCore(m, {
    paymentToken: m.getParameter("paymentToken"),
    stakeToken: m.getParameter("stakeToken"),
    priceFeed: m.getParameter("priceFeed"),
    keeper: m.getParameter("keeper"),
    policy: m.getParameter("policy"),
    appeal: m.getParameter("appeal"),
    pauser: m.getParameter("pauser"),
    unpauser: m.getParameter("unpauser"),
    guardian: m.getParameter("guardian"),
    ...auditor,
    treasury: m.getParameter("treasury"),
    settleWindowSeconds: 2 * DAY_S,
    withdrawalThawSeconds: 2 * DAY_S,
    thawPeriodSeconds: 14 * DAY_S,
    disputeWindowSeconds: 3 * DAY_S,
    appealWindowSeconds: 2 * DAY_S,
    faultTimes: publicTimes,
    demands: { payerWindowSeconds: 3_600, answerWindowSeconds: 3_600, quorum: 2, minimumBondUsd6: 100_000n },
    seedSource,
    selection: {
      openSeconds: 3_600,
      updateSeconds: 300,
      seedTimeoutSeconds: 300,
      challengeSeconds: 600,
      keeperExitSeconds: 7 * 24 * 3_600,
      scoreFreshnessSeconds: 24 * 3_600,
      ripeningSeconds: 7 * DAY_S,
    },
  });
  const owned = giveToManager(m, { accessManager: contracts.accessManager, owned: seedSource });
  handOver(m, {
    accessManager: contracts.accessManager,
    admin: m.getParameter("admin"),
    // A week longer than the thaw: whoever disagrees with what is announced has left before it is done.
    delaySeconds: m.getParameter("adminDelaySeconds", 21 * DAY_S),
    after: [...calls, owned],
  });
  return { ...contracts, seedSource };
}
