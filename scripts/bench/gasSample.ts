/**
 * Gas of one mined transaction and the floor of the same: what it pays for existing, for storage and for logs alone,
 * refunds deducted.
 */
import type { TransactionReceipt } from "viem";
import type { World } from "../../test/contracts/support/world.ts";

export interface Sample {
  readonly gas: number;
  readonly floor: number;
}

interface Trace {
  readonly structLogs: readonly { readonly op: string; readonly gas: number; readonly gasCost: number }[];
}

export async function sampleOf(
  world: Pick<World, "connection" | "publicClient">,
  receipt: TransactionReceipt,
): Promise<Sample> {
  const hash = receipt.transactionHash;
  const options = { disableStack: true, disableMemory: true, disableStorage: true };
  const request = { method: "debug_traceTransaction", params: [hash, options] };
  const { structLogs } = (await world.connection.provider.request(request)) as Trace;
  const { gas: gasLimit } = await world.publicClient.getTransaction({ hash });
  const [first] = structLogs;
  const last = structLogs.at(-1);
  if (first === undefined || last === undefined) throw new Error(`transaction ${hash} executed nothing`);
  const intrinsic = Number(gasLimit) - first.gas;
  const gas = Number(receipt.gasUsed);
  const refund = Number(gasLimit) - last.gas + last.gasCost - gas;
  const unavoidable = structLogs
    .filter(({ op }) => op === "SLOAD" || op === "SSTORE" || op.startsWith("LOG"))
    .reduce((total, { gasCost }) => total + gasCost, 0);
  return { gas, floor: intrinsic + unavoidable - refund };
}
