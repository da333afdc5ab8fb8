/**
 * Whether an opened input is what the payer declared and paid for. The headers of the images tell, so nothing is
 * decoded here. Throws PAYLOAD_MALFORMED, INPUT_NOT_IMAGE, INPUT_TOO_LARGE, INPUT_DIMENSIONS or WORK_TOO_LOW: the
 * payer's fault, each of them.
 */
import { NgpuError } from "@ngpu/protocol/errors";
import type { ModelManifest } from "@ngpu/protocol/manifest";
import { measureDimensions } from "@ngpu/protocol/measureDimensions";
import { decodePayload } from "@ngpu/protocol/sealed/payload";
import { workCumsOf } from "@ngpu/protocol/work";

export function checkInput(request: { body: Uint8Array; manifest: ModelManifest; workCums: bigint }): void {
  const { body, manifest, workCums } = request;
  const { parameters, parts } = decodePayload(body);
  const declared = Object.fromEntries(
    Object.keys(manifest.dimensions).map((name) => {
      const value = parameters[name];
      if (typeof value !== "number") throw new NgpuError("INPUT_DIMENSIONS", { dimension: name, declared: value });
      return [name, value];
    }),
  );
  const measured: Record<string, number> = measureDimensions({ manifest, parts: parts.map(({ bytes }) => bytes) });
  for (const [name, value] of Object.entries(declared)) {
    const found = measured[name];
    if (found !== undefined && found > value)
      throw new NgpuError("INPUT_DIMENSIONS", { dimension: name, declared: value, found });
  }
  const needed = workCumsOf({ manifest, dimensions: declared });
  if (needed > workCums) throw new NgpuError("WORK_TOO_LOW", { posted: workCums, needed });
}
