"use client";
/**
 * The path from nothing to a posted task, one step at a time: connect, switch, choose pictures, get test money where
 * there is a faucet, sign the permit, post. A step that is done is skipped; the permit is only asked for what the
 * balance does not cover.
 */
import type { permitParams } from "@ngpu/client/permit";
import type { ContractErrorName } from "@ngpu/protocol/contractErrors";
import { faucetAbi } from "@ngpu/protocol/generated/abi/faucet";
import { localUsdAbi } from "@ngpu/protocol/generated/abi/localUsd";
import { taskEscrowAbi } from "@ngpu/protocol/generated/abi/taskEscrow";
import { useRouter } from "next/navigation";
import { useState } from "react";
import type { Address } from "viem";
import { useAccount, useSignTypedData } from "wagmi";
import type { Step } from "../../components/StepButton.tsx";
import { useChain } from "../../hooks/useChain.ts";
import { useGateSteps } from "../../hooks/useGateSteps.ts";
import { useHead } from "../../hooks/useHead.ts";
import { useMoney } from "../../hooks/useMoney.ts";
import { useRuntime } from "../../hooks/useRuntime.tsx";
import { useTransact } from "../../hooks/useTransact.ts";
import { contractCall } from "../../lib/contractCall.ts";
import { explainError } from "../../lib/explainError.ts";
import { formatAmount } from "../../lib/format.ts";
import { noFacts } from "../../lib/taskFacts.ts";
import { deleteLocalTask, saveLocalTask, saveTaskFacts } from "../../lib/taskStore.ts";
import type { PostForm } from "./usePostForm.ts";
import type { PricedInput } from "./useQuote.ts";

const permitLifetimeS = 1_200n;
const permitReserveS = 60n;

/** A permit that has expired, was used or was replaced meanwhile must be signed anew; after anything else it holds. */
const permitRefusals: ReadonlySet<string> = new Set<ContractErrorName>([
  "ERC2612ExpiredSignature",
  "ERC2612InvalidSigner",
  "InvalidAccountNonce",
  "ERC20InsufficientAllowance",
]);

export type Permit = ReturnType<typeof permitParams> & { owner: Address };

export function usePostSteps(options: { form: PostForm; priced: PricedInput; chooseFiles: () => void }): {
  steps: Step[];
  permit: Permit | undefined;
} {
  const { form, priced, chooseFiles } = options;
  const { deployment, chainId } = useRuntime();
  const { address } = useAccount();
  const chain = useChain();
  const gate = useGateSteps();
  const transact = useTransact();
  const router = useRouter();
  const head = useHead().data;
  const money = useMoney({ account: address }).data;
  const { signTypedDataAsync } = useSignTypedData();
  const [permit, setPermit] = useState<Permit | undefined>(undefined);

  const { quote, price, refusal, dimensions, maxPriceUsd6PerGcums } = priced;
  const most = priced.mostUsd6 ?? 0n;
  const shortfall = money === undefined || money.availableUsd6 >= most ? 0n : most - money.availableUsd6;
  const permitted =
    permit !== undefined &&
    permit.owner === address &&
    permit.value >= shortfall &&
    (head === undefined || permit.deadline > head.timestamp + permitReserveS);
  const covered = shortfall === 0n || (money !== undefined && money.allowanceUsd6 >= shortfall);
  const rich = money === undefined || money.walletUsd6 >= shortfall;

  const input: Step = {
    id: "input",
    label: "Choose images",
    done: form.pictures.length > 0 && refusal === undefined,
    ...(refusal === undefined ? {} : { blocked: `${refusal.title} ${refusal.text}` }),
    run: async () => chooseFiles(),
  };

  const reading: Step = {
    id: "reading",
    label: "Reading price and balance…",
    done: (quote !== undefined || price?.quotable === false) && money !== undefined && head !== undefined,
    blocked: "The chain is asked for the price and your balance.",
    run: async () => undefined,
  };

  const quotable: Step = {
    id: "price",
    label: "No price can be quoted now",
    done: price?.quotable !== false,
    blocked: price?.reason === undefined ? "" : explainError(price.reason, { asked: true }).text,
    run: async () => undefined,
  };

  const agreed: Step = {
    id: "limit",
    label: "The price is above your limit",
    done:
      price === undefined || (maxPriceUsd6PerGcums !== undefined && maxPriceUsd6PerGcums >= price.priceUsd6PerGcums),
    blocked:
      maxPriceUsd6PerGcums === undefined
        ? "The price limit is not an amount."
        : "Raise the limit, or wait for a lower price.",
    run: async () => undefined,
  };

  const { faucet } = deployment;
  const held = money?.walletUsd6 ?? 0n;
  const missing = `The wallet holds ${usd(held)}, this task needs ${usd(shortfall)}: ${usd(shortfall - held)} are missing.`;
  const funds: Step = {
    id: "funds",
    label: faucet === undefined ? "Not enough money" : "Get test money",
    done: rich,
    busy: "The faucet is paying…",
    ...(faucet === undefined
      ? { blocked: `${missing} Add it to this account.` }
      : { says: `${missing} The faucet of this chain gives some; it costs only gas.` }),
    run: async ({ sent }) => {
      if (faucet === undefined || address === undefined) return;
      await transact({
        call: contractCall({ address: faucet, abi: faucetAbi, functionName: "drip", args: [address] }),
        onSent: sent,
      });
    },
  };

  const sign: Step = {
    id: "permit",
    label: `Sign permit (${usd(shortfall)})`,
    says: "Signing costs nothing. It allows the vault to take this amount once, within 20 minutes.",
    done: covered || permitted,
    run: async () => {
      if (address === undefined || head === undefined) return;
      const { permitParams, permitTypedData } = await import("@ngpu/client/permit");
      const token = { address: deployment.paymentToken, abi: localUsdAbi } as const;
      const [nonce, tokenName] = await Promise.all([
        chain.readContract({ ...token, functionName: "nonces", args: [address] }),
        chain.readContract({ ...token, functionName: "name" }),
      ]);
      const deadline = head.timestamp + permitLifetimeS;
      const wanted = {
        tokenName,
        tokenVersion: "1",
        chainId,
        owner: address,
        spender: deployment.paymentVault,
        value: shortfall,
        nonce,
        deadline,
      };
      const signature = await signTypedDataAsync(permitTypedData({ ...wanted, token: deployment.paymentToken }));
      setPermit({ ...permitParams({ value: shortfall, deadline, signature }), owner: address });
    },
  };

  const post: Step = {
    id: "post",
    label: "Post",
    says: "One transaction; it costs the gas and locks the amount until the task has ended.",
    busy: "Posting…",
    done: false,
    run: async ({ sent }) => {
      if (
        address === undefined ||
        head === undefined ||
        quote === undefined ||
        dimensions === undefined ||
        maxPriceUsd6PerGcums === undefined
      )
        return;
      const [{ prepareTask }, { noPermit }] = await Promise.all([
        import("@ngpu/client/prepareTask"),
        import("@ngpu/client/permit"),
      ]);
      const parts = form.pictures.map(({ name, mediaType, bytes }) => ({ name, mediaType, bytes }));
      const { manifest, modelId, backups, minutes } = form;
      const deadline = Number(head.timestamp) + minutes * 60;
      const request = {
        chainId,
        escrow: deployment.taskEscrow,
        payer: address,
        manifest,
        modelId,
        dimensions,
        parts,
        quote,
        deadline,
        backups,
      };
      const random = (length: number): Uint8Array => crypto.getRandomValues(new Uint8Array(length));
      const prepared = prepareTask({ ...request, maxPriceUsd6PerGcums, random });
      const { taskId, secrets, sealedInput, params } = prepared;
      // The keys are stored before the wallet is asked: whatever happens after the post, this device can open the result.
      const kept = { taskId, chainId, payer: address, modelId, secrets, sealedInput, parts, dimensions };
      await saveLocalTask({ ...kept, maxAmountUsd6: most, createdAtMs: Date.now() });
      const { owner: _owner, ...signed } = permit ?? { owner: address, ...noPermit };
      const call = contractCall({
        address: deployment.taskEscrow,
        abi: taskEscrowAbi,
        functionName: "post",
        args: [params, covered ? noPermit : signed],
      });
      let hash: `0x${string}` | undefined;
      try {
        const onSent = (postTx: `0x${string}`): void => {
          hash = postTx;
          sent();
          void saveTaskFacts(taskId, { ...noFacts, postTx });
        };
        await transact({ call, onSent });
      } catch (error) {
        if (hash === undefined) await deleteLocalTask(taskId);
        if (permitRefusals.has(explainError(error).code)) setPermit(undefined);
        throw error;
      }
      router.push(`/tasks/${taskId}`);
    },
  };

  return {
    steps: [...gate, input, reading, quotable, agreed, funds, sign, post],
    permit: permitted ? permit : undefined,
  };
}

function usd(value: bigint): string {
  return `${formatAmount({ value, decimals: 6 }).text} USD`;
}
