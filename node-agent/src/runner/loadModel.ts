/**
 * Loads one model inside the runner: every file is read once, checked against the manifest's size and SHA-256,
 * guarded, and only those very bytes reach the runtime. No option of a session comes from a client or a manifest.
 */
import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { NgpuError } from "@ngpu/protocol/errors";
import type { FileSpec, GraphSpec, ModelManifest } from "@ngpu/protocol/manifest";
import { InferenceSession, Tensor } from "onnxruntime-node";
import type { Adapter, GraphRun } from "./adapter.ts";
import { adapters } from "./adapters/adapters.ts";
import { agreesWithCpu } from "./agreesWithCpu.ts";
import { guardGraph } from "./graphGuard.ts";

export interface LoadedModel {
  manifest: ModelManifest;
  adapter: Adapter;
  graphs: Record<string, GraphRun>;
}

export interface LoadRequest {
  manifest: ModelManifest;
  /** Where each graph and asset lies, by its name in the manifest. */
  paths: Record<string, string>;
  provider: string;
}

/** Throws MODEL_MISMATCH, MODEL_HOSTILE, MODEL_FAILED or PROVIDER_MISSING. */
export async function loadModel({ manifest, paths, provider }: LoadRequest): Promise<LoadedModel> {
  const createAdapter = Object.hasOwn(adapters, manifest.adapter) ? adapters[manifest.adapter] : undefined;
  if (createAdapter === undefined) throw new NgpuError("MODEL_UNKNOWN", { adapter: manifest.adapter });
  const assets = Object.fromEntries(manifest.assets.map((spec) => [spec.name, readChecked(spec, paths)]));
  const graphs: Record<string, GraphRun> = {};
  for (const spec of manifest.graphs) {
    const bytes = readChecked(spec, paths);
    guardGraph(bytes);
    const run = await openGraph(spec, bytes, provider);
    if (provider !== "cpu") await agreesWithCpu({ spec, run, reference: await openGraph(spec, bytes, "cpu") });
    graphs[spec.name] = run;
  }
  return { manifest, adapter: createAdapter(assets), graphs };
}

function readChecked(spec: FileSpec, paths: Record<string, string>): Uint8Array {
  const path = paths[spec.name];
  if (path === undefined) throw new NgpuError("MODEL_MISMATCH", { file: spec.file, reason: "has no path" });
  let bytes: Buffer;
  try {
    const { size } = statSync(path);
    if (size !== spec.bytes)
      throw new NgpuError("MODEL_MISMATCH", {
        file: spec.file,
        bytes: size,
        expected: spec.bytes,
        reason: looksLike(path, size),
      });
    bytes = readFileSync(path);
  } catch (cause) {
    if (cause instanceof NgpuError) throw cause;
    throw new NgpuError("MODEL_MISMATCH", { file: spec.file, reason: "cannot be read" }, { cause });
  }
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  if (sha256 !== spec.sha256) throw new NgpuError("MODEL_MISMATCH", { file: spec.file, sha256, expected: spec.sha256 });
  return bytes;
}

/** Names the two usual causes of a wrong size, so that nobody has to open the file. */
function looksLike(path: string, size: number): string {
  if (size > 1024 * 1024) return "has another size";
  const start = readFileSync(path).subarray(0, 64).toString("latin1");
  if (start.startsWith("version https://git-lfs")) return "is a git-lfs pointer, not the model";
  if (/^\s*<(!doctype|html|\?xml)/i.test(start)) return "is a web page, not the model";
  return "has another size";
}

async function openGraph(spec: GraphSpec, bytes: Uint8Array, provider: string): Promise<GraphRun> {
  let session: InferenceSession;
  try {
    session = await InferenceSession.create(bytes, {
      executionProviders: [provider],
      intraOpNumThreads: 1,
      interOpNumThreads: 1,
      executionMode: "sequential",
      logSeverityLevel: 4,
    });
  } catch (cause) {
    throw new NgpuError(
      provider === "cpu" ? "MODEL_FAILED" : "PROVIDER_MISSING",
      { graph: spec.name, provider, reason: String(cause) },
      { cause },
    );
  }
  const input = spec.inputs[0];
  const fits =
    input !== undefined &&
    spec.inputs.length === 1 &&
    sameNames(session.inputNames, spec.inputs) &&
    sameNames(session.outputNames, spec.outputs);
  if (!fits) throw new NgpuError("MODEL_MISMATCH", { graph: spec.name, reason: "has other inputs or outputs" });

  return async ({ data, shape }) => {
    const outputs = await session.run({ [input.name]: new Tensor("float32", data, shape) });
    return Object.fromEntries(
      Object.entries(outputs).map(([name, tensor]) => {
        if (!(tensor.data instanceof Float32Array))
          throw new NgpuError("MODEL_MISMATCH", { output: name, type: tensor.type });
        return [name, { data: tensor.data, shape: tensor.dims }];
      }),
    );
  };
}

function sameNames(found: readonly string[], specs: readonly { name: string }[]): boolean {
  return found.length === specs.length && specs.every(({ name }) => found.includes(name));
}
