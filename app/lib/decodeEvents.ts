/** The events of a receipt in words of the contracts; a log of a contract that is not ours stays undecoded. */
import { faucetAbi } from "@ngpu/protocol/generated/abi/faucet";
import { localUsdAbi } from "@ngpu/protocol/generated/abi/localUsd";
import { nodeRegistryAbi } from "@ngpu/protocol/generated/abi/nodeRegistry";
import { paymentVaultAbi } from "@ngpu/protocol/generated/abi/paymentVault";
import { stakeVaultAbi } from "@ngpu/protocol/generated/abi/stakeVault";
import { taskEscrowAbi } from "@ngpu/protocol/generated/abi/taskEscrow";
import { decodeEventLog, type Abi, type Log } from "viem";
import type { AppDeployment } from "./deployment.ts";

export interface DecodedEvent {
  logIndex: number;
  contract: string;
  name: string;
  args: { name: string; value: string }[];
}

export function decodeEvents(logs: readonly Log[], deployment: AppDeployment): DecodedEvent[] {
  const known: readonly (readonly [string, string | undefined, Abi])[] = [
    ["TaskEscrow", deployment.taskEscrow, taskEscrowAbi],
    ["PaymentVault", deployment.paymentVault, paymentVaultAbi],
    ["StakeVault", deployment.stakeVault, stakeVaultAbi],
    ["NodeRegistry", deployment.nodeRegistry, nodeRegistryAbi],
    ["Payment token", deployment.paymentToken, localUsdAbi],
    ["Stake token", deployment.ngpuToken, localUsdAbi],
    ["Faucet", deployment.faucet, faucetAbi],
  ];
  return logs.map((log) => {
    const [contract, , abi] = known.find(([, address]) => address?.toLowerCase() === log.address.toLowerCase()) ?? [];
    return { logIndex: log.logIndex ?? 0, contract: contract ?? log.address, ...decoded(log, abi) };
  });
}

function decoded(log: Log, abi: Abi | undefined): Pick<DecodedEvent, "name" | "args"> {
  if (abi === undefined) return { name: "Unknown event", args: [] };
  try {
    const { eventName, args } = decodeEventLog({ abi, data: log.data, topics: log.topics });
    const entries = Object.entries((args ?? {}) as Record<string, unknown>);
    return {
      name: eventName ?? "Unknown event",
      args: entries.map(([name, value]) => ({ name, value: String(value) })),
    };
  } catch {
    return { name: "Unknown event", args: [] };
  }
}
