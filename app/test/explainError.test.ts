/** Whatever goes wrong has words for people, and a refusal in the wallet is not an error. */
import { before, describe, it } from "node:test";
import { errorCatalogue, NgpuError, type ErrorCode } from "@ngpu/protocol/errors";
import { errorsAbi } from "@ngpu/protocol/generated/abi/errors";
import { expect } from "chai";
import {
  BaseError,
  ContractFunctionExecutionError,
  ContractFunctionRevertedError,
  encodeErrorResult,
  HttpRequestError,
  InsufficientFundsError,
  NonceTooHighError,
  NonceTooLowError,
  UserRejectedRequestError,
} from "viem";
import { loadContractWords } from "../lib/contractWords.ts";
import { explainError } from "../lib/explainError.ts";

const errorNames = errorsAbi.map(({ name }) => name);
const sampleOf = (type: string): unknown =>
  type === "address"
    ? `0x${"12".repeat(20)}`
    : type.startsWith("bytes")
      ? `0x${"34".repeat(Number(type.slice(5) || 4))}`
      : type === "string"
        ? "text"
        : 5n;

function revertWith(name: string): Error {
  const item = errorsAbi.find((entry) => entry.name === name);
  const args = (item?.inputs ?? []).map(({ type }) => sampleOf(type));
  const data = encodeErrorResult({ abi: errorsAbi, errorName: name, args } as unknown as Parameters<
    typeof encodeErrorResult
  >[0]);
  const cause = new ContractFunctionRevertedError({ abi: [...errorsAbi], data, functionName: "post" });
  return new ContractFunctionExecutionError(cause, { abi: [], functionName: "post" });
}

describe("explainError", () => {
  before(loadContractWords);

  it("says in a whole sentence what each contract error means, with its figures in it", () => {
    for (const name of errorNames) {
      const { text, code, tone } = explainError(revertWith(name));
      expect(code, name).to.equal(name);
      expect(tone, name).to.equal("error");
      expect(text, name).to.match(/^([A-Z0-9<]|node-).{12,}[.?]$/);
      expect(text, name).to.contain("No money was moved.");
      expect(text, name).to.not.match(/undefined|NaN|\[object|[{}]/);
    }
  });

  it("takes a refusal in the wallet for neutral, however it is wrapped", () => {
    const refused = new UserRejectedRequestError(new Error("no"));
    const wrapped = new ContractFunctionExecutionError(refused, { abi: [], functionName: "post" });
    const foreign = Object.assign(new Error("rejected"), { cause: { code: "ACTION_REJECTED" } });
    const words = [
      "User rejected the request.",
      "MetaMask Tx Signature: User denied transaction signature.",
      "Cancelled by the user",
    ];
    const wordy = words.map((message) => Object.assign(new Error(message), { code: -32_603 }));
    const deep = new Error("failed", { cause: { message: "user declined" } });
    for (const error of [refused, wrapped, foreign, { code: 4001 }, { code: 5000 }, ...words, ...wordy, deep]) {
      const { tone, title } = explainError(error);
      expect({ tone, title }).to.deep.equal({ tone: "neutral", title: "Declined in the wallet" });
    }
    expect(explainError(new Error("The user account is not allowed")).tone).to.equal("error");
  });

  it("explains a wallet that remembers the nonces of a chain that is gone", () => {
    const inWallet = {
      code: -32_603,
      message: "Internal JSON-RPC error.",
      data: { message: "Nonce too high. Expected 0" },
    };
    const causes = [new NonceTooHighError({ nonce: 9 }), new NonceTooLowError({ nonce: 0 })];
    for (const error of [inWallet, ...causes.map((cause) => new BaseError("sending failed", { cause }))]) {
      const { tone, text } = explainError(error);
      expect(tone).to.equal("warning");
      expect(text).to.contain("Nothing was sent").and.contain("begun anew").and.contain("clear the wallet's activity");
    }
  });

  it("tells a pending request, a locked wallet and an unknown chain apart", () => {
    expect(explainError({ code: -32002 }).title).to.equal("The wallet is waiting");
    expect(explainError({ code: 4100 }).title).to.equal("The wallet is locked");
    expect(explainError({ code: 4902 }).title).to.equal("The wallet does not know this chain");
  });

  it("uses the catalogue for our own errors: what happened, what it cost, what to do", () => {
    for (const code of Object.keys(errorCatalogue) as ErrorCode[]) {
      const { title, text } = explainError(new NgpuError(code));
      expect(title).to.equal(errorCatalogue[code].meaning);
      expect(text).to.contain(errorCatalogue[code].remedy);
      expect(text).to.match(/cost|[Nn]othing|refund|escrow|paid|billed|gone|tenth of the execution/);
    }
  });

  it("says what a contract or a wallet said under a code of the client", () => {
    const revert = new NgpuError("CONTRACT_REFUSED", {}, { cause: revertWith("FeedStale") });
    expect(explainError(revert)).to.deep.equal(explainError(revertWith("FeedStale")));
    expect(explainError(new NgpuError("WALLET_DECLINED", {}, { cause: { code: 4001 } })).code).to.equal("4001");
  });

  it("tells too little money for gas from a contract's refusal", () => {
    const cause = new InsufficientFundsError({});
    const { code, text } = explainError(new ContractFunctionExecutionError(cause, { abi: [], functionName: "post" }));
    expect(code).to.equal("GAS_SHORT");
    expect(text).to.contain("it was not sent");
  });

  it("names an RPC that does not answer as such, and an index that does not answer as harmless", () => {
    expect(explainError(new HttpRequestError({ url: "http://127.0.0.1:1" })).code).to.equal("CHAIN_UNREACHABLE");
    expect(explainError(new NgpuError("SUBGRAPH_UNREACHABLE")).tone).to.equal("warning");
  });

  it("keeps the words of what it does not know", () => {
    expect(explainError(new Error("odd")).text).to.contain("The answer was: odd.");
    expect(explainError("plain.").text).to.contain("The answer was: plain. ");
    const long = explainError(new Error(`first line\n${"0".repeat(4_000)}`)).text;
    expect(long).to.contain("first line.").and.not.to.contain("0000");
  });

  it("says nothing of the cost of what was only asked", () => {
    const { text } = explainError(revertWith("FeedStale"), { asked: true });
    expect(text).to.contain("Try again in a few minutes.").and.not.to.contain("gas");
  });

  it("names the figures of a limit or a shortfall", () => {
    const most = explainError(new NgpuError("INPUT_TOO_LARGE", { images: 65, most: 64 }));
    expect(most.text).to.contain("65 images were given, at most 64 are taken.");
    const gas = explainError(new NgpuError("GAS_SHORT", { heldWei: 1n, neededWei: 10n ** 15n }));
    expect(gas.text).to.contain("0.000999999999999999 ETH are missing");
  });
});
