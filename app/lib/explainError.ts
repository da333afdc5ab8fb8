/**
 * Turns anything that was thrown into words for people. A refusal in the wallet is no error; a contract's error gets
 * its own text; ours come from the catalogue; everything else keeps its short message. Branches on codes and names; on
 * words only for wallets that refuse without a code.
 */
import { errorCatalogue, NgpuError, type ErrorCode } from "@ngpu/protocol/errors";
import {
  BaseError,
  ContractFunctionRevertedError,
  ContractFunctionZeroDataError,
  HttpRequestError,
  InsufficientFundsError,
  TimeoutError,
} from "viem";
import { contractWords } from "./contractWords.ts";
import { formatBytes, formatDateTime, formatUnitsExact } from "./format.ts";

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

/** Codes under which the client passes on what a contract, a wallet or an RPC said: that says more. */
const others: ReadonlySet<string> = new Set<ErrorCode>(["CONTRACT_REFUSED", "WALLET_DECLINED", "CHAIN_REFUSED"]);

/** `asked` for what was only asked, never sent: then nothing is said of its cost. */
export function explainError(error: unknown, { asked = false }: { asked?: boolean } = {}): Explanation {
  if (error instanceof NgpuError) {
    const { code, cause } = error;
    return others.has(code) && cause !== undefined ? explainError(cause, { asked }) : explainOurs(error);
  }
  const code = deepCode(error);
  if (
    code === walletCode.rejected ||
    code === walletCode.rejectedMethod ||
    code === "ACTION_REJECTED" ||
    saysSo(error, declined)
  ) {
    return {
      tone: "neutral",
      title: "Declined in the wallet",
      text: "Nothing was sent and nothing was spent.",
      code: String(code ?? walletCode.rejected),
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
  if (saysSo(error, nonceApart)) {
    return {
      tone: "warning",
      title: "The wallet counts its transactions differently from the chain",
      text:
        "Nothing was sent and nothing was spent. So it is when a local chain has begun anew: clear the wallet's " +
        "activity for this chain in its settings, then try again.",
      code: "nonce",
    };
  }
  if (error instanceof BaseError) return explainViem(error, asked);
  return error instanceof Error ? explainUnknown(error.message, error.name) : explainUnknown(String(error), "unknown");
}

function explainOurs(error: NgpuError): Explanation {
  const { meaning, cost, remedy, retryable } = errorCatalogue[error.code];
  const detail = detailOf(error);
  const spent = cost.replace(/^Nothing/, "It cost nothing");
  return {
    tone: retryable ? "warning" : "error",
    title: meaning,
    text: `${detail}${spent} ${remedy}`,
    code: error.code,
  };
}

/** The figures that make a limit or a shortfall plain; what else an error carries is for logs. */
function detailOf({ code, fields }: NgpuError): string {
  const { images, bytes, sidePx, most, heldWei, neededWei } = fields;
  if (code === "GAS_SHORT" && typeof heldWei === "bigint" && typeof neededWei === "bigint") {
    const eth = (wei: bigint): string => `${formatUnitsExact(wei, 18)} ETH`;
    return `It holds ${eth(heldWei)}; this needs up to ${eth(neededWei)}: ${eth(neededWei - heldWei)} are missing. `;
  }
  if (code !== "INPUT_TOO_LARGE" || typeof most !== "number") return "";
  if (typeof images === "number") return `${images} images were given, at most ${most} are taken. `;
  if (typeof bytes === "number") return `${formatBytes(bytes)} were given, at most ${formatBytes(most)} are taken. `;
  return typeof sidePx === "number" ? `A side has ${sidePx} px, at most ${most} px are taken. ` : "";
}

function explainViem(error: BaseError, asked: boolean): Explanation {
  const revert = error.walk((inner) => inner instanceof ContractFunctionRevertedError);
  if (revert instanceof ContractFunctionRevertedError) {
    return explainRevert(revert, asked);
  }
  if (error.walk((inner) => inner instanceof InsufficientFundsError) !== null) {
    return explainOurs(new NgpuError("GAS_SHORT"));
  }
  if (error.walk((inner) => inner instanceof ContractFunctionZeroDataError) !== null) {
    const text = "No contract answers at the expected address. Check that the configured chain is the right one.";
    return { tone: "error", title: "The contracts were not found", text, code: "ZeroData" };
  }
  if (error.walk((inner) => inner instanceof HttpRequestError || inner instanceof TimeoutError) !== null) {
    return explainOurs(new NgpuError("CHAIN_UNREACHABLE"));
  }
  return explainUnknown(error.shortMessage, error.name);
}

function explainRevert(revert: ContractFunctionRevertedError, asked: boolean): Explanation {
  const { data, signature, reason } = revert;
  const name = data?.errorName ?? signature ?? "";
  const inputs = data?.abiItem.type === "error" ? data.abiItem.inputs : [];
  const args = Object.fromEntries(inputs.map((input, index) => [input.name ?? "", data?.args?.[index]]));
  const words = contractWords({ name, args, time: formatDateTime });
  const text =
    words === undefined ? undefined : [words.meaning, ...(asked ? [] : [words.cost]), words.remedy].join(" ");
  const unknown = `${reason ?? "It gave no reason that this app knows."} No money was moved.`;
  return { tone: "error", title: "The contract refused this", text: text ?? unknown, code: name };
}

const longestWords = 240;

/** Others' words, without the request that they like to repeat. */
function explainUnknown(message: string, code: string): Explanation {
  const [line = ""] = message.trim().split("\n");
  const words = line.length > longestWords ? `${line.slice(0, longestWords)}…` : line;
  const rest = "What was sent before, if anything, is in your wallet's list. Try again.";
  return {
    tone: "error",
    title: "That did not work",
    text: `The answer was: ${words || code}. ${rest}`.replace(/([.!?])\. /, "$1 "),
    code,
  };
}

const nonceApart = /\bnonce (is )?too (high|low)\b|nonce provided for the transaction.* is (higher|lower)/i;
const declined =
  /\buser (has )?(rejected|denied|declined|cancel+ed|disapproved)\b|\b(rejected|declined|cancel+ed) by (the )?user\b/i;

/** Some wallets refuse with a code of their own or with none; then their words are all there is. */
function saysSo(error: unknown, words: RegExp): boolean {
  for (let inner: unknown = error, depth = 0; inner !== null && inner !== undefined && depth < 12; depth++) {
    if (typeof inner !== "object") return words.test(String(inner));
    if ("message" in inner && words.test(String(inner.message))) return true;
    inner = "cause" in inner ? inner.cause : "data" in inner ? inner.data : undefined;
  }
  return false;
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
