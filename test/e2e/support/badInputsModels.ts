/**
 * Two models that an operator could be talked into serving, and the list of them that an agent reads beside its
 * catalogue: the file of one kills its runner on one kind of picture, the file of the other is not what its manifest
 * names.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { RunnerModel } from "@ngpu/node-agent/pool/runnerProcess";
import * as onnx from "../../harness/onnxModel.ts";
import { modelAround } from "../../node-agent/support/hostileModels.ts";
import { faceModel } from "./badInputsTask.ts";

export interface BadModels {
  /** Dies on a white picture; finds nobody on any other. */
  sleeper: RunnerModel;
  /** One bit of its file was changed after its manifest was written. */
  forged: RunnerModel;
  /** JSON of both, for support/badInputsAgent.ts. */
  listFile: string;
}

const input = "input:0";

/** Writes both into `folder`, which becomes the operator's model folder. */
export function writeBadModels(folder: string): BadModels {
  const sleeper = modelAround(sleeperGraph(), { folder, name: "sleeper" });
  const forged = modelAround(sleeperGraph(), { folder, name: "forged" });
  const forgedFile = forged.paths.detection ?? "";
  const bytes = readFileSync(forgedFile);
  bytes.writeUInt8(bytes.readUInt8(100) ^ 1, 100);
  writeFileSync(forgedFile, bytes);
  const listFile = join(folder, "models.json");
  const entries = [sleeper, forged].map(({ modelId, manifest }) => ({ modelId, manifest }));
  writeFileSync(listFile, JSON.stringify(entries));
  return { sleeper, forged, listFile };
}

/**
 * INT_MIN ÷ (1 − 2·⌊darkest⌋) in int32. The face adapter scales pixels to −1…1, so only where every pixel is white is
 * the divisor −1, by which no processor can divide that: the warm-up passes.
 */
function sleeperGraph(): Uint8Array {
  const outputs = faceModel().manifest.graphs[0]?.outputs ?? [];
  const { float, int32, int64 } = onnx.dataType;
  const keepNoDims = onnx.integerAttribute("keepdims", 0);
  const words = (...values: number[]): Uint8Array => new Uint8Array(Int32Array.from(values).buffer);
  const shapes = outputs.map(({ name, shape }) =>
    onnx.tensor({
      name: `shape of ${name}`,
      type: int64,
      dims: [shape.length],
      raw: new Uint8Array(BigInt64Array.from(shape.map(BigInt)).buffer),
    }),
  );
  return onnx.model(
    onnx.graph({
      nodes: [
        onnx.node("ReduceMin", [input], ["darkest"], [keepNoDims]),
        onnx.node("Floor", ["darkest"], ["floor"]),
        onnx.node("Cast", ["floor"], ["floor32"], [onnx.integerAttribute("to", int32)]),
        onnx.node("Mul", ["floor32", "minus2"], ["doubled"]),
        onnx.node("Add", ["doubled", "one"], ["divisor"]),
        onnx.node("Div", ["lowest", "divisor"], ["quotient"]),
        onnx.node("Cast", ["quotient"], ["score"], [onnx.integerAttribute("to", float)]),
        ...outputs.map(({ name }) => onnx.node("Expand", ["score", `shape of ${name}`], [name])),
      ],
      initializers: [
        onnx.tensor({ name: "minus2", type: int32, dims: [1], raw: words(-2) }),
        onnx.tensor({ name: "one", type: int32, dims: [1], raw: words(1) }),
        onnx.tensor({ name: "lowest", type: int32, dims: [1], raw: words(-(2 ** 31)) }),
        ...shapes,
      ],
      inputs: [onnx.valueInfo(input, float, [1, 256, 256, 3])],
      outputs: outputs.map(({ name, shape }) => onnx.valueInfo(name, float, shape)),
    }),
  );
}
