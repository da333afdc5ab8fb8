/**
 * Models that a careless or hostile publisher could offer, each with the inputs and outputs of the face model, so
 * that adapter and runner meet them as they meet a real one.
 */
import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join as joinPath } from "node:path";
import { modelIdOf } from "@ngpu/protocol/ids";
import { catalogue } from "@ngpu/protocol/catalogue";
import type { ModelManifest } from "@ngpu/protocol/manifest";
import type { RunnerModel } from "@ngpu/node-agent/pool/runnerProcess";
import * as onnx from "../../harness/onnxModel.ts";

const face = catalogue.find(({ manifest }) => manifest.adapter === "face.v1")?.manifest;
if (face === undefined) throw new Error("the catalogue holds no face model");
const template: ModelManifest = face;

/** A runner model around `bytes`; `listed` overrides what the manifest says about the file. */
export function modelAround(
  bytes: Uint8Array,
  options: {
    folder: string;
    name: string;
    listed?: Partial<{ bytes: number; sha256: string }>;
    memoryMiB?: number;
    deadlineMs?: number;
  },
): RunnerModel {
  const { folder, name, listed = {}, memoryMiB = 768, deadlineMs = template.limits.deadlineMs } = options;
  mkdirSync(folder, { recursive: true });
  const path = joinPath(folder, `${name}.onnx`);
  writeFileSync(path, bytes);
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  const [graph] = template.graphs;
  if (graph === undefined) throw new Error("the face model has no graph");
  const manifest: ModelManifest = {
    ...template,
    name,
    graphs: [{ ...graph, file: `${name}.onnx`, bytes: bytes.length, sha256, ...listed }],
    limits: { ...template.limits, memoryMiB, deadlineMs },
  };
  return { modelId: modelIdOf(manifest), manifest, paths: { detection: path } };
}

/**
 * INT_MIN ÷ −1 in int32, which no processor can represent; it is computed from the input, so it happens only when
 * executed.
 */
export function divisionModel(): Uint8Array {
  return faceShaped({
    nodes: [
      onnx.node("Shape", ["input:0"], ["dims"]),
      onnx.node("Cast", ["dims"], ["dims32"], [onnx.integerAttribute("to", onnx.dataType.int32)]),
      onnx.node("Mul", ["dims32", "zero32"], ["zeros"]),
      onnx.node("ReduceSum", ["pixels32"], ["sum"], [onnx.integerAttribute("keepdims", 0)]),
      onnx.node("Add", ["sum", "lowest32"], ["lowest"]),
      onnx.node("Div", ["lowest", "minus32"], ["quotient"]),
      onnx.node("Cast", ["quotient"], ["poison"], [onnx.integerAttribute("to", onnx.dataType.float)]),
    ],
    before: [
      onnx.node("Clip", ["input:0", "none", "none"], ["nothing"]),
      onnx.node("Cast", ["nothing"], ["pixels32"], [onnx.integerAttribute("to", onnx.dataType.int32)]),
    ],
    initializers: [
      onnx.tensor({ name: "zero32", type: onnx.dataType.int32, dims: [1], raw: int32(0) }),
      onnx.tensor({ name: "lowest32", type: onnx.dataType.int32, dims: [1], raw: int32(-(2 ** 31)) }),
      onnx.tensor({ name: "minus32", type: onnx.dataType.int32, dims: [1], raw: int32(-1) }),
      onnx.tensor({ name: "none", type: onnx.dataType.float, dims: [], raw: float32(0) }),
    ],
  });
}

/** A loop of 2⁶³ − 1 turns. */
export function endlessModel(): Uint8Array {
  const body = onnx.graph({
    nodes: [onnx.node("Identity", ["go"], ["go_on"]), onnx.node("Add", ["carried", "one"], ["carried_on"])],
    initializers: [onnx.tensor({ name: "one", type: onnx.dataType.float, dims: [], raw: float32(1) })],
    inputs: [
      onnx.valueInfo("turn", onnx.dataType.int64, []),
      onnx.valueInfo("go", onnx.dataType.bool, []),
      onnx.valueInfo("carried", onnx.dataType.float, []),
    ],
    outputs: [onnx.valueInfo("go_on", onnx.dataType.bool, []), onnx.valueInfo("carried_on", onnx.dataType.float, [])],
  });
  return faceShaped({
    nodes: [
      onnx.node("ReduceMax", ["input:0"], ["start"], [onnx.integerAttribute("keepdims", 0)]),
      onnx.node("Loop", ["turns", "always", "start"], ["poison"], [onnx.graphAttribute("body", body)]),
    ],
    before: [],
    initializers: [
      onnx.tensor({
        name: "turns",
        type: onnx.dataType.int64,
        dims: [],
        raw: new Uint8Array(BigInt64Array.of(2n ** 63n - 1n).buffer),
      }),
      onnx.tensor({ name: "always", type: onnx.dataType.bool, dims: [], raw: Uint8Array.of(1) }),
    ],
  });
}

/** Asks for a tensor of `gib` gibibytes, which is legal. */
export function hungryModel(gib: number): Uint8Array {
  const elements = (gib * 2 ** 30) / 4;
  return faceShaped({
    nodes: [
      onnx.node("ReduceMax", ["input:0"], ["value"], [onnx.integerAttribute("keepdims", 0)]),
      onnx.node("Expand", ["value", "size"], ["huge"]),
      onnx.node("ReduceMax", ["huge"], ["poison"], [onnx.integerAttribute("keepdims", 0)]),
    ],
    before: [],
    initializers: [
      onnx.tensor({
        name: "size",
        type: onnx.dataType.int64,
        dims: [1],
        raw: new Uint8Array(BigInt64Array.of(BigInt(elements)).buffer),
      }),
    ],
  });
}

/** Reads its output from a file beside the process. */
export function externalDataModel(location: string): Uint8Array {
  return faceShaped({
    nodes: [onnx.node("ReduceMax", ["secret"], ["poison"], [onnx.integerAttribute("keepdims", 0)])],
    before: [],
    initializers: [onnx.externalTensor({ name: "secret", dims: [8], location, length: 32 })],
  });
}

/** Completes nodes that give the scalar "poison" to a graph with the face model's inputs and outputs. */
function faceShaped(parts: {
  before: onnx.Message[];
  nodes: onnx.Message[];
  initializers: onnx.Message[];
}): Uint8Array {
  const [spec] = template.graphs;
  const outputs = spec?.outputs ?? [];
  const shapes = outputs.map(({ name, shape }) =>
    onnx.tensor({
      name: `shape of ${name}`,
      type: onnx.dataType.int64,
      dims: [shape.length],
      raw: new Uint8Array(BigInt64Array.from(shape.map(BigInt)).buffer),
    }),
  );
  return onnx.model(
    onnx.graph({
      nodes: [
        ...parts.before,
        ...parts.nodes,
        ...outputs.map(({ name }) => onnx.node("Expand", ["poison", `shape of ${name}`], [name])),
      ],
      initializers: [...parts.initializers, ...shapes],
      inputs: [onnx.valueInfo("input:0", onnx.dataType.float, [1, 256, 256, 3])],
      outputs: outputs.map(({ name, shape }) => onnx.valueInfo(name, onnx.dataType.float, shape)),
    }),
  );
}

function int32(value: number): Uint8Array {
  return new Uint8Array(Int32Array.of(value).buffer);
}

function float32(value: number): Uint8Array {
  return new Uint8Array(Float32Array.of(value).buffer);
}
