/** Slots with real runners: one task at a time, and a fresh runner after each end. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { installedModels } from "@ngpu/node-agent/localTask";
import { probeConfinement } from "@ngpu/node-agent/pool/confinement";
import { createRunnerPool, type RunnerPool } from "@ngpu/node-agent/pool/runnerPool";
import type { RunnerModel } from "@ngpu/node-agent/pool/runnerProcess";
import { codeOf } from "@ngpu/protocol/errors";
import { encodePayload } from "@ngpu/protocol/sealed/payload";
import { systemClock } from "@ngpu/protocol/service/clock";
import { createLog } from "@ngpu/protocol/service/log";
import { expect } from "chai";
import { until } from "../harness/until.ts";
import { divisionModel, endlessModel, modelAround } from "./support/hostileModels.ts";
import { photo } from "./support/images.ts";

const log = createLog({ service: "test", level: "silent" });
const confinement = probeConfinement();
const folder = mkdtempSync(join(tmpdir(), "ngpu-test-pool-"));
const never = new AbortController().signal;
const body = encodePayload({
  parameters: { images: 1 },
  parts: [{ name: "photo", mediaType: "image/jpeg", bytes: photo(1) }],
});
const faces = installedModels().filter(({ manifest }) => manifest.adapter === "face.v1");
const [face] = faces;
const pools: RunnerPool[] = [];

const aPool = async (models: RunnerModel[], { slots = 1, warm = false } = {}): Promise<RunnerPool> => {
  const pool = await createRunnerPool({
    models,
    provider: "cpu",
    confinement,
    clock: systemClock,
    startTimeoutMs: 20_000,
    warm,
    slots,
    log,
  });
  pools.push(pool);
  return pool;
};
const runOnce = async (pool: RunnerPool, model: RunnerModel | undefined, timeoutMs = 10_000): Promise<string> => {
  const slot = await pool.take(never);
  try {
    await slot.execute({ modelId: model?.modelId ?? "0x", body, timeoutMs });
    return "done";
  } catch (error) {
    return codeOf(error);
  } finally {
    slot.release();
  }
};

describe("runner pool", () => {
  after(async () => {
    await Promise.all(pools.map((pool) => pool.close()));
    rmSync(folder, { recursive: true, force: true });
  });

  it("serves the next task with a new runner after a crash and after a hang", async () => {
    const crash = modelAround(divisionModel(), { folder, name: "division" });
    const hang = modelAround(endlessModel(), { folder, name: "endless" });
    const pool = await aPool([...faces, crash, hang]);
    expect(await runOnce(pool, crash)).to.equal("RUNNER_CRASHED");
    expect(await runOnce(pool, face)).to.equal("done");
    expect(await runOnce(pool, hang, 500)).to.equal("RUNNER_TIMED_OUT");
    expect(await runOnce(pool, face)).to.equal("done");
    await until("the slot is free", () => pool.freeSlots() === 1);
  });

  it("gives a slot to one task at a time, in the order they came", async () => {
    const pool = await aPool(faces);
    const first = await pool.take(never);
    const order: string[] = [];
    const waiting = ["second", "third"].map((name) => pool.take(never).then((slot) => (order.push(name), slot)));
    const leaving = new AbortController();
    const left = pool.take(leaving.signal).then(() => "taken", codeOf);
    leaving.abort();
    expect(await left).to.equal("NODE_BUSY");
    expect(pool.freeSlots()).to.equal(0);
    first.release();
    first.release();
    (await waiting[0])?.release();
    (await waiting[1])?.release();
    expect(order).to.deep.equal(["second", "third"]);
    expect(pool.freeSlots()).to.equal(1);
  });

  it("replaces an idle runner that has grown beyond its share of memory", async () => {
    const tight = faces.map((model) => ({
      ...model,
      manifest: { ...model.manifest, limits: { ...model.manifest.limits, memoryMiB: 100 } },
    }));
    const pool = await aPool(tight);
    expect(await runOnce(pool, face)).to.equal("done");
    await until("the runner is gone", () => pool.freeSlots() === 0);
    expect(await runOnce(pool, face)).to.equal("done");
  });

  it("leaves out a model that kills its runner when it is tried, and serves the others, also after a crash", async () => {
    const deadly = modelAround(divisionModel(), { folder, name: "deadly" });
    const pool = await aPool([deadly, ...faces], { warm: true, slots: 2 });
    expect(pool.loaded).to.deep.equal(faces.map(({ modelId }) => modelId));
    expect(pool.refused.map(({ modelId, code }) => [modelId, code])).to.deep.equal([[deadly.modelId, "RUNNER_CRASHED"]]);
    expect(await runOnce(pool, face)).to.equal("done");
    expect(await runOnce(pool, deadly)).to.equal("MODEL_UNKNOWN");
  });

  it("calls off what executes, and has its slot free again", async () => {
    const hang = modelAround(endlessModel(), { folder, name: "called-off" });
    const pool = await aPool([...faces, hang]);
    const running = runOnce(pool, hang, 60_000);
    await until("it executes", () => pool.freeSlots() === 0);
    pool.callOff();
    expect(await running).to.equal("RUNNER_CRASHED");
    expect(await runOnce(pool, face)).to.equal("done");
  });

  it("does not start without any runner", async () => {
    const wrong = faces.map((model) => ({ ...model, paths: { detection: join(folder, "nowhere.onnx") } }));
    const pool = await aPool(wrong);
    expect(pool.loaded).to.deep.equal([]);
    expect(pool.refused.map(({ code }) => code)).to.deep.equal(["MODEL_MISMATCH"]);
  });
});
