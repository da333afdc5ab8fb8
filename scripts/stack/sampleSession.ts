/**
 * A session as an AI app team would run it: the client library, a funded wallet, many small photographs, one call for
 * each.
 */
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { openSession, type OpenSessionOptions } from "@ngpu/client/session/openSession";
import type { SessionRequest } from "@ngpu/client/session/session";
import { models } from "@ngpu/protocol/generated/models";
import { gatewayLimits } from "@ngpu/protocol/limits";
import type { ModelManifest } from "@ngpu/protocol/manifest";
import type { Part } from "@ngpu/protocol/sealed/payload";
import { openAppendLog } from "@ngpu/protocol/service/appendLog";
import sharp from "sharp";
import { createWalletClient, http, type Account, type Hex, type PublicClient } from "viem";
import { hardhat } from "viem/chains";
import { localClient } from "./chain.ts";
import { paths } from "./paths.ts";
import { localDeployment } from "./sampleTask.ts";
import { StackError } from "./stackError.ts";
import type { StackUrls } from "./urls.ts";

const samplesFolder = join(paths.root, "app/public/samples");
/** As a thumbnail or an avatar is: a few KiB as JPEG. */
const sidePx = 96;

/** The options of a session of the face model, on the local chain, journaled in `dataDir`. */
export function sampleSessionOptions(options: {
  urls: Pick<StackUrls, "rpc" | "gateway">;
  payer: Account;
  signerKey: Hex;
  dataDir: string;
}): OpenSessionOptions {
  const { urls, payer, signerKey, dataDir } = options;
  return {
    chain: localClient(urls.rpc) as PublicClient,
    wallet: createWalletClient({ account: payer, chain: hardhat, transport: http(urls.rpc), cacheTime: 0 }),
    deployment: localDeployment(),
    gatewayUrl: urls.gateway,
    ...faceModel(),
    signerKey,
    openJournal: (sessionId) => openAppendLog(join(dataDir, `${sessionId}.log`)),
    random: (length) => crypto.getRandomValues(new Uint8Array(length)),
    spendCapUsd6: 100_000_000n,
    minReplicas: 2,
    maxReplicas: 2,
  };
}

export function openSampleSession(options: Parameters<typeof sampleSessionOptions>[0] & Partial<OpenSessionOptions>) {
  return openSession({ ...sampleSessionOptions(options), ...options });
}

export function faceModel(): { modelId: Hex; manifest: ModelManifest } {
  const found = models.find(({ manifest }) => manifest.task === "face-detection");
  if (!found) throw new StackError("There is no manifest of a model that finds faces: run `npm run generate`.");
  return found;
}

/** `count` different small pictures: cut-outs of the face samples, walked through in a grid. */
export async function smallPhotos(count: number): Promise<SessionRequest[]> {
  const { faces } = JSON.parse(readFileSync(join(samplesFolder, "samples.json"), "utf8")) as { faces: { file: string }[] };
  const perFace = Math.ceil(count / faces.length);
  const photos = await Promise.all(
    faces.map(async ({ file }) => cutOuts(new Uint8Array(readFileSync(join(samplesFolder, file))), perFace)),
  );
  return photos
    .flat()
    .slice(0, count)
    .map((part) => ({ parts: [part] }));
}

/** The photographs of the samples as they are, again and again: none of them fits into a frame. */
export function wholePhotos(count: number): SessionRequest[] {
  const { faces } = JSON.parse(readFileSync(join(samplesFolder, "samples.json"), "utf8")) as { faces: { file: string }[] };
  const parts = faces.map(({ file }): Part => {
    const bytes = new Uint8Array(readFileSync(join(samplesFolder, file)));
    return { name: basename(file), mediaType: "image/jpeg", bytes };
  });
  const large = parts.filter(({ bytes }) => bytes.length > gatewayLimits.maxInlineBase64);
  return Array.from({ length: count }, (_, index) => ({ parts: large.slice(index % large.length).slice(0, 1) }));
}

async function cutOuts(photo: Uint8Array, count: number): Promise<Part[]> {
  const wide = await sharp(photo).resize({ width: 3 * sidePx, height: 3 * sidePx, fit: "cover" }).raw().toBuffer({ resolveWithObject: true });
  const { width, channels } = wide.info;
  const perRow = Math.ceil(Math.sqrt(count));
  const step = Math.max(1, Math.floor((width - sidePx) / perRow));
  return Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const left = Math.min(width - sidePx, (index % perRow) * step);
      const top = Math.min(width - sidePx, Math.floor(index / perRow) * step);
      const bytes = await sharp(wide.data, { raw: { width, height: width, channels } })
        .extract({ left, top, width: sidePx, height: sidePx })
        .jpeg({ quality: 80 })
        .toBuffer();
      return { name: `photo-${index}.jpg`, mediaType: "image/jpeg", bytes: new Uint8Array(bytes) };
    }),
  );
}
