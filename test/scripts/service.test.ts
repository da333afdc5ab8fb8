/** How a child of the stack is watched and ended. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { identityOf } from "../../scripts/stack/process/identity.ts";
import { openRecord, type StackRecord } from "../../scripts/stack/process/record.ts";
import { startService, type Service, type ServiceOptions } from "../../scripts/stack/process/service.ts";

describe("service", () => {
  let dataDir: string;
  let record: StackRecord;
  before(() => {
    dataDir = mkdtempSync(join(tmpdir(), "ngpu-service-"));
    record = openRecord({ dataDir });
  });
  after(() => {
    record.close();
    rmSync(dataDir, { recursive: true, force: true });
  });

  const start = (script: string, options: Partial<ServiceOptions> = {}): Promise<Service> =>
    startService({
      name: `s${Math.random().toString(36).slice(2)}`,
      command: [process.execPath, "-e", script],
      cwd: dataDir,
      env: {},
      logFolder: dataDir,
      record,
      ready: "line",
      readyWithinMs: 10_000,
      onSpawn: () => undefined,
      onLost: () => undefined,
      ...options,
    });
  const messageOf = (act: Promise<unknown>): Promise<string> =>
    act.then(
      () => "accepted",
      (error: Error) => error.message,
    );

  it("is ready with what it says behind READY, and ends when asked without being reported", async () => {
    const lost: string[] = [];
    const script = `process.on("SIGTERM", () => process.exit(0)); setInterval(() => {}, 1000);
      console.log("noise"); console.log("READY " + JSON.stringify({ x: 1 }));`;
    const service = await start(script, { onLost: (report) => lost.push(report) });
    expect(service.readyText()).to.equal('{"x":1}');
    await service.stop();
    expect(identityOf(service.pid)).to.equal(undefined);
    expect(lost).to.deep.equal([]);
  });

  it("reports a service that ends by itself once, with the end of its log", async () => {
    const lost: string[] = [];
    await start(
      'console.log("READY {}"); setTimeout(() => { console.error("out of cheese"); process.exit(3); }, 100)',
      {
        onLost: (report) => lost.push(report),
      },
    );
    const deadline = performance.now() + 10_000;
    while (lost.length === 0 && performance.now() < deadline) await sleep(20);
    expect(lost).to.have.length(1);
    expect(lost[0]).to.contain("ended with code 3").and.contain("out of cheese");
  });

  it("does not wait for a service that ends before it is ready", async () => {
    const message = await messageOf(
      start('console.error("no such setting"); process.exit(2)', { readyWithinMs: 60_000 }),
    );
    expect(message).to.contain("ended with code 2").and.contain("no such setting");
  });

  it("ends a service that is not ready in time, and says so", async () => {
    let pid = 0;
    const options = { readyWithinMs: 300, onSpawn: (service: Service) => (pid = service.pid) };
    expect(await messageOf(start("setInterval(() => {}, 1000)", options))).to.contain("not ready within");
    expect(identityOf(pid)).to.equal(undefined);
  });

  it("insists with a service that does not listen, and ends what that one started", async () => {
    const stubborn = 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000)';
    const script = `process.on("SIGTERM", () => {}); const { spawn } = require("node:child_process");
      const child = spawn(process.execPath, ["-e", ${JSON.stringify(stubborn)}], { stdio: "ignore" });
      console.log("READY " + child.pid); setInterval(() => {}, 1000)`;
    const service = await start(script);
    const grandchild = identityOf(Number(service.readyText()));
    expect(grandchild).to.not.equal(undefined);
    await service.stop({ graceMs: 200 });
    const deadline = performance.now() + 5_000;
    while (identityOf(Number(service.readyText())) && performance.now() < deadline) await sleep(20);
    expect(identityOf(Number(service.readyText()))).to.equal(undefined);
  });
});
