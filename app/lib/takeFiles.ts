/**
 * Which of the files that a person chose can become part of a task. What a model cannot take is left out and named,
 * by size before it is read and by its first bytes after; what was chosen before stays.
 */
import type { ModelManifest } from "@ngpu/protocol/manifest";
import { imageSize } from "@ngpu/protocol/imageSize";
import type { Part } from "@ngpu/protocol/sealed/payload";
import type { Explanation } from "./explainError.ts";
import { formatBytes, formatInteger } from "./format.ts";

export interface TakenFiles {
  parts: Part[];
  /** Says what was left out and why; undefined when everything was taken. */
  problem: Explanation | undefined;
}

type ChosenFile = Pick<File, "name" | "type" | "size" | "arrayBuffer">;
type Limits = ModelManifest["limits"];

export async function takeFiles(request: {
  files: Iterable<ChosenFile>;
  manifest: ModelManifest;
  held: readonly Pick<Part, "bytes">[];
}): Promise<TakenFiles> {
  const { files, manifest, held } = request;
  const { limits } = manifest;
  const parts: Part[] = [];
  const left: { name: string; why: string }[] = [];
  let bytes = held.reduce((sum, part) => sum + part.bytes.length, 0);
  for (const file of files) {
    const name = file.name === "" ? "image" : file.name;
    const room = { parts: limits.maxParts - held.length - parts.length, bytes: limits.maxInputBytes - bytes };
    const read = whyUnread({ file, limits, room }) ?? (await readImage(file, manifest));
    if (typeof read === "string") left.push({ name, why: read });
    else {
      parts.push({ name, mediaType: file.type, bytes: read });
      bytes += read.length;
    }
  }
  return { parts, problem: left.length === 0 ? undefined : problemOf(left) };
}

/** What a file's size alone says; a file that is too large is never read. */
function whyUnread(options: {
  file: ChosenFile;
  limits: Limits;
  room: { parts: number; bytes: number };
}): string | undefined {
  const { file, limits, room } = options;
  if (room.parts <= 0) return `a task of this model takes at most ${limits.maxParts} images`;
  if (file.size > limits.maxPartBytes)
    return `it has ${formatBytes(file.size)}, this model takes at most ${formatBytes(limits.maxPartBytes)}`;
  if (file.size > room.bytes) return `a task of this model takes at most ${formatBytes(limits.maxInputBytes)} in all`;
  return undefined;
}

async function readImage(file: ChosenFile, manifest: ModelManifest): Promise<Uint8Array | string> {
  let bytes: Uint8Array;
  try {
    bytes = new Uint8Array(await file.arrayBuffer());
  } catch {
    return "it cannot be read; it may have been moved or changed";
  }
  try {
    const { mediaType, widthPx, heightPx } = imageSize(bytes);
    if (!manifest.input.mediaTypes.includes(mediaType)) return "this model takes no such images";
    const side = Math.max(widthPx, heightPx);
    const { maxSidePx } = manifest.limits;
    if (side > maxSidePx)
      return `it is ${formatInteger(side)} px long, this model takes at most ${formatInteger(maxSidePx)} px`;
    return bytes;
  } catch {
    return "it is no PNG or JPEG image";
  }
}

const named = 3;

function problemOf(left: readonly { name: string; why: string }[]): Explanation {
  const [first] = left;
  const title = left.length === 1 ? `${first?.name ?? ""} was left out` : `${left.length} files were left out`;
  const shown = left.slice(0, named).map(({ name, why }) => `${name}: ${why}.`);
  const more = left.length > named ? [`And ${left.length - named} more.`] : [];
  const text = [...shown, ...more, "Nothing left this device and nothing was spent. Choose other files."].join(" ");
  return { tone: "warning", title, text, code: "FILES_LEFT_OUT" };
}
