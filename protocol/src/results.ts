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
    /** In reading order; confidence is 0 to 1. */
    lines: { text: string; confidence: number; quad: Quad }[];
    /** Set when more lines were found than the payer declared; the ones after the limit were not read. */
    truncated?: true;
  }[];
}

/** Schema `ngpu.faces/1`. */
export interface FacesResult {
  schema: "ngpu.faces/1";
  images: {
    name: string;
    width: number;
    height: number;
    /** Landmarks: right eye, left eye (as the person has them), nose, mouth, right ear, left ear. */
    faces: { score: number; box: { x: number; y: number; width: number; height: number }; landmarks: [number, number][] }[];
  }[];
}

export type TaskResult = TextResult | FacesResult;
