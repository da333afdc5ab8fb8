/**
 * Entry point of the runner process, which executes models for one slot and nothing else: it starts in an empty
 * folder, with no key, no network where the system allows, and speaks only frames on descriptor 3. It ends when the
 * agent closes that pipe.
 */
import { writeFileSync } from "node:fs";
import { Socket } from "node:net";
import { codeOf, NgpuError } from "@ngpu/protocol/errors";
import type { ModelManifest } from "@ngpu/protocol/manifest";
import { decodePayload } from "@ngpu/protocol/sealed/payload";
import { createPipeDecoder, encodePipeFrame, frameType, type PipeFrame } from "./frames.ts";
import { loadModel, type LoadedModel } from "./loadModel.ts";
import { warmUp } from "./warmUp.ts";

const mib = 1024 * 1024;
const models = new Map<string, LoadedModel>();
const pipe = new Socket({ fd: 3, readable: true, writable: true });
const decode = createPipeDecoder();
let queue: Promise<void> = Promise.resolve();

sacrificeFirst();
pipe.on("data", (chunk: Buffer) => {
  for (const frame of decode(chunk)) queue = queue.then(() => handle(frame));
});
pipe.on("close", () => process.exit(0));
pipe.on("error", () => process.exit(0));

async function handle(frame: PipeFrame): Promise<void> {
  if (frame.type === frameType.load) return load(frame);
  if (frame.type === frameType.execute) return execute(frame);
  throw new NgpuError("WIRE_MALFORMED", { path: "type" });
}

/**
 * Header: provider, warm, models [{ modelId, manifest, paths }]. Says `loading` before each model, which may be the
 * last that is heard of this process; answers `ready` with what is loaded and what was refused, and why.
 */
async function load({ header }: PipeFrame): Promise<void> {
  const requests = header.models as { modelId: string; manifest: ModelManifest; paths: Record<string, string> }[];
  const refused: { modelId: string; code: string; reason: string }[] = [];
  for (const { modelId, manifest, paths } of requests) {
    send(frameType.loading, { modelId });
    try {
      const model = await loadModel({ manifest, paths, provider: String(header.provider) });
      if (header.warm === true) await warmUp(model);
      models.set(modelId, model);
    } catch (error) {
      refused.push({ modelId, code: codeOf(error), reason: reasonOf(error) });
    }
  }
  send(frameType.ready, { loaded: [...models.keys()], refused });
}

/**
 * Header: id, modelId; bytes: the opened body. The duration is execution only: decoding, graphs and post-processing.
 */
async function execute({ header, bytes }: PipeFrame): Promise<void> {
  const { id } = header;
  const startMs = Date.now();
  const startedAt = performance.now();
  try {
    const model = models.get(String(header.modelId));
    if (model === undefined) throw new NgpuError("MODEL_UNKNOWN", { modelId: header.modelId });
    const result = await model.adapter({
      payload: decodePayload(bytes),
      manifest: model.manifest,
      graphs: model.graphs,
      onProgress: (permille) => send(frameType.progress, { id, permille }),
    });
    const durationMs = Math.max(1, Math.floor(performance.now() - startedAt));
    send(frameType.result, { id, startMs, durationMs, rssMiB: rssMiB() }, Buffer.from(JSON.stringify(result)));
  } catch (error) {
    const code = error instanceof NgpuError ? error.code : "MODEL_FAILED";
    send(frameType.failed, { id, startMs, code, message: messageOf(error), rssMiB: rssMiB() });
  }
}

function send(type: number, header: object, bytes?: Uint8Array): void {
  pipe.write(encodePipeFrame(bytes === undefined ? { type, header } : { type, header, bytes }));
}

function messageOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, 400);
}

/** The runtime's own words where there are any. */
function reasonOf(error: unknown): string {
  const reason = error instanceof NgpuError ? error.fields.reason : undefined;
  return typeof reason === "string" ? reason.slice(0, 400) : messageOf(error);
}

function rssMiB(): number {
  return Math.ceil(process.memoryUsage.rss() / mib);
}

/** When memory runs out, the kernel ends this process before any other of the machine. */
function sacrificeFirst(): void {
  try {
    writeFileSync("/proc/self/oom_score_adj", "1000");
  } catch {
    // Not Linux, or not allowed: the memory limit still holds.
  }
}
