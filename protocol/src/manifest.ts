/** Model manifests (docs/PROTOCOL.md §6): the document whose hash is the model's id. */

export interface TensorSpec {
  name: string;
  type: string;
  /** −1 for a free dimension. */
  shape: number[];
}

export interface FileSpec {
  name: string;
  /** `package/path` below node_modules, or a path below the operator's model folder. */
  file: string;
  bytes: number;
  sha256: string;
}

export interface GraphSpec extends FileSpec {
  inputs: TensorSpec[];
  outputs: TensorSpec[];
}

export interface DimensionSpec {
  title: string;
  minimum: number;
  maximum: number;
  default: number;
}

export interface ModelManifest {
  format: "ngpu.model/1";
  name: string;
  version: string;
  title: string;
  description: string;
  task: "image-to-text" | "face-detection";
  licence: string;
  source: string;
  determinism: "EXACT" | "TOLERANCE" | "TOPK" | "NONE";
  graphs: GraphSpec[];
  assets: FileSpec[];
  adapter: "ocr.v1" | "face.v1";
  input: { mediaTypes: string[] };
  output: { mediaType: "application/json"; schema: string };
  limits: {
    maxParts: number;
    maxPartBytes: number;
    maxInputBytes: number;
    maxSidePx: number;
    memoryMiB: number;
    deadlineMs: number;
  };
  work: { baseCums: number; perCums: Record<string, number> };
  dimensions: Record<string, DimensionSpec>;
}
