"use client";
/**
 * The path from nothing to a posted task, one step at a time: connect, switch, choose pictures, get test money where
 * there is a faucet, sign the permit, post. A step that is done is skipped; the permit is only asked for what the
 * balance does not cover.
 */
import { faucetAbi } from "@ngpu/protocol/generated/abi/faucet";
import { useRouter } from "next/navigation";
import { useAccount } from "wagmi";
import type { Step } from "../../components/StepButton.tsx";
import { useGateSteps } from "../../hooks/useGateSteps.ts";
import { useHead } from "../../hooks/useHead.ts";
import { useMoney } from "../../hooks/useMoney.ts";
import { usePermit, type Permit } from "../../hooks/usePermit.ts";
import { useRuntime } from "../../hooks/useRuntime.tsx";
import { useTransact } from "../../hooks/useTransact.ts";
import { contractCall } from "../../lib/contractCall.ts";
import { explainError } from "../../lib/explainError.ts";
import { formatUsd } from "../../lib/format.ts";
import { noFacts } from "../../lib/taskFacts.ts";
import { deleteLocalTask, saveLocalTask, saveTaskFacts } from "../../lib/taskStore.ts";
import type { PostForm } from "./usePostForm.ts";
import type { PricedInput } from "./useQuote.ts";

export function usePostSteps(options: { form: PostForm; priced: PricedInput; chooseFiles: () => void }): {
  steps: Step[];
  permit: Permit | undefined;
} {
  const { form, priced, chooseFiles } = options;
  const { deployment, chainId } = useRuntime();
  const { address } = useAccount();
  const gate = useGateSteps();
  const transact = useTransact();
  const router = useRouter();
  const head = useHead().data;
  const money = useMoney({ account: address }).data;
  const { paymentToken: token, paymentVault: spender } = deployment;
  const { permit, sign, refusedBy } = usePermit({ token, spender, owner: address });

  const { quote, price, refusal, dimensions, maxPriceUsd6PerGcums } = priced;
  const most = priced.mostUsd6 ?? 0n;
  const shortfall = money === undefined || money.availableUsd6 >= most ? 0n : most - money.availableUsd6;
  const permitted = permit !== undefined && permit.value >= shortfall;
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
  const missing = `The wallet holds ${formatUsd(held)}, this task needs ${formatUsd(shortfall)}: ${formatUsd(shortfall - held)} are missing.`;
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

  const permitStep: Step = {
    id: "permit",
    label: `Sign permit (${formatUsd(shortfall)})`,
    says: "Signing costs nothing. It allows the vault to take this amount once, within 20 minutes.",
    done: covered || permitted,
    run: () => sign(shortfall),
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
      const [{ prepareTask }, { noPermit }, { taskEscrowAbi }] = await Promise.all([
        import("@ngpu/client/prepareTask"),
        import("@ngpu/client/permit"),
        import("@ngpu/protocol/generated/abi/taskEscrow"),
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
      const call = contractCall({
        address: deployment.taskEscrow,
        abi: taskEscrowAbi,
        functionName: "post",
        args: [params, covered ? noPermit : (permit ?? noPermit)],
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
        refusedBy(error);
        throw error;
      }
      router.push(`/tasks/${taskId}`);
    },
  };

  return {
    steps: [...gate, input, reading, quotable, agreed, funds, permitStep, post],
    permit: permitted ? permit : undefined,
  };
}
