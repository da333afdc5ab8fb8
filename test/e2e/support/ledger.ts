/** What the chain says about money, for the tests that follow it. */
import { deployments } from "@ngpu/protocol/generated/deployments";
import { localUsdAbi } from "@ngpu/protocol/generated/abi/localUsd";
import { paymentVaultAbi } from "@ngpu/protocol/generated/abi/paymentVault";
import { taskEscrowAbi } from "@ngpu/protocol/generated/abi/taskEscrow";
import type { Address, Hex, PublicClient } from "viem";

const contracts = deployments[31337];
const vault = { address: contracts.paymentVault, abi: paymentVaultAbi } as const;
const token = { address: contracts.localUsd, abi: localUsdAbi } as const;

export interface Ledger {
  /** Tokens that the vault holds. */
  heldUsd6: bigint;
  /** What it owes to everybody who ever had to do with it: available + reserved + credit, and what waits in pots. */
  owedUsd6: bigint;
}

export async function readLedger(chain: PublicClient): Promise<Ledger> {
  const fromBlock = BigInt(contracts.deploymentBlock);
  const [deposited, reserved, settled, paid] = await Promise.all([
    chain.getContractEvents({ ...vault, eventName: "Deposited", fromBlock, strict: true }),
    chain.getContractEvents({ ...vault, eventName: "Reserved", fromBlock, strict: true }),
    chain.getContractEvents({ ...vault, eventName: "Settled", fromBlock, strict: true }),
    chain.getContractEvents({ ...vault, eventName: "PaidFromHeld", fromBlock, strict: true }),
  ]);
  const accounts = new Set<Address>([
    ...deposited.map(({ args }) => args.account),
    ...reserved.map(({ args }) => args.account),
    ...settled.flatMap(({ args }) => [args.payer, args.payee]),
    ...paid.map(({ args }) => args.payee),
  ]);
  const owed = await Promise.all(
    [...accounts].map(async (account) => {
      const { availableUsd6, creditUsd6, reservedUsd6 } = await chain.readContract({
        ...vault,
        functionName: "accountOf",
        args: [account],
      });
      return availableUsd6 + creditUsd6 + reservedUsd6;
    }),
  );
  const pots = await Promise.all(
    [contracts.taskEscrow, contracts.sessionSettlement].map((rail) =>
      chain.readContract({ ...vault, functionName: "heldBy", args: [rail] }),
    ),
  );
  return {
    heldUsd6: await chain.readContract({ ...token, functionName: "balanceOf", args: [contracts.paymentVault] }),
    owedUsd6: [...owed, ...pots].reduce((total, usd6) => total + usd6, 0n),
  };
}

export async function creditOf(chain: PublicClient, account: Address): Promise<bigint> {
  return (await chain.readContract({ ...vault, functionName: "accountOf", args: [account] })).creditUsd6;
}

/** Everything that is an account's own: in its wallet, and in the vault whether free, locked or earned. */
export async function wealthOf(chain: PublicClient, account: Address): Promise<bigint> {
  const { availableUsd6, creditUsd6, reservedUsd6 } = await chain.readContract({
    ...vault,
    functionName: "accountOf",
    args: [account],
  });
  return (
    availableUsd6 +
    creditUsd6 +
    reservedUsd6 +
    (await chain.readContract({ ...token, functionName: "balanceOf", args: [account] }))
  );
}

export async function reservedOf(chain: PublicClient, account: Address): Promise<bigint> {
  return (await chain.readContract({ ...vault, functionName: "accountOf", args: [account] })).reservedUsd6;
}

/** The one settlement of a task; throws if there are two. */
export async function settlementOf(chain: PublicClient, taskId: Hex) {
  const escrow = { address: contracts.taskEscrow, abi: taskEscrowAbi } as const;
  const fromBlock = BigInt(contracts.deploymentBlock);
  const logs = await chain.getContractEvents({
    ...escrow,
    eventName: "TaskSettled",
    args: { taskId },
    fromBlock,
    strict: true,
  });
  if (logs.length > 1) throw new Error(`${taskId} was settled ${logs.length} times`);
  return logs[0];
}

/** What the backups of a task were paid for having stood by, by node. */
export async function standbyOf(chain: PublicClient, taskId: Hex): Promise<Map<number, bigint>> {
  const escrow = { address: contracts.taskEscrow, abi: taskEscrowAbi } as const;
  const fromBlock = BigInt(contracts.deploymentBlock);
  const query = { ...escrow, eventName: "TaskStandbyPaid", args: { taskId }, fromBlock, strict: true } as const;
  const logs = await chain.getContractEvents(query);
  return new Map(logs.map(({ args }) => [args.nodeId, args.amountUsd6]));
}
