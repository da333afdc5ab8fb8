/**
 * What a versioned adapter is: everything of a task but the graphs themselves, as a function from payload to result
 * document.
 */
import type { ModelManifest } from "@ngpu/protocol/manifest";
import type { TaskResult } from "@ngpu/protocol/results";
import type { Payload } from "@ngpu/protocol/sealed/payload";

export interface FloatTensor {
  data: Float32Array;
  shape: readonly number[];
}

/** Runs one graph on its only input; outputs come by name. */
export type GraphRun = (input: FloatTensor) => Promise<Record<string, FloatTensor>>;

export interface AdapterRequest {
  payload: Payload;
  manifest: ModelManifest;
  graphs: Readonly<Record<string, GraphRun>>;
  /** Called with 0 to 1000 as the task goes on. */
  onProgress: (permille: number) => void;
}

export type Adapter = (request: AdapterRequest) => Promise<TaskResult>;

/** Prepares an adapter once per model from the manifest's assets. */
export type AdapterFactory = (assets: Readonly<Record<string, Uint8Array>>) => Adapter;
