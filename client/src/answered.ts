/** For reads that cannot revert: whatever viem throws there means that the chain did not answer. */
import { NgpuError } from "@ngpu/protocol/errors";

export async function answered<T>(reading: Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch (cause) {
    throw new NgpuError("CHAIN_UNREACHABLE", {}, { cause });
  }
}
