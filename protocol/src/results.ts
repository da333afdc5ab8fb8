/** Result documents that the adapters produce and the dApp draws; `schema` in the manifest names which one. */

/** Corners clockwise from the top left, in pixels of the original image. */
export type Quad = [[number, number], [number, number], [number, number], [number, number]];

/** Schema `ngpu.text/1`. */
export interface TextResult {
  schema: "ngpu.text/1";
  images: {
    name: string;
    width: number;
    height: number;
    lines: { text: string; confidence: number; quad: Quad }[];
  }[];
}

/** Schema `ngpu.faces/1`. */
export interface FacesResult {
  schema: "ngpu.faces/1";
  images: {
    name: string;
    width: number;
    height: number;
    faces: { score: number; box: { x: number; y: number; width: number; height: number }; landmarks: [number, number][] }[];
  }[];
}

export type TaskResult = TextResult | FacesResult;
