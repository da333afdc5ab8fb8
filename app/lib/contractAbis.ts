/** Every contract of the deployment by its key there, with the name that people know it by and its whole ABI. */
import { accessManagerAbi } from "@ngpu/protocol/generated/abi/accessManager";
import { assignmentAbi } from "@ngpu/protocol/generated/abi/assignment";
import { availabilityAbi } from "@ngpu/protocol/generated/abi/availability";
import { disputesAbi } from "@ngpu/protocol/generated/abi/disputes";
import { faucetAbi } from "@ngpu/protocol/generated/abi/faucet";
import { keeperBondsAbi } from "@ngpu/protocol/generated/abi/keeperBonds";
import { keeperCommitteeAbi } from "@ngpu/protocol/generated/abi/keeperCommittee";
import { localPriceFeedAbi } from "@ngpu/protocol/generated/abi/localPriceFeed";
import { localSeedSourceAbi } from "@ngpu/protocol/generated/abi/localSeedSource";
import { localUsdAbi } from "@ngpu/protocol/generated/abi/localUsd";
import { ngpuTokenAbi } from "@ngpu/protocol/generated/abi/ngpuToken";
import { nodeRegistryAbi } from "@ngpu/protocol/generated/abi/nodeRegistry";
import { paymentVaultAbi } from "@ngpu/protocol/generated/abi/paymentVault";
import { priceOracleAbi } from "@ngpu/protocol/generated/abi/priceOracle";
import { roleGuardAbi } from "@ngpu/protocol/generated/abi/roleGuard";
import { scoreBoardAbi } from "@ngpu/protocol/generated/abi/scoreBoard";
import { selectionAbi } from "@ngpu/protocol/generated/abi/selection";
import { sessionSettlementAbi } from "@ngpu/protocol/generated/abi/sessionSettlement";
import { stakeVaultAbi } from "@ngpu/protocol/generated/abi/stakeVault";
import { taskEscrowAbi } from "@ngpu/protocol/generated/abi/taskEscrow";
import type { Abi } from "viem";
import type { AppDeployment } from "./deployment.ts";

export const contractAbis: Record<Exclude<keyof AppDeployment, "deploymentBlock">, { name: string; abi: Abi }> = {
  accessManager: { name: "AccessManager", abi: accessManagerAbi },
  assignment: { name: "Assignment", abi: assignmentAbi },
  availability: { name: "Availability", abi: availabilityAbi },
  disputes: { name: "Disputes", abi: disputesAbi },
  faucet: { name: "Faucet", abi: faucetAbi },
  keeperBonds: { name: "KeeperBonds", abi: keeperBondsAbi },
  keeperCommittee: { name: "KeeperCommittee", abi: keeperCommitteeAbi },
  localPriceFeed: { name: "Price feed", abi: localPriceFeedAbi },
  localSeedSource: { name: "Seed source", abi: localSeedSourceAbi },
  localUsd: { name: "Payment token", abi: localUsdAbi },
  ngpuToken: { name: "Stake token", abi: ngpuTokenAbi },
  nodeRegistry: { name: "NodeRegistry", abi: nodeRegistryAbi },
  paymentToken: { name: "Payment token", abi: localUsdAbi },
  paymentVault: { name: "PaymentVault", abi: paymentVaultAbi },
  priceOracle: { name: "PriceOracle", abi: priceOracleAbi },
  roleGuard: { name: "RoleGuard", abi: roleGuardAbi },
  scoreBoard: { name: "ScoreBoard", abi: scoreBoardAbi },
  selection: { name: "Selection", abi: selectionAbi },
  sessionSettlement: { name: "SessionSettlement", abi: sessionSettlementAbi },
  stakeVault: { name: "StakeVault", abi: stakeVaultAbi },
  taskEscrow: { name: "TaskEscrow", abi: taskEscrowAbi },
};
