/**
 * The power this machine shows for itself, in CU: how fast it finds faces in a batch of pictures made here, against
 * the reference machine. For display only; what is billed is the power that the chain froze.
 */
import { NgpuError } from "@ngpu/protocol/errors";
import { encodePayload } from "@ngpu/protocol/sealed/payload";
import type { Hex } from "viem";
import type { RunnerPool } from "../pool/runnerPool.ts";
import { samplePicture } from "../runner/samplePicture.ts";

const pictures = 8;
const rounds = 3;
/** What the batch takes on one thread of the reference machine, in milliseconds. */
const referenceMs = 150;
const timeoutMs = 30_000;

/** Throws NODE_BUSY when no slot is free, or the runner's error. */
export async function measurePowerCu({ pool, modelId }: { pool: RunnerPool; modelId: Hex }): Promise<number> {
  const parts = Array.from({ length: pictures }, (_, index) => ({
    name: String(index),
    mediaType: "image/jpeg",
    bytes: samplePicture(),
  }));
  const body = encodePayload({ parameters: { images: pictures }, parts });
  const slot = await pool.take(AbortSignal.timeout(timeoutMs));
  try {
    let bestMs = Number.POSITIVE_INFINITY;
    for (let round = 0; round < rounds; round++) {
      const { durationMs } = await slot.execute({ modelId, body, timeoutMs });
      bestMs = Math.min(bestMs, durationMs);
    }
    if (!Number.isFinite(bestMs)) throw new NgpuError("MODEL_FAILED");
    return Math.round((1_000 * referenceMs) / bestMs);
  } finally {
    slot.release();
  }
}
