/** One runner process: what it is denied, and that nothing a model does reaches the agent. */
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { installedModels } from "@ngpu/node-agent/localTask";
import { probeConfinement } from "@ngpu/node-agent/pool/confinement";
import { startRunner, type RunnerModel, type RunnerProcess } from "@ngpu/node-agent/pool/runnerProcess";
import { codeOf } from "@ngpu/protocol/errors";
import { encodePayload } from "@ngpu/protocol/sealed/payload";
import { systemClock } from "@ngpu/protocol/service/clock";
import { expect } from "chai";
import { until } from "../harness/until.ts";
import { divisionModel, endlessModel, externalDataModel, hungryModel, modelAround } from "./support/hostileModels.ts";
import { photo } from "./support/images.ts";

const confinement = probeConfinement();
const folder = mkdtempSync(join(tmpdir(), "ngpu-test-models-"));
const face = installedModels().find(({ manifest }) => manifest.adapter === "face.v1");
const body = encodePayload({
  parameters: { images: 1 },
  parts: [{ name: "photo", mediaType: "image/jpeg", bytes: photo(1) }],
});
const started: RunnerProcess[] = [];

const start = async (models: RunnerModel[]): Promise<RunnerProcess> => {
  const runner = await startRunner({
    models,
    provider: "cpu",
    confinement,
    clock: systemClock,
    startTimeoutMs: 20_000,
    warm: false,
  });
  started.push(runner);
  return runner;
};
const refusal = async (model: RunnerModel): Promise<{ code: string; reason: string }> => {
  const runner = await start([model]);
  const [refused] = runner.refused;
  runner.kill();
  expect(runner.loaded).to.deep.equal([]);
  return refused ?? { code: "none", reason: "" };
};

describe("runner process", () => {
  after(async () => {
    for (const runner of started) runner.kill();
    await Promise.all(started.map(({ ended }) => ended));
    rmSync(folder, { recursive: true, force: true });
  });

  describe("behaviour", () => {
    it("measures execution and reports memory", async () => {
      const runner = await start(installedModels());
      const { durationMs, startMs, result } = await runner.execute({
        modelId: face?.modelId ?? "0x",
        body,
        timeoutMs: 10_000,
      });
      expect(durationMs).to.be.within(1, 10_000);
      expect(Math.abs(Date.now() - startMs)).to.be.lessThan(20_000);
      expect(JSON.parse(Buffer.from(result).toString()).schema).to.equal("ngpu.faces/1");
      expect(runner.rssMiB()).to.be.within(50, 1_000);
      runner.kill();
    });

    it("reports progress after each picture, up to the whole", async () => {
      const runner = await start(face === undefined ? [] : [face]);
      const parts = [1, 2, 3, 4].map((number) => ({
        name: String(number),
        mediaType: "image/jpeg",
        bytes: photo(number),
      }));
      const seen: number[] = [];
      await runner.execute({
        modelId: face?.modelId ?? "0x",
        body: encodePayload({ parameters: { images: 4 }, parts }),
        timeoutMs: 20_000,
        onProgress: (permille) => seen.push(permille),
      });
      expect(seen).to.deep.equal([250, 500, 750, 1_000]);
      runner.kill();
    });

    it(
      "has no key, no inherited variable and an empty folder of its own",
      { skip: process.platform !== "linux" },
      async () => {
        process.env.NGPU_OPERATOR_KEY = "0xsecret";
        const runner = await start(face === undefined ? [] : [face]);
        const names = readFileSync(`/proc/${runner.pid}/environ`, "utf8")
          .split("\0")
          .filter(Boolean)
          .map((entry) => entry.split("=")[0]);
        delete process.env.NGPU_OPERATOR_KEY;
        expect(names.sort()).to.deep.equal(["HOME", "ORT_DISABLE_TELEMETRY", "TMPDIR"]);
        const cwd = readlinkSync(`/proc/${runner.pid}/cwd`);
        expect(readdirSync(cwd)).to.deep.equal([]);
        runner.kill();
        await runner.ended;
        expect(() => readdirSync(cwd)).to.throw();
      },
    );

    it(
      "has no network where the system can take it away",
      { skip: !confinement.active.includes("no-network") },
      async () => {
        const runner = await start(face === undefined ? [] : [face]);
        expect(readlinkSync(`/proc/${runner.pid}/ns/net`)).to.not.equal(readlinkSync("/proc/self/ns/net"));
        const devices = readFileSync(`/proc/${runner.pid}/net/dev`, "utf8").split("\n").slice(2).filter(Boolean);
        expect(devices.map((line) => line.trim().split(":")[0])).to.deep.equal(["lo"]);
        runner.kill();
      },
    );

    it("is the first to go when memory runs out", { skip: process.platform !== "linux" }, async () => {
      const runner = await start(face === undefined ? [] : [face]);
      expect(readFileSync(`/proc/${runner.pid}/oom_score_adj`, "utf8").trim()).to.equal("1000");
      runner.kill();
    });
  });

  describe("error", () => {
    it("ends at a division no processor can do, and the next runner works", async () => {
      const model = modelAround(divisionModel(), { folder, name: "division" });
      const runner = await start([model]);
      expect(
        await runner.execute({ modelId: model.modelId, body, timeoutMs: 20_000 }).then(() => "done", codeOf),
      ).to.equal("RUNNER_CRASHED");
      expect(await runner.ended).to.equal("SIGFPE");
      expect(
        await runner.execute({ modelId: model.modelId, body, timeoutMs: 1_000 }).then(() => "done", codeOf),
      ).to.equal("RUNNER_CRASHED");
      const next = await start(face === undefined ? [] : [face]);
      await next.execute({ modelId: face?.modelId ?? "0x", body, timeoutMs: 20_000 });
      next.kill();
    });

    it("is killed at its deadline when a model never ends", async () => {
      const model = modelAround(endlessModel(), { folder, name: "endless" });
      const runner = await start([model]);
      const startedMs = performance.now();
      expect(
        await runner.execute({ modelId: model.modelId, body, timeoutMs: 700 }).then(() => "done", codeOf),
      ).to.equal("RUNNER_TIMED_OUT");
      expect(await runner.ended).to.equal("SIGKILL");
      expect(performance.now() - startedMs).to.be.within(700, 3_000);
    });

    it(
      "fails a model that asks for more memory than its manifest",
      { skip: !confinement.active.includes("memory-limit") },
      async () => {
        const model = modelAround(hungryModel(3), { folder, name: "hungry" });
        const runner = await start([model]);
        const code = await runner
          .execute({ modelId: model.modelId, body, timeoutMs: 20_000 })
          .then(() => "done", codeOf);
        expect(code).to.be.oneOf(["MODEL_FAILED", "RUNNER_CRASHED"]);
        runner.kill();
      },
    );

    it("refuses a model that would read a file of its own machine", async () => {
      writeFileSync(join(folder, "operator.key"), Buffer.alloc(32, 7));
      expect(
        (await refusal(modelAround(externalDataModel("operator.key"), { folder, name: "external" }))).code,
      ).to.equal("MODEL_HOSTILE");
    });

    it("refuses a git-lfs pointer and a web page by name", async () => {
      const listed = { bytes: 624_330, sha256: "00".repeat(32) };
      const pointer = Buffer.from(
        `version https://git-lfs.github.com/spec/v1\noid sha256:${"00".repeat(32)}\nsize 624330\n`,
      );
      const pointed = await refusal(modelAround(pointer, { folder, name: "pointer", listed }));
      expect(pointed.code).to.equal("MODEL_MISMATCH");
      expect(pointed.reason).to.equal("is a git-lfs pointer, not the model");
      const page = await refusal(
        modelAround(Buffer.from("<!DOCTYPE html><title>404</title>"), { folder, name: "page", listed }),
      );
      expect(page.reason).to.equal("is a web page, not the model");
    });

    it("refuses a model with one changed bit", async () => {
      const bytes = divisionModel();
      const model = modelAround(bytes, { folder, name: "changed" });
      const changed = Buffer.from(bytes);
      changed.writeUInt8((changed[100] ?? 0) ^ 1, 100);
      writeFileSync(model.paths.detection ?? "", changed);
      expect((await refusal(model)).code).to.equal("MODEL_MISMATCH");
    });

    it("refuses a graph with other inputs and outputs than the manifest names", async () => {
      const bytes = readFileSync(installedModels()[0]?.paths.recognition ?? "");
      expect((await refusal(modelAround(bytes, { folder, name: "other" }))).code).to.equal("MODEL_MISMATCH");
    });

    it("refuses a model it was not given", async () => {
      const runner = await start(face === undefined ? [] : [face]);
      const code = await runner
        .execute({ modelId: `0x${"11".repeat(32)}`, body, timeoutMs: 5_000 })
        .then(() => "done", codeOf);
      expect(code).to.equal("MODEL_UNKNOWN");
      runner.kill();
    });

    it(
      "ends when its agent is gone, even in the middle of an endless model",
      { skip: !confinement.active.includes("ends-with-agent") },
      async () => {
        const model = modelAround(endlessModel(), { folder, name: "orphan" });
        const { spawn } = await import("node:child_process");
        const script = join(import.meta.dirname, "support/runEndless.ts");
        const agent = spawn(process.execPath, [script, JSON.stringify(model)], {
          stdio: ["ignore", "pipe", "inherit"],
        });
        const pid = await new Promise<number>((resolve) =>
          agent.stdout.once("data", (text: Buffer) => resolve(Number(text.toString()))),
        );
        agent.kill("SIGKILL");
        await until("the runner is gone", () => !isAlive(pid));
      },
    );
  });
});

function isAlive(pid: number): boolean {
  try {
    return !readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z ");
  } catch {
    return false;
  }
}
