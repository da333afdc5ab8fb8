/** Work of a request, out of the dimensions that its body declares: both sides compute it, so neither has to say it. */
import { NgpuError } from "@ngpu/protocol/errors";
import type { ModelManifest } from "@ngpu/protocol/manifest";
import { decodePayload } from "@ngpu/protocol/sealed/payload";
import { workCumsOf } from "@ngpu/protocol/work";

/** Throws INPUT_DIMENSIONS or PAYLOAD_MALFORMED. */
export function declaredWorkCums({ body, manifest }: { body: Uint8Array; manifest: ModelManifest }): bigint {
  const { parameters } = decodePayload(body);
  const dimensions = Object.fromEntries(
    Object.keys(manifest.dimensions).map((name) => {
      const value = parameters[name];
      if (typeof value !== "number") throw new NgpuError("INPUT_DIMENSIONS", { dimension: name, declared: value });
      return [name, value];
    }),
  );
  return workCumsOf({ manifest, dimensions });
}
