/** Pictures of one colour, as parts of a task's input. */
import type { Part } from "@ngpu/protocol/sealed/payload";
import { PNG } from "pngjs";

export function pictureOf({ sidePx, grey }: { sidePx: number; grey: number }): Part {
  const image = new PNG({ width: sidePx, height: sidePx });
  for (let at = 0; at < image.data.length; at += 4) image.data.set([grey, grey, grey, 255], at);
  return partOf(new Uint8Array(PNG.sync.write(image)));
}

/** Says that it is a picture, whatever it is. */
export function partOf(bytes: Uint8Array): Part {
  return { name: "file", mediaType: "image/png", bytes };
}
