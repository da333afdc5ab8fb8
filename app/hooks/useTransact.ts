"use client";
/**
 * Sends one contract call: simulates it first, so that a refusal is explained before the wallet opens, then asks the
 * wallet on the right chain and waits until it is mined. Afterwards everything that was read is read again.
 */
import { requireGas } from "@ngpu/client/requireGas";
import { useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import type { TransactionReceipt } from "viem";
import { useConfig } from "wagmi";
import { getWalletClient, waitForTransactionReceipt } from "wagmi/actions";
import type { ContractCall } from "../lib/contractCall.ts";
import { loadContractWords } from "../lib/contractWords.ts";
import { useChain } from "./useChain.ts";
import { useRuntime } from "./useRuntime.tsx";

export type Transact = (request: {
  call: ContractCall;
  onSent: (hash: `0x${string}`) => void;
}) => Promise<TransactionReceipt>;

export function useTransact(): Transact {
  const config = useConfig();
  const chain = useChain();
  const { chainId } = useRuntime();
  const queries = useQueryClient();
  return useCallback(
    async ({ call: asked, onSent }) => {
      // A call may revert with an error that a contract further down declares.
      const [{ errorsAbi }] = await Promise.all([import("@ngpu/protocol/generated/abi/errors"), loadContractWords()]);
      const call = { ...asked, abi: [...asked.abi, ...errorsAbi] };
      const wallet = await getWalletClient(config, { chainId });
      const { request } = await chain.simulateContract({ ...call, account: wallet.account });
      await requireGas({ chain, request: { ...call, account: wallet.account } });
      const hash = await wallet.writeContract({ ...request, chain: wallet.chain });
      onSent(hash);
      const receipt = await waitForTransactionReceipt(config, { hash, chainId });
      if (receipt.status !== "success")
        await chain.simulateContract({ ...call, account: wallet.account, blockNumber: receipt.blockNumber });
      void queries.invalidateQueries();
      return receipt;
    },
    [config, chain, chainId, queries],
  );
}
