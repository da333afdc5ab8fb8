/** Messages of the bench: bytes that do not compress, the time at which they are sent in front. */
import { createHash, randomFillSync } from "node:crypto";
import { monotonicUs } from "./monotonicUs.ts";

let noise: Uint8Array = new Uint8Array(0);

/** To be stamped when it is sent. */
export function payloadOf(length: number): Uint8Array {
  if (noise.length < length) noise = randomFillSync(new Uint8Array(length));
  return noise.slice(0, length);
}

/** Writes the time into the first eight bytes and returns it. */
export function stamp(payload: Uint8Array): number {
  const nowUs = monotonicUs();
  if (payload.length >= 8) new DataView(payload.buffer, payload.byteOffset, 8).setFloat64(0, nowUs);
  return nowUs;
}

export function sha256Of(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** Stamps and sends a payload of its own every so often; resolves when the last was sent. */
export async function sendEvery(
  { bytes, count, everyMs }: { bytes: number; count: number; everyMs: number },
  send: (payload: Uint8Array) => void,
): Promise<void> {
  for (let sent = 0; sent < count; sent++) {
    const payload = payloadOf(bytes);
    stamp(payload);
    send(payload);
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}
