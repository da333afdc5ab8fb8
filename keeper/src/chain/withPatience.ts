/** Waits for an answer of the chain, but not longer than other work may wait: an RPC that hangs counts as silent. */
import { NgpuError } from "@ngpu/protocol/errors";
import type { Clock } from "@ngpu/protocol/service/clock";

/** Throws CHAIN_UNREACHABLE when `reading` fails or takes longer. */
export async function withPatience<T>(reading: Promise<T>, { clock, ms }: { clock: Clock; ms: number }): Promise<T> {
  const answered = new AbortController();
  const tooLate = clock.sleep(ms, answered.signal).then((): never => {
    throw new NgpuError("CHAIN_UNREACHABLE", { withinMs: ms });
  });
  tooLate.catch(() => undefined);
  try {
    return await Promise.race([reading, tooLate]);
  } catch (cause) {
    throw cause instanceof NgpuError ? cause : new NgpuError("CHAIN_UNREACHABLE", {}, { cause });
  } finally {
    answered.abort();
  }
}
