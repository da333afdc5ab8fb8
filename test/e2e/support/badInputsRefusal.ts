/** With what a call was refused: the name of a contract's error, whichever contract declares it, or a code. */
import { errorsAbi } from "@ngpu/protocol/generated/abi/errors";
import { expect } from "chai";
import {
  BaseError,
  createWalletClient,
  decodeErrorResult,
  http,
  isHex,
  keccak256,
  RpcRequestError,
  size,
  type Account,
  type Address,
  type Hex,
  type PublicClient,
} from "viem";
import { hardhat } from "viem/chains";
import { explainError } from "../../../app/lib/explainError.ts";

const gas = 1_000_000n;
const selectorBytes = 4;

/** What is no contract's error has the code with which the dApp explains it. */
export async function codeOfRefusal(refused: Promise<unknown>): Promise<string> {
  const error = await refused.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error === undefined) return "nothing refused";
  const data = error instanceof BaseError ? revertDataOf(error) : undefined;
  return data === undefined ? explainError(error).code : decodeErrorResult({ abi: errorsAbi, data }).errorName;
}

/**
 * Asks first, then sends all the same, as a wallet would that asks nobody: a block must hold the transaction as
 * reverted. The local chain mines such a transaction although it answers with an error.
 */
export async function refusalOfSent(call: {
  chain: PublicClient;
  rpcUrl: string;
  account: Account;
  to: Address;
  data: Hex;
}): Promise<string> {
  const { chain, rpcUrl, account, to, data } = call;
  const said = await codeOfRefusal(chain.call({ account, to, data }));
  const wallet = createWalletClient({ account, chain: hardhat, transport: http(rpcUrl), cacheTime: 0 });
  const request = await wallet.prepareTransactionRequest({ to, data, gas });
  const serializedTransaction = await wallet.signTransaction(request);
  await wallet.sendRawTransaction({ serializedTransaction }).catch(() => undefined);
  const { status } = await chain.waitForTransactionReceipt({ hash: keccak256(serializedTransaction) });
  expect(status).to.equal("reverted");
  return said;
}

function revertDataOf(error: BaseError): Hex | undefined {
  const cause = error.walk((inner) => inner instanceof RpcRequestError);
  const data = cause instanceof RpcRequestError ? cause.data : undefined;
  return isHex(data) && size(data) >= selectorBytes ? data : undefined;
}
