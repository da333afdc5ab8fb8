/** The adapters of this version by the name that manifests use. */
import type { ModelManifest } from "@ngpu/protocol/manifest";
import type { AdapterFactory } from "../adapter.ts";
import { createFaceAdapter } from "./face.ts";
import { createOcrAdapter } from "./ocr/ocr.ts";

export const adapters: Readonly<Record<ModelManifest["adapter"], AdapterFactory>> = {
  "ocr.v1": createOcrAdapter,
  "face.v1": createFaceAdapter,
};
