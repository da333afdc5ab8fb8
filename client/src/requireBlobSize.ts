/** What no gateway stores is refused where it is made, before anything is posted or sent. */
import { NgpuError } from "@ngpu/protocol/errors";
import { gatewayLimits } from "@ngpu/protocol/limits";

/** Throws INPUT_TOO_LARGE. */
export function requireBlobSize(bytes: number): void {
  const most = gatewayLimits.maxBlobBytes;
  if (bytes > most) throw new NgpuError("INPUT_TOO_LARGE", { bytes, most });
}
