/**
 * Anything thrown under the client as an error of the catalogue with its cause chain. A revert carries the contract's
 * error and its words. Branches on types and codes, never on a text.
 */
import { NgpuError, type ErrorCode } from "@ngpu/protocol/errors";
import { explainContractError } from "@ngpu/protocol/explainContractError";
import {
  BaseError,
  ChainMismatchError,
  ContractFunctionRevertedError,
  ContractFunctionZeroDataError,
  HttpRequestError,
  InsufficientFundsError,
  SocketClosedError,
  TimeoutError,
  WebSocketRequestError,
} from "viem";

/** EIP-1193 and what wallets made of it: declined, method declined, not authorised. */
const declined: readonly unknown[] = [4001, 5000, 4100, "ACTION_REJECTED"];
const mostCauses = 12;

/** `otherwise` is for what is neither of the catalogue nor of the chain. */
export function clientError(cause: unknown, otherwise: ErrorCode = "INTERNAL"): NgpuError {
  if (cause instanceof NgpuError) return cause;
  const causes = causesOf(cause);
  const revert = causes.find((inner) => inner instanceof ContractFunctionRevertedError);
  if (revert !== undefined) return new NgpuError("CONTRACT_REFUSED", fieldsOf(revert), { cause });
  return new NgpuError(codeFor(causes) ?? otherwise, {}, { cause });
}

function codeFor(causes: readonly object[]): ErrorCode | undefined {
  const has = (...types: readonly (new (...args: never[]) => Error)[]): boolean =>
    causes.some((inner) => types.some((type) => inner instanceof type));
  if (has(InsufficientFundsError)) return "GAS_SHORT";
  if (causes.some((inner) => "code" in inner && declined.includes(inner.code))) return "WALLET_DECLINED";
  if (has(ContractFunctionZeroDataError, ChainMismatchError)) return "CHAIN_WRONG";
  if (has(HttpRequestError, TimeoutError, WebSocketRequestError, SocketClosedError)) return "CHAIN_UNREACHABLE";
  return has(BaseError) ? "CHAIN_REFUSED" : undefined;
}

function fieldsOf({ data, signature, reason }: ContractFunctionRevertedError): Record<string, unknown> {
  const contractError = data?.errorName ?? signature ?? "unknown";
  const inputs = data?.abiItem.type === "error" ? data.abiItem.inputs : [];
  const args = Object.fromEntries(inputs.map(({ name = "" }, index) => [name, data?.args?.[index]]));
  const words = explainContractError({ name: contractError, args });
  const text = words === undefined ? reason : `${words.meaning} ${words.remedy}`;
  return text === undefined ? { contractError } : { contractError, text };
}

function causesOf(error: unknown): object[] {
  const causes: object[] = [];
  for (let inner = error; typeof inner === "object" && inner !== null && causes.length < mostCauses; ) {
    causes.push(inner);
    inner = "cause" in inner ? inner.cause : undefined;
  }
  return causes;
}
