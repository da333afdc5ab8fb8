/**
 * Executes a model once on a picture made here, so that the first task is not billed for compilers and allocators
 * that still warm up.
 */
import type { LoadedModel } from "./loadModel.ts";
import { samplePicture } from "./samplePicture.ts";

const rounds = 2;

export async function warmUp({ adapter, manifest, graphs }: LoadedModel): Promise<void> {
  const parameters = Object.fromEntries(
    Object.entries(manifest.dimensions).map(([name, { minimum }]) => [name, minimum]),
  );
  const payload = { parameters, parts: [{ name: "warm-up", mediaType: "image/jpeg", bytes: samplePicture() }] };
  for (let round = 0; round < rounds; round++)
    await adapter({ payload, manifest, graphs, onProgress: () => undefined });
}
