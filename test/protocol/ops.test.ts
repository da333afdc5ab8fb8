import { createServer, type AddressInfo } from "node:net";
import { after, before, describe, it } from "node:test";
import { expect } from "chai";
import { startOpsServer, type OpsServer } from "@ngpu/protocol/service/opsServer";
import { createTelemetry } from "@ngpu/protocol/service/telemetry";
import { codeRejectedBy } from "../harness/codeRejectedBy.ts";

describe("operations endpoints", () => {
  const telemetry = createTelemetry({ service: "gateway" });
  let reasons: string[] = [];
  let ops: OpsServer;

  before(async () => {
    ops = await startOpsServer({ host: "127.0.0.1", port: 0, telemetry, notReady: () => reasons });
  });
  after(() => ops.close());

  it("is healthy as long as it answers, and ready only when nothing is amiss", async () => {
    expect((await fetch(`${ops.url}/health`)).status).to.equal(200);
    expect((await fetch(`${ops.url}/ready`)).status).to.equal(200);
    reasons = ["the chain has not answered for 12 s"];
    const answer = await fetch(`${ops.url}/ready`);
    expect(answer.status).to.equal(503);
    expect(await answer.json()).to.deep.equal({ ok: false, reasons });
    expect((await fetch(`${ops.url}/health`)).status).to.equal(200);
    reasons = [];
  });

  it("serves counters, gauges and histograms as they are now", async () => {
    let links = 1;
    telemetry.gauge({ name: "links", help: "Open links.", read: () => links });
    const frames = telemetry.counter({ name: "frames_total", help: "Frames.", labels: ["type"] });
    const passes = telemetry.histogram({ name: "pass_seconds", help: "Passes.", buckets: [0.1, 1] });
    frames.inc({ type: "receipt" }, 2);
    passes.observe(0.5);
    links = 3;
    const lines = (await (await fetch(`${ops.url}/metrics`)).text()).split("\n");
    expect(lines).to.include('ngpu_gateway_links{service="gateway"} 3');
    expect(lines).to.include('ngpu_gateway_frames_total{type="receipt",service="gateway"} 2');
    expect(lines).to.include('ngpu_gateway_pass_seconds_bucket{le="1",service="gateway"} 1');
    expect(lines.some((line) => line.startsWith("process_resident_memory_bytes"))).to.equal(true);
  });

  it("knows no other address", async () => {
    expect((await fetch(`${ops.url}/`)).status).to.equal(404);
    expect((await fetch(`${ops.url}/metrics`, { method: "POST" })).status).to.equal(404);
  });

  it("says which port is taken", async () => {
    const holder = createServer();
    await new Promise<void>((resolve) => holder.listen({ port: 0, host: "127.0.0.1" }, resolve));
    const { port } = holder.address() as AddressInfo;
    const start = startOpsServer({ host: "127.0.0.1", port, telemetry, notReady: () => [] });
    expect(await codeRejectedBy(start)).to.equal("PORT_TAKEN");
    holder.close();
  });
});
