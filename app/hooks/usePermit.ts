"use client";
/**
 * One permit of a token's owner: signed on request, and forgotten as soon as it is of no use any more, because its time
 * is nearly over by the chain's clock, the account or the chain is another one, or a contract refused it.
 */
import type { permitParams } from "@ngpu/client/permit";
import type { ContractErrorName } from "@ngpu/protocol/contractErrors";
import { localUsdAbi } from "@ngpu/protocol/generated/abi/localUsd";
import { useState } from "react";
import type { Address } from "viem";
import { useSignTypedData } from "wagmi";
import { explainError } from "../lib/explainError.ts";
import type { ChainHead } from "../lib/finality.ts";
import { permitHolds } from "../lib/permitHolds.ts";
import { useChain } from "./useChain.ts";
import { useHead } from "./useHead.ts";
import { useRuntime } from "./useRuntime.tsx";

export type Permit = ReturnType<typeof permitParams>;

/** A permit that has expired, was used or was replaced meanwhile must be signed anew; after anything else it holds. */
const refusals: ReadonlySet<string> = new Set<ContractErrorName>([
  "ERC2612ExpiredSignature",
  "ERC2612InvalidSigner",
  "InvalidAccountNonce",
  "ERC20InsufficientAllowance",
]);

const lifetimeS = 1_200n;

export function usePermit(options: { token: Address; spender: Address; owner: Address | undefined }): {
  permit: Permit | undefined;
  sign: (value: bigint) => Promise<void>;
  forget: () => void;
  /** Forgets the permit if that is why the call was refused. */
  refusedBy: (error: unknown) => void;
} {
  const { token, spender, owner } = options;
  const { chainId } = useRuntime();
  const chain = useChain();
  const head = useHead().data;
  const { signTypedDataAsync } = useSignTypedData();
  const [signed, setSigned] = useState<Signed | undefined>(undefined);

  const sign = async (value: bigint): Promise<void> => {
    if (owner === undefined || head === undefined) return;
    const { permitParams, permitTypedData } = await import("@ngpu/client/permit");
    // Both tokens take permits alike.
    const contract = { address: token, abi: localUsdAbi } as const;
    const [nonce, tokenName] = await Promise.all([
      chain.readContract({ ...contract, functionName: "nonces", args: [owner] }),
      chain.readContract({ ...contract, functionName: "name" }),
    ]);
    const deadline = head.timestamp + lifetimeS;
    const wanted = { tokenName, tokenVersion: "1", chainId, owner, spender, value, nonce, deadline };
    const signature = await signTypedDataAsync(permitTypedData({ ...wanted, token }));
    setSigned({ permit: permitParams({ value, deadline, signature }), owner, genesis: head.genesis });
  };
  const forget = (): void => setSigned(undefined);
  const holds =
    signed !== undefined && permitHolds({ ...signed, deadline: signed.permit.deadline, now: { owner, head } });
  return {
    permit: holds ? signed.permit : undefined,
    sign,
    forget,
    refusedBy: (error) => {
      if (refusals.has(explainError(error).code)) forget();
    },
  };
}

interface Signed {
  permit: Permit;
  owner: Address;
  genesis: ChainHead["genesis"];
}
