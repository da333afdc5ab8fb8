/**
 * One task as an AI app team would run it: the client library, a funded wallet, a few pictures, one call. Every moment
 * is kept.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { runTask, type RunTaskOptions, type TaskOutcome } from "@ngpu/client/runTask";
import { models } from "@ngpu/protocol/generated/models";
import { deploymentOf } from "@ngpu/protocol/deployment";
import type { ModelManifest } from "@ngpu/protocol/manifest";
import type { Part } from "@ngpu/protocol/sealed/payload";
import { createNodeMeeter } from "@ngpu/protocol/service/harq/direct/meetNode";
import { createNodeBlobs } from "@ngpu/protocol/service/harq/nodeBlobs";
import { createWalletClient, http, type Account, type Hex, type PublicClient } from "viem";
import { hardhat } from "viem/chains";
import { localClient } from "./chain.ts";
import { paths } from "./paths.ts";
import { StackError } from "./stackError.ts";
import type { StackUrls } from "./urls.ts";

/** Machine time in ms at which the payer saw each stage. */
export interface TaskMoments {
  calledMs: number;
  postedMs: number;
  assignedMs: number;
  receiptMs: number;
  settledMs: number;
}

export interface SampleOutcome extends TaskOutcome {
  moments: TaskMoments;
  /** The payer's requests for input and output, by what carried them. */
  blobs: { readonly coded: number; readonly http: number };
  /** Whether the payer was linked straight to the node, and what of the task went there and came from there. */
  direct: { open: boolean; input: boolean; output: boolean };
}

const samplesFolder = join(paths.root, "app/public/samples");

interface SampleList {
  text: { file: string; title: string; lines: number }[];
}

export async function runSampleTask(options: {
  urls: Pick<StackUrls, "rpc" | "gateway">;
  payer: Account;
  /** Pictures in the task. */
  images: number;
  /** Posts also while nodes are away, as whoever takes nodes away does. */
  evenIfUnserved?: boolean;
  /** First picture; the list is walked in a circle. */
  offset?: number;
  onPosted?: (taskId: Hex) => void;
  onProgress?: (nodeId: number) => void;
  /** Everything the client tells. */
  onEvent?: RunTaskOptions["onEvent"];
  signal?: AbortSignal;
}): Promise<SampleOutcome> {
  const { urls, payer, images, evenIfUnserved = true, offset = 0, onPosted, onProgress, signal } = options;
  const { modelId, manifest } = textModel();
  const { parts, declared } = sampleInput({ images, offset });
  const moments: TaskMoments = { calledMs: Date.now(), postedMs: 0, assignedMs: 0, receiptMs: 0, settledMs: 0 };
  const deployment = localDeployment();
  const blobs = createNodeBlobs({ context: { chainId: hardhat.id, verifyingContract: deployment.taskEscrow } });
  const direct: SampleOutcome["direct"] = { open: false, input: false, output: false };
  const outcome = await runTask({
    chain: localClient(urls.rpc) as PublicClient,
    wallet: createWalletClient({ account: payer, chain: hardhat, transport: http(urls.rpc), cacheTime: 0 }),
    deployment,
    openBlobs: blobs.open,
    meetNode: createNodeMeeter(),
    gatewayUrl: urls.gateway,
    modelId,
    manifest,
    parts,
    declared,
    evenIfUnserved,
    random: (length) => crypto.getRandomValues(new Uint8Array(length)),
    onEvent: (event) => {
      options.onEvent?.(event);
      if (event.kind === "direct" && event.state !== "failed") direct[event.state] = true;
      if (event.kind === "posted") onPosted?.(event.taskId);
      if (event.kind === "progress") onProgress?.(event.nodeId);
      if (event.kind === "posted") moments.postedMs ||= Date.now();
      if (event.kind === "wrapped") moments.assignedMs ||= Date.now();
      if (event.kind === "receipt") moments.receiptMs ||= Date.now();
      if (event.kind === "settled") moments.settledMs ||= Date.now();
    },
    ...(signal ? { signal } : {}),
  }).finally(() => blobs.close());
  return { ...outcome, moments, blobs: blobs.counts(), direct };
}

export function textModel(): { modelId: Hex; manifest: ModelManifest } {
  const found = models.find(({ manifest }) => manifest.task === "image-to-text");
  if (!found) throw new StackError("There is no manifest of a model that reads text: run `npm run generate`.");
  return found;
}

/** The pictures of the batch, as files. */
export function sampleFiles(): string[] {
  return readSamples().text.map(({ file }) => join(samplesFolder, file));
}

/** How many pictures the whole batch of samples has. */
export function sampleCount(): number {
  return readSamples().text.length;
}

/** The pictures of a task, and how many lines of text they have at most. */
export function sampleInput(options: { images: number; offset?: number }): {
  parts: Part[];
  declared: { lines: number };
} {
  const { images, offset = 0 } = options;
  const { text } = readSamples();
  const chosen = Array.from({ length: images }, (_, position) => text[(offset + position) % text.length]).filter(
    (sample) => sample !== undefined,
  );
  const parts = chosen.map(({ file }) => ({
    name: file,
    mediaType: "image/png",
    bytes: new Uint8Array(readFileSync(join(samplesFolder, file))),
  }));
  // Detection may see one printed line as two, so a quarter more is declared; what is not used is not billed.
  return { parts, declared: { lines: chosen.reduce((lines, sample) => lines + Math.ceil(sample.lines * 1.25), 0) } };
}

function readSamples(): SampleList {
  return JSON.parse(readFileSync(join(samplesFolder, "samples.json"), "utf8")) as SampleList;
}

export function localDeployment() {
  const { localUsd, deploymentBlock, ...rest } = deploymentOf(hardhat.id);
  if (!localUsd) throw new StackError("The local chain has no payment token: run `npm run generate`.");
  return { ...rest, localUsd, deploymentBlock: BigInt(deploymentBlock) };
}
