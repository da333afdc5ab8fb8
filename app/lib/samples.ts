/** Pictures to try the models with; files of the app itself. */
import listing from "../public/samples/samples.json";
import type { ModelManifest } from "@ngpu/protocol/manifest";
import type { Part } from "@ngpu/protocol/sealed/payload";

export interface Sample {
  file: string;
  title: string;
  width: number;
  height: number;
  /** Printed lines, where the picture is of text. */
  lines?: number;
}

export function samplesFor(manifest: ModelManifest): readonly Sample[] {
  return manifest.task === "image-to-text" ? listing.text : listing.faces;
}

export function sampleUrl(sample: Sample): string {
  return `/samples/${sample.file}`;
}

export async function loadSample(sample: Sample): Promise<Part> {
  const response = await fetch(sampleUrl(sample));
  if (!response.ok) throw new Error(`The sample ${sample.title} is not there (${response.status}).`);
  const bytes = new Uint8Array(await response.arrayBuffer());
  const name = sample.file.split("/").at(-1) ?? sample.file;
  return { name, mediaType: name.endsWith(".png") ? "image/png" : "image/jpeg", bytes };
}
