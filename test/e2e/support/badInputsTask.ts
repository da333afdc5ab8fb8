/**
 * Posts whatever it is given, as a client that checks nothing would: no image, a model that nobody has, an input that
 * is never uploaded. The payer's balance in the vault pays.
 */
import { followTask, type TaskEvent } from "@ngpu/client/followTask";
import { noPermit } from "@ngpu/client/permit";
import { prepareTask, type PreparedTask } from "@ngpu/client/prepareTask";
import { quoteTask } from "@ngpu/client/quote";
import { catalogue } from "@ngpu/protocol/catalogue";
import { priceOracleAbi } from "@ngpu/protocol/generated/abi/priceOracle";
import { taskEscrowAbi } from "@ngpu/protocol/generated/abi/taskEscrow";
import type { ModelManifest } from "@ngpu/protocol/manifest";
import type { Part } from "@ngpu/protocol/sealed/payload";
import { createWalletClient, http, type Account, type Hex, type PublicClient } from "viem";
import { hardhat } from "viem/chains";
import { localDeployment } from "../../../scripts/stack/sampleTask.ts";
import type { StackUrls } from "../../../scripts/stack/urls.ts";

export interface Model {
  modelId: Hex;
  manifest: ModelManifest;
}

export interface RawTask {
  taskId: Hex;
  maxAmountUsd6: bigint;
  prepared: PreparedTask;
  /** Uploads the input and hands out keys until the signal aborts. */
  follow(options: { signal: AbortSignal; onEvent?: (event: TaskEvent) => void }): Promise<void>;
}

export interface RawPost {
  chain: PublicClient;
  urls: StackUrls;
  payer: Account;
  model: Model;
  parts: Part[];
  withinS: number;
  backups?: number;
}

const random = (length: number): Uint8Array => crypto.getRandomValues(new Uint8Array(length));

/** The quickest model of the catalogue. */
export function faceModel(): Model {
  const found = catalogue.find(({ manifest }) => manifest.adapter === "face.v1");
  if (found === undefined) throw new Error("the catalogue holds no face model");
  return found;
}

export async function prepareRaw(post: RawPost): Promise<PreparedTask & { maxAmountUsd6: bigint }> {
  const { chain, payer, model, parts, withinS, backups = 0 } = post;
  const deployment = localDeployment();
  const oracle = { address: deployment.priceOracle, abi: priceOracleAbi } as const;
  const [priceUsd6PerGcums] = await chain.readContract({ ...oracle, functionName: "quote" });
  const dimensions = { images: parts.length };
  const quote = quoteTask({ manifest: model.manifest, dimensions, priceUsd6PerGcums, backups });
  const { timestamp } = await chain.getBlock();
  const prepared = prepareTask({
    chainId: hardhat.id,
    escrow: deployment.taskEscrow,
    payer: payer.address,
    ...model,
    dimensions,
    parts,
    quote,
    maxPriceUsd6PerGcums: priceUsd6PerGcums,
    deadline: Number(timestamp) + withinS,
    backups,
    random,
  });
  return { ...prepared, maxAmountUsd6: quote.maxAmountUsd6 };
}

export async function postRaw(post: RawPost): Promise<RawTask> {
  const { chain, urls, payer } = post;
  const prepared = await prepareRaw(post);
  const { taskId, params, secrets, sealedInput, maxAmountUsd6 } = prepared;
  const deployment = localDeployment();
  const escrow = { address: deployment.taskEscrow, abi: taskEscrowAbi } as const;
  const call = { ...escrow, functionName: "post", args: [params, noPermit] } as const;
  const wallet = createWalletClient({ account: payer, chain: hardhat, transport: http(urls.rpc), cacheTime: 0 });
  const { request } = await chain.simulateContract({ ...call, account: payer });
  const { status } = await chain.waitForTransactionReceipt({ hash: await wallet.writeContract(request) });
  if (status !== "success") throw new Error(`the post of ${taskId} was reverted`);
  return {
    taskId,
    maxAmountUsd6,
    prepared,
    follow: ({ signal, onEvent = () => undefined }) =>
      followTask({
        gatewayUrl: urls.gateway,
        chain,
        chainId: hardhat.id,
        deployment,
        secrets,
        sealedInput,
        random,
        signal,
        onEvent,
      }),
  };
}
