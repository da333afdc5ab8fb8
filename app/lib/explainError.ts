/**
 * Turns anything that was thrown into words for people. A refusal in the wallet is no error; a contract's error gets
 * its own text; ours come from the catalogue; everything else keeps its short message. Branches on codes and names,
 * never on message text.
 */
import { errorCatalogue, NgpuError } from "@ngpu/protocol/errors";
import {
  BaseError,
  ContractFunctionRevertedError,
  ContractFunctionZeroDataError,
  HttpRequestError,
  TimeoutError,
} from "viem";
import { contractErrorTexts } from "./contractErrorTexts.ts";
import { SubgraphError } from "./subgraph/subgraphError.ts";

export interface Explanation {
  tone: "neutral" | "warning" | "error";
  title: string;
  text: string;
  /** Name of the contract's error, our code or the wallet's number. */
  code: string;
}

const walletCode = {
  rejected: 4001,
  rejectedMethod: 5000,
  unauthorised: 4100,
  pending: -32002,
  unknownChain: 4902,
} as const;

export function explainError(error: unknown): Explanation {
  if (error instanceof NgpuError) return explainOurs(error);
  if (error instanceof SubgraphError) {
    return { tone: "warning", title: "The index did not answer", text: error.message, code: error.code };
  }
  const code = deepCode(error);
  if (code === walletCode.rejected || code === walletCode.rejectedMethod || code === "ACTION_REJECTED") {
    return {
      tone: "neutral",
      title: "Declined in the wallet",
      text: "Nothing was sent and nothing was spent.",
      code: String(code),
    };
  }
  if (code === walletCode.pending) {
    return {
      tone: "warning",
      title: "The wallet is waiting",
      text: "Open your wallet and answer the request that is pending there.",
      code: String(code),
    };
  }
  if (code === walletCode.unauthorised) {
    return {
      tone: "warning",
      title: "The wallet is locked",
      text: "Unlock it or connect it again. Nothing was sent.",
      code: String(code),
    };
  }
  if (code === walletCode.unknownChain) {
    return {
      tone: "warning",
      title: "The wallet does not know this chain",
      text: "Add the chain to your wallet, then try again.",
      code: String(code),
    };
  }
  return error instanceof BaseError ? explainViem(error) : explainUnknown(error);
}

function explainOurs(error: NgpuError): Explanation {
  const { meaning, cost, remedy, retryable } = errorCatalogue[error.code];
  const spent = cost === "Nothing." ? "It cost nothing." : cost;
  return { tone: retryable ? "warning" : "error", title: meaning, text: `${spent} ${remedy}`, code: error.code };
}

function explainViem(error: BaseError): Explanation {
  const revert = error.walk((inner) => inner instanceof ContractFunctionRevertedError);
  if (revert instanceof ContractFunctionRevertedError) {
    const name = revert.data?.errorName ?? revert.signature ?? "";
    const text = Object.hasOwn(contractErrorTexts, name)
      ? contractErrorTexts[name]?.(revert.data?.args ?? [])
      : undefined;
    const fallback = revert.reason ?? "It gave no reason that this app knows.";
    return { tone: "error", title: "The contract refused this", text: text ?? fallback, code: name };
  }
  if (error.walk((inner) => inner instanceof ContractFunctionZeroDataError) !== null) {
    const text = "No contract answers at the expected address. Check that the configured chain is the right one.";
    return { tone: "error", title: "The contracts were not found", text, code: "ZeroData" };
  }
  if (error.walk((inner) => inner instanceof HttpRequestError || inner instanceof TimeoutError) !== null) {
    return explainOurs(new NgpuError("CHAIN_UNREACHABLE"));
  }
  return { tone: "error", title: "That did not work", text: error.shortMessage, code: error.name };
}

function explainUnknown(error: unknown): Explanation {
  const text = error instanceof Error ? error.message : String(error);
  return { tone: "error", title: "That did not work", text, code: error instanceof Error ? error.name : "unknown" };
}

/** The first wallet code along the chain of causes; a wallet's own error is often wrapped several times. */
function deepCode(error: unknown): number | string | undefined {
  const known: unknown[] = [...Object.values(walletCode), "ACTION_REJECTED"];
  for (let inner: unknown = error, depth = 0; inner !== null && typeof inner === "object" && depth < 12; depth++) {
    const code = "code" in inner ? inner.code : undefined;
    if (known.includes(code)) return code as number | string;
    inner = "cause" in inner ? inner.cause : undefined;
  }
  return undefined;
}
