/**
 * Demands the output of a settled task that no gateway gives: bill and a bond of the payer wait until keepers say that
 * they hold the output, or until time gives both back. A demand for what is there only costs the bond, so every gateway
 * is asked once more before.
 */
import { errorsAbi } from "@ngpu/protocol/generated/abi/errors";
import { taskEscrowAbi } from "@ngpu/protocol/generated/abi/taskEscrow";
import { NgpuError } from "@ngpu/protocol/errors";
import { readTask } from "@ngpu/protocol/readTask";
import { taskStatus } from "@ngpu/protocol/taskStatus";
import {
  parseEventLogs,
  type Account,
  type Address,
  type Chain,
  type Hex,
  type PublicClient,
  type Transport,
  type WalletClient,
} from "viem";
import { allowBond } from "./allowBond.ts";
import { clientError } from "./clientError.ts";
import { requireGas } from "./requireGas.ts";
import { isOutputHeld } from "./isOutputHeld.ts";
import type { TaskSecrets } from "./taskSecrets.ts";

export interface DemandOptions {
  chain: PublicClient;
  wallet: WalletClient<Transport, Chain, Account>;
  deployment: { taskEscrow: Address; paymentVault: Address; localUsd: Address; deploymentBlock: bigint };
  /** Every gateway that might hold the output. */
  gatewayUrls: readonly string[];
  secrets: TaskSecrets;
  signal?: AbortSignal;
}

export interface Demand {
  txHash: Hex;
  /** The bill, which waits. */
  amountUsd6: bigint;
  /** The payer's, which waits with it. */
  bondUsd6: bigint;
  /** Chain time in seconds until which keepers may answer; from then on anyone can close the demand. */
  answerableUntilS: number;
}

/**
 * Sends the demand, and before it an allowance where the payer's balance does not cover the bond. Throws OUTPUT_HELD,
 * DEMAND_NOT_POSSIBLE, DEMAND_TOO_LATE, TASK_UNKNOWN, TASK_WORDS_MISMATCH, CONTRACT_REFUSED (as when the wallet has
 * too little for the bond), GAS_SHORT, WALLET_DECLINED or CHAIN_UNREACHABLE.
 */
export async function demandOutput(options: DemandOptions): Promise<Demand> {
  try {
    return await demand(options);
  } catch (error) {
    throw clientError(error);
  }
}

async function demand(options: DemandOptions): Promise<Demand> {
  const { chain, wallet, deployment, secrets } = options;
  const { taskId } = secrets;
  const escrow = { address: deployment.taskEscrow, abi: [...taskEscrowAbi, ...errorsAbi] } as const;
  const firstBlock = deployment.deploymentBlock;
  const { state, terms, settlement } = await readTask({ chain, escrow: escrow.address, taskId, firstBlock });
  if (state.status !== taskStatus.settled || settlement === undefined)
    throw new NgpuError("DEMAND_NOT_POSSIBLE", { taskId, status: state.status });
  const payerWindowS = await chain.readContract({ ...escrow, functionName: "payerWindow" });
  const { timestamp } = await chain.getBlock();
  const untilS = state.changedAt + payerWindowS;
  if (Number(timestamp) >= untilS) throw new NgpuError("DEMAND_TOO_LATE", { taskId, untilS });
  await requireNowhere(options, settlement.outputCiphertext);
  const ofBill = [settlement.amountUsd6] as const;
  const bond = await chain.readContract({ ...escrow, functionName: "demandBondOf", args: ofBill });
  await allowBond({ chain, wallet, deployment, bondUsd6: bond });

  const args = [taskId, terms, settlement] as const;
  const call = { ...escrow, functionName: "demandOutput", args, account: wallet.account } as const;
  const { request } = await chain.simulateContract(call);
  await requireGas({ chain, request: call });
  const txHash = await wallet.writeContract(request).catch((cause: unknown) => {
    throw clientError(cause, "CHAIN_REFUSED");
  });
  const { status, logs, blockNumber } = await chain.waitForTransactionReceipt({ hash: txHash });
  // Between the simulation and its block the window may have ended: simulated there, it says why.
  if (status !== "success") await chain.simulateContract({ ...call, blockNumber });
  const [demanded] = parseEventLogs({ abi: taskEscrowAbi, eventName: "OutputDemanded", logs, strict: true });
  if (demanded === undefined) throw new NgpuError("DEMAND_NOT_POSSIBLE", { taskId, txHash });
  const { amountUsd6, bondUsd6, answerableUntil } = demanded.args;
  return { txHash, amountUsd6, bondUsd6, answerableUntilS: answerableUntil };
}

/** Throws OUTPUT_HELD when a gateway gives the bytes: keepers would find them there too. */
async function requireNowhere(options: DemandOptions, hash: Hex): Promise<void> {
  const { wallet, deployment, gatewayUrls, secrets, signal } = options;
  const context = { chainId: wallet.chain.id, verifyingContract: deployment.taskEscrow };
  const { taskId } = secrets;
  const asked = gatewayUrls.map(async (gatewayUrl) => {
    const isHeld = await isOutputHeld({ gatewayUrl, context, secrets, hash, signal, nowMs: Date.now });
    if (isHeld) throw new NgpuError("OUTPUT_HELD", { taskId, gatewayUrl });
  });
  await Promise.all(asked);
}
