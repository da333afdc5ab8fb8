/** The keeper's canaries on the local chain, out of the pictures of the dApp's samples; made once, at the first start. */
import { hasCanaries } from "@ngpu/keeper/audits/canarySet";
import { makeCanaries } from "../canaries/makeCanaries.ts";
import { sampleFiles, textModel } from "./sampleTask.ts";

/** Resolves when they are there. They need the machine, so nothing that a person waits for should be under way. */
export async function makeLocalCanaries({ folder, signal }: { folder: string; signal: AbortSignal }): Promise<void> {
  if (!hasCanaries(folder)) await makeCanaries({ folder, model: textModel(), pictures: sampleFiles(), signal });
}
