/**
 * Anything that was thrown, in words that a person can act on: a contract's refusal and our own codes with what
 * happened, what it cost and what to do. The text of viem, which quotes the whole call, is for nobody.
 */
import {
  BaseError,
  ContractFunctionRevertedError,
  decodeErrorResult,
  HttpRequestError,
  InsufficientFundsError,
  isHex,
  size,
  TimeoutError,
  type Hex,
} from "viem";
import { errorCatalogue, isErrorCode, NgpuError } from "../src/errors.ts";
import { explainContractError } from "../src/explainContractError.ts";
import { errorsAbi } from "../src/generated/abi/errors.ts";

export interface FailureWords {
  /** Our code, or the name of the contract's error. */
  code: string;
  meaning: string;
  cost: string;
  remedy: string;
}

/** undefined for what none of the catalogues knows. */
export function explainFailure(error: unknown): FailureWords | undefined {
  if (error instanceof NgpuError) return error.code === "INTERNAL" ? explainCause(error) : wordsOf(error);
  if (!(error instanceof BaseError)) return undefined;
  const revert = revertOf(error);
  if (revert !== undefined) return revert;
  if (has(error, InsufficientFundsError)) return wordsOf(new NgpuError("GAS_SHORT"));
  if (has(error, HttpRequestError) || has(error, TimeoutError)) return wordsOf(new NgpuError("CHAIN_UNREACHABLE"));
  return undefined;
}

/** A code that a peer sent, with what our catalogue says of it where it knows it. */
export function explainCode(code: string): { code: string; retryable: boolean } & Partial<FailureWords> {
  if (!isErrorCode(code)) return { code, retryable: false };
  const { meaning, cost, remedy, retryable } = errorCatalogue[code];
  return { code, meaning, cost, remedy, retryable };
}

/** One paragraph for a terminal. */
export function failureText({ code, meaning, cost, remedy }: FailureWords): string {
  const costs = cost.replace(/^Nothing/, "It cost nothing");
  return `${code}: ${meaning} ${costs} ${remedy}`;
}

function explainCause(error: NgpuError): FailureWords | undefined {
  return error.cause === undefined ? undefined : explainFailure(error.cause);
}

function wordsOf({ code, entry, fields }: NgpuError): FailureWords {
  const named = Object.entries(fields).map(([key, value]) => `${key}=${String(value)}`);
  const detail = named.length === 0 ? "" : ` (${named.join(" ")})`;
  return { code, meaning: `${entry.meaning}${detail}`, cost: entry.cost, remedy: entry.remedy };
}

/** What viem decoded, or else what its error carries undecoded: a contract may pass on another one's refusal. */
function revertOf(error: BaseError): FailureWords | undefined {
  const data = revertData(error);
  if (data === undefined) return undefined;
  try {
    const { errorName, args, abiItem } = decodeErrorResult({ abi: errorsAbi, data });
    const values: readonly unknown[] = args ?? [];
    const named = Object.fromEntries(abiItem.inputs.map(({ name }, index) => [name, values[index]]));
    const words = explainContractError({ name: errorName, args: named });
    return words === undefined ? undefined : { code: errorName, ...words };
  } catch {
    return undefined;
  }
}

function revertData(error: BaseError): Hex | undefined {
  const reverted = error.walk((cause) => cause instanceof ContractFunctionRevertedError);
  if (reverted instanceof ContractFunctionRevertedError) return reverted.raw;
  const carrier = error.walk((cause) => isHex(dataOf(cause)) && size(dataOf(cause) as Hex) >= 4);
  return carrier === null ? undefined : (dataOf(carrier) as Hex);
}

function dataOf(error: unknown): unknown {
  if (typeof error !== "object" || error === null || !("data" in error)) return undefined;
  const { data } = error;
  return typeof data === "object" && data !== null && "data" in data ? data.data : data;
}

function has(error: BaseError, type: abstract new (...args: never[]) => Error): boolean {
  return error.walk((cause) => cause instanceof type) !== null;
}
