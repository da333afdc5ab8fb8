/**
 * Turns a reverted transaction into the name and arguments of its custom error, wherever in the cause chain the data
 * is.
 */
import { errorsAbi } from "@ngpu/protocol/generated/abi/errors";
import { decodeErrorResult, isHex, parseAbi, type Hex } from "viem";

const abi = [...errorsAbi, ...parseAbi(["error TokenReceiverBlocked(address receiver)"])] as const;

export interface Revert {
  name: string;
  args: readonly unknown[];
}

/** The revert of `act`; throws if it succeeded, or failed for another reason than a revert with data. */
export async function revertOf(act: Promise<unknown>): Promise<Revert> {
  try {
    await act;
  } catch (error) {
    const data = revertDataOf(error);
    if (data === undefined) throw error;
    const { errorName, args } = decodeErrorResult({ abi, data });
    return { name: errorName, args: args ?? [] };
  }
  throw new Error("expected a revert, but it succeeded");
}

/** The name of `act`'s custom error. */
export async function codeOf(act: Promise<unknown>): Promise<string> {
  return (await revertOf(act)).name;
}

function revertDataOf(error: unknown): Hex | undefined {
  if (typeof error !== "object" || error === null) return undefined;
  if ("data" in error) {
    if (isHex(error.data) && error.data.length >= 10) return error.data;
    const nested = revertDataOf(error.data);
    if (nested !== undefined) return nested;
  }
  return "cause" in error ? revertDataOf(error.cause) : undefined;
}
