/**
 * NGPU as Ignition deploys it locally, with a payer that has money and three staked nodes, plus the few acts that
 * tests, simulations and benchmarks are made of. Every act goes through real transactions.
 */
import { accessManagerAbi } from "@ngpu/protocol/generated/abi/accessManager";
import { assignmentAbi } from "@ngpu/protocol/generated/abi/assignment";
import { faucetAbi } from "@ngpu/protocol/generated/abi/faucet";
import { keeperBondsAbi } from "@ngpu/protocol/generated/abi/keeperBonds";
import { availabilityAbi } from "@ngpu/protocol/generated/abi/availability";
import { disputesAbi } from "@ngpu/protocol/generated/abi/disputes";
import { keeperCommitteeAbi } from "@ngpu/protocol/generated/abi/keeperCommittee";
import { localPriceFeedAbi } from "@ngpu/protocol/generated/abi/localPriceFeed";
import { localSeedSourceAbi } from "@ngpu/protocol/generated/abi/localSeedSource";
import { localUsdAbi } from "@ngpu/protocol/generated/abi/localUsd";
import { ngpuTokenAbi } from "@ngpu/protocol/generated/abi/ngpuToken";
import { nodeRegistryAbi } from "@ngpu/protocol/generated/abi/nodeRegistry";
import { paymentVaultAbi } from "@ngpu/protocol/generated/abi/paymentVault";
import { roleGuardAbi } from "@ngpu/protocol/generated/abi/roleGuard";
import { priceOracleAbi } from "@ngpu/protocol/generated/abi/priceOracle";
import { sessionSettlementAbi } from "@ngpu/protocol/generated/abi/sessionSettlement";
import { scoreBoardAbi } from "@ngpu/protocol/generated/abi/scoreBoard";
import { selectionAbi } from "@ngpu/protocol/generated/abi/selection";
import { stakeVaultAbi } from "@ngpu/protocol/generated/abi/stakeVault";
import { taskEscrowAbi } from "@ngpu/protocol/generated/abi/taskEscrow";
import { signMessage } from "@ngpu/protocol/signed";
import { keccak256, toHex, type Address, type Hex } from "viem";
import { privateKeyToAccount, type PrivateKeyAccount } from "viem/accounts";
import { deployLocal } from "../../../ignition/deployLocal.ts";
import { createChain } from "./chain.ts";

export const USD6 = 1_000_000n;
export const NGPU_WEI = 10n ** 18n;
export const CHAIN_ID = 31337;
export const FAR_EXPIRY = 2n ** 40n;

export interface NodeKeys {
  readonly nodeId: number;
  readonly owner: Address;
  readonly operator: PrivateKeyAccount;
  readonly payout: Address;
  readonly powerCu: number;
}

export type World = Awaited<ReturnType<typeof createWorld>>;

/** A key of its own for every label, the same in every run. */
export function keyOf(label: string): PrivateKeyAccount {
  return privateKeyToAccount(keccak256(toHex(label)));
}

export async function createWorld() {
  const chain = await createChain();
  const deployed = await deployLocal(chain.connection);
  const contracts = {
    registry: { abi: nodeRegistryAbi, address: deployed.nodeRegistry },
    stakeVault: { abi: stakeVaultAbi, address: deployed.stakeVault },
    paymentVault: { abi: paymentVaultAbi, address: deployed.paymentVault },
    escrow: { abi: taskEscrowAbi, address: deployed.taskEscrow },
    oracle: { abi: priceOracleAbi, address: deployed.priceOracle },
    ngpu: { abi: ngpuTokenAbi, address: deployed.ngpuToken },
    usd: { abi: localUsdAbi, address: deployed.localUsd },
    feed: { abi: localPriceFeedAbi, address: deployed.localPriceFeed },
    faucet: { abi: faucetAbi, address: deployed.faucet },
    accessManager: { abi: accessManagerAbi, address: deployed.accessManager },
    settlement: { abi: sessionSettlementAbi, address: deployed.sessionSettlement },
    scoreBoard: { abi: scoreBoardAbi, address: deployed.scoreBoard },
    selection: { abi: selectionAbi, address: deployed.selection },
    assignment: { abi: assignmentAbi, address: deployed.assignment },
    keeperBonds: { abi: keeperBondsAbi, address: deployed.keeperBonds },
    seedSource: { abi: localSeedSourceAbi, address: deployed.localSeedSource },
    availability: { abi: availabilityAbi, address: deployed.availability },
    disputes: { abi: disputesAbi, address: deployed.disputes },
    committee: { abi: keeperCommitteeAbi, address: deployed.keeperCommittee },
    roleGuard: { abi: roleGuardAbi, address: deployed.roleGuard },
  } as const;
  const actors = {
    deployer: chain.accountAt(0),
    keeper: chain.accountAt(1),
    payer: chain.accountAt(2),
    owner: chain.accountAt(3),
    stranger: chain.accountAt(4),
    otherPayer: chain.accountAt(5),
  };
  const { registry, stakeVault, ngpu, usd } = contracts;

  /** The operator's consent to serve `owner`. */
  async function bind(owner: Address, operator: PrivateKeyAccount, expiry = FAR_EXPIRY): Promise<Hex> {
    const { signature } = await signMessage({
      kind: "operatorBinding",
      message: { owner, operator: operator.address, expiry },
      context: { chainId: CHAIN_ID, verifyingContract: registry.address },
      signer: operator,
    });
    return signature;
  }

  async function registerNode(label: string, classId: number): Promise<NodeKeys> {
    const { owner } = actors;
    const operator = keyOf(`${label} operator`);
    const payout = keyOf(`${label} payout`).address;
    const signature = await bind(owner, operator);
    await chain.send(owner, registry, "register", [operator.address, payout, classId, FAR_EXPIRY, signature]);
    const nodeId = await chain.publicClient.readContract({ ...registry, functionName: "nodeCount" });
    const powerCu = await chain.publicClient.readContract({ ...registry, functionName: "powerOf", args: [nodeId] });
    return { nodeId, owner, operator, payout, powerCu };
  }

  await chain.send(actors.deployer, ngpu, "transfer", [actors.owner, 1_000_000n * NGPU_WEI]);
  await chain.send(actors.owner, ngpu, "approve", [stakeVault.address, 2n ** 256n - 1n]);
  for (const payer of [actors.payer, actors.otherPayer]) {
    await chain.send(actors.deployer, usd, "transfer", [payer, 1_000_000n * USD6]);
  }
  const nodes = {
    alpha: await registerNode("alpha", 0),
    beta: await registerNode("beta", 0),
    gamma: await registerNode("gamma", 1),
  };
  for (const { nodeId } of Object.values(nodes)) {
    await chain.send(actors.owner, stakeVault, "stake", [nodeId, 1_000n * NGPU_WEI]);
  }
  await chain.remember();

  return { ...chain, ...contracts, actors, nodes, bind, registerNode };
}
