/**
 * The worst that a revived primary could do after its backup was paid: present a receipt of its own, signed with its
 * real operator key, for exactly the attempt it was given.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { taskEscrowAbi } from "@ngpu/protocol/generated/abi/taskEscrow";
import { deployments } from "@ngpu/protocol/generated/deployments";
import { readTask } from "@ngpu/protocol/readTask";
import { signMessage, type Signed } from "@ngpu/protocol/signed";
import { assignedOf } from "@ngpu/protocol/taskWords";
import { BaseError, ContractFunctionRevertedError, type Address, type Hex, type PublicClient } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import type { StackNode } from "../../stack/stack.ts";
import { StackError } from "../../stack/stackError.ts";

const firstBlock = BigInt(deployments[31337].deploymentBlock);
const escrow = { address: deployments[31337].taskEscrow, abi: taskEscrowAbi } as const;

/** Name of the contract's refusal; undefined when it would pay. */
export async function refusalOfLateReceipt(options: {
  chain: PublicClient;
  dataDir: string;
  primary: StackNode;
  /** The receipt that was paid. */
  paid: Signed<"receipt">;
  sender: Address;
}): Promise<string | undefined> {
  const { chain, dataDir, primary, paid, sender } = options;
  const { taskId, assignment } = paid.message;
  const { terms, logs } = await readTask({ chain, escrow: escrow.address, taskId, firstBlock });
  const standing = logs.find((log) => log.eventName === "TaskAssigned" && log.args.assignment === assignment);
  if (standing?.eventName !== "TaskAssigned") throw new StackError(`${taskId} has a bill and no assignment.`);
  const assigned = assignedOf(standing.args);
  const { nodeId, powerCu } = assigned.seats[0] ?? { nodeId: 0, powerCu: 0 };
  const key = readFileSync(join(dataDir, "keys", primary.name), "utf8").trim();
  const { message, signature } = await signMessage({
    kind: "receipt",
    message: { ...paid.message, nodeId, powerCu, attempt: 0, durationMs: 1 },
    context: { chainId: await chain.getChainId(), verifyingContract: escrow.address },
    signer: privateKeyToAccount(`0x${key}` as Hex),
  });
  try {
    const args = [terms, assigned, message, signature] as const;
    await chain.simulateContract({ ...escrow, functionName: "settle", args, account: sender });
    return undefined;
  } catch (error) {
    const revert = error instanceof BaseError && error.walk((cause) => cause instanceof ContractFunctionRevertedError);
    if (revert instanceof ContractFunctionRevertedError && revert.data) return revert.data.errorName;
    throw error;
  }
}
