/**
 * A post whose client goes away at once: nothing is uploaded and no key is wrapped until the test lets `follow` begin.
 */
import { followTask, type TaskEvent } from "@ngpu/client/followTask";
import { measureInput } from "@ngpu/client/measureInput";
import { noPermit } from "@ngpu/client/permit";
import { prepareTask } from "@ngpu/client/prepareTask";
import { quoteTask } from "@ngpu/client/quote";
import { localUsdAbi } from "@ngpu/protocol/generated/abi/localUsd";
import { priceOracleAbi } from "@ngpu/protocol/generated/abi/priceOracle";
import { taskEscrowAbi } from "@ngpu/protocol/generated/abi/taskEscrow";
import { createWalletClient, http, type Account, type Hex, type PublicClient } from "viem";
import { hardhat } from "viem/chains";
import { localDeployment, sampleInput, textModel } from "../../../scripts/stack/sampleTask.ts";
import type { StackUrls } from "../../../scripts/stack/urls.ts";

export interface PostedTask {
  taskId: Hex;
  maxAmountUsd6: bigint;
  follow(options: { signal: AbortSignal; onEvent?: (event: TaskEvent) => void }): Promise<void>;
}

export async function postTask(options: {
  chain: PublicClient;
  urls: StackUrls;
  payer: Account;
  images: number;
  withinS: number;
}): Promise<PostedTask> {
  const { chain, urls, payer, images, withinS } = options;
  const wallet = createWalletClient({ account: payer, chain: hardhat, transport: http(urls.rpc), cacheTime: 0 });
  const deployment = localDeployment();
  const { modelId, manifest } = textModel();
  const { parts, declared } = sampleInput({ images });
  const { dimensions } = measureInput({ manifest, parts, declared });
  const oracle = { address: deployment.priceOracle, abi: priceOracleAbi } as const;
  const [priceUsd6PerGcums] = await chain.readContract({ ...oracle, functionName: "quote" });
  const backups = 1;
  const quote = quoteTask({ manifest, dimensions, priceUsd6PerGcums, backups });
  const deadline = Number((await chain.getBlock()).timestamp) + withinS;
  const random = (length: number): Uint8Array => crypto.getRandomValues(new Uint8Array(length));
  const prepared = prepareTask({
    chainId: hardhat.id,
    escrow: deployment.taskEscrow,
    payer: payer.address,
    manifest,
    modelId,
    dimensions,
    parts,
    quote,
    maxPriceUsd6PerGcums: priceUsd6PerGcums,
    deadline,
    backups,
    random,
  });
  const token = { address: deployment.localUsd, abi: localUsdAbi } as const;
  const approved = await wallet.writeContract({
    ...token,
    functionName: "approve",
    args: [deployment.paymentVault, quote.maxAmountUsd6],
  });
  await chain.waitForTransactionReceipt({ hash: approved });
  const escrow = { address: deployment.taskEscrow, abi: taskEscrowAbi } as const;
  const posted = await wallet.writeContract({ ...escrow, functionName: "post", args: [prepared.params, noPermit] });
  const { status } = await chain.waitForTransactionReceipt({ hash: posted });
  if (status !== "success") throw new Error(`the post ${posted} was reverted`);
  return {
    taskId: prepared.taskId,
    maxAmountUsd6: quote.maxAmountUsd6,
    follow: ({ signal, onEvent = () => undefined }) =>
      followTask({
        gatewayUrl: urls.gateway,
        chain,
        chainId: hardhat.id,
        deployment,
        secrets: prepared.secrets,
        sealedInput: prepared.sealedInput,
        random,
        signal,
        onEvent,
      }),
  };
}
