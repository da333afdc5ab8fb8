/**
 * The core of NGPU on any chain: access manager, registry, vaults, oracle and escrow, wired to a payment token, a
 * stake token and a price feed that exist already. Deploy it alone with parameters, or through NgpuLocal, which
 * brings local ones along.
 */
import { buildModule } from "@nomicfoundation/hardhat-ignition/modules";
import type {
  ArgumentType,
  IgnitionModuleBuilder,
  NamedArtifactContractDeploymentFuture,
} from "@nomicfoundation/ignition-core";
import { toFunctionSelector } from "viem";

/** What differs from chain to chain. */
export interface CoreParts {
  readonly paymentToken: ArgumentType;
  readonly stakeToken: ArgumentType;
  readonly priceFeed: ArgumentType;
  /** Holds KEEPER_ROLE: may assign during the keeper window. */
  readonly keeper: ArgumentType;
  /** Holds POLICY_ROLE: may set the price and the node classes. */
  readonly policy: ArgumentType;
  /** Credited with the fee of the session rail. */
  readonly treasury: ArgumentType;
  /** Defaults of the parameters of these names. */
  readonly thawPeriodSeconds: number;
  readonly settleWindowSeconds: number;
  readonly withdrawalThawSeconds: number;
  readonly disputeWindowSeconds: number;
  readonly appealWindowSeconds: number;
}

/** Roles of the AccessManager; 0 is its own ADMIN_ROLE. KEEPER_ROLE equals that of TaskEscrow and SessionSettlement. */
const KEEPER_ROLE = 1n;
const POLICY_ROLE = 2n;
const SLASHER_ROLE = 3n;

const NGPU_WEI = 10n ** 18n;
const DAY_S = 24 * 3_600;

const nodeClasses = [
  { name: "cpu", minimumPowerCu: 1_000, minimumStakeWei: 100n * NGPU_WEI },
  { name: "gpu", minimumPowerCu: 4_000, minimumStakeWei: 400n * NGPU_WEI },
  { name: "datacenter-gpu", minimumPowerCu: 16_000, minimumStakeWei: 1_600n * NGPU_WEI },
] as const;

/** Deploys and wires the core. The deployer is the access manager's first admin. */
export function buildCore(m: IgnitionModuleBuilder, parts: CoreParts) {
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
  ]);
  const taskEscrow = m.contract("TaskEscrow", [accessManager, nodeRegistry, paymentVault, priceOracle]);

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
  for (const [classId, { name, ...limits }] of nodeClasses.entries()) {
    m.call(nodeRegistry, "setNodeClass", [classId, name, { ...limits, enabled: true }], { id: `NodeClass${classId}` });
  }
  m.call(accessManager, "grantRole", [KEEPER_ROLE, parts.keeper, 0], { id: "GrantKeeper" });
  m.call(accessManager, "grantRole", [SLASHER_ROLE, sessionSettlement, 0], { id: "GrantSessionSlasher" });
  grantPolicy(m, { accessManager, nodeRegistry, priceOracle }, parts.policy);

  return { accessManager, nodeRegistry, stakeVault, paymentVault, priceOracle, taskEscrow, sessionSettlement };
}

type Managed = Record<
  "accessManager" | "nodeRegistry" | "priceOracle",
  NamedArtifactContractDeploymentFuture<string>
>;

/**
 * Hands the two policy functions to POLICY_ROLE; its holder waits `policyDelaySeconds` between announcing and doing.
 */
function grantPolicy(m: IgnitionModuleBuilder, managed: Managed, policy: ArgumentType): void {
  const { accessManager, nodeRegistry, priceOracle } = managed;
  m.call(accessManager, "grantRole", [POLICY_ROLE, policy, m.getParameter("policyDelaySeconds", 0)], {
    id: "GrantPolicy",
  });
  const policyFunctions = [
    { id: "PolicySetsNodeClass", target: nodeRegistry, signature: "setNodeClass(uint8,string,(uint32,uint128,bool))" },
    { id: "PolicySetsPrice", target: priceOracle, signature: "setPrice(uint64)" },
  ];
  for (const { id, target, signature } of policyFunctions) {
    m.call(accessManager, "setTargetFunctionRole", [target, [toFunctionSelector(signature)], POLICY_ROLE], { id });
  }
}

export default buildModule("Ngpu", (m) =>
  buildCore(m, {
    paymentToken: m.getParameter("paymentToken"),
    stakeToken: m.getParameter("stakeToken"),
    priceFeed: m.getParameter("priceFeed"),
    keeper: m.getParameter("keeper"),
    policy: m.getParameter("policy"),
    treasury: m.getParameter("treasury"),
    settleWindowSeconds: 2 * DAY_S,
    withdrawalThawSeconds: 2 * DAY_S,
    thawPeriodSeconds: 14 * DAY_S,
    disputeWindowSeconds: 3 * DAY_S,
    appealWindowSeconds: 2 * DAY_S,
  }),
);
