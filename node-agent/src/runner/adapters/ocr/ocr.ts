/**
 * Adapter `ocr.v1` for PP-OCR: find text boxes, cut each out upright at 48 px height, read it. At most the declared
 * number of lines is read, in reading order, because each line is work that the payer declared.
 */
import { NgpuError } from "@ngpu/protocol/errors";
import type { TextResult } from "@ngpu/protocol/results";
import type { AdapterFactory } from "../../adapter.ts";
import { decodeImage } from "../decodeImage.ts";
import { createLineReader } from "./readLine.ts";
import { cutLine } from "./cutLine.ts";
import { findBoxes } from "./findBoxes.ts";
import { inReadingOrder } from "./inReadingOrder.ts";

type ImageText = TextResult["images"][number];

/** Below this the reading is noise: texture taken for text. */
const minConfidence = 0.5;
/** Share of an image's work that is decoding and detection, for progress only. */
const detectionShare = 0.4;

export const createOcrAdapter: AdapterFactory = (assets) => {
  if (assets.keys === undefined) throw new NgpuError("MODEL_MISMATCH", { asset: "keys" });
  const readLine = createLineReader(assets.keys);

  return async ({ payload, manifest, graphs, onProgress }) => {
    const { detection, recognition } = graphs;
    if (detection === undefined || recognition === undefined)
      throw new NgpuError("MODEL_MISMATCH", { graph: "detection, recognition" });
    let linesLeft = Number(payload.parameters.lines);
    const images: ImageText[] = [];
    for (const [index, part] of payload.parts.entries()) {
      const reached = (share: number): void => onProgress(Math.floor(((index + share) * 1000) / payload.parts.length));
      const raster = decodeImage(part.bytes, manifest.limits);
      const quads = inReadingOrder(await findBoxes(raster, detection));
      const taken = quads.slice(0, linesLeft);
      linesLeft -= taken.length;
      reached(detectionShare);

      const image: ImageText = { name: part.name, width: raster.width, height: raster.height, lines: [] };
      for (const [line, quad] of taken.entries()) {
        const { text, confidence } = await readLine(cutLine(raster, quad), recognition);
        if (text.trim() !== "" && confidence >= minConfidence) image.lines.push({ text, confidence, quad });
        reached(detectionShare + ((1 - detectionShare) * (line + 1)) / taken.length);
      }
      if (taken.length < quads.length) image.truncated = true;
      images.push(image);
      reached(1);
    }
    return { schema: "ngpu.text/1", images };
  };
};
