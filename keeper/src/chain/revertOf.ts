/** A contract's refusal, out of what viem throws; undefined for anything else, as when the RPC did not answer. */
import { BaseError, ContractFunctionRevertedError } from "viem";

export function revertOf(error: unknown): ContractFunctionRevertedError | undefined {
  if (!(error instanceof BaseError)) return undefined;
  const revert = error.walk((cause) => cause instanceof ContractFunctionRevertedError);
  return revert instanceof ContractFunctionRevertedError ? revert : undefined;
}
