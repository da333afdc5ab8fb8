/** How a service takes signals: once it drains, twice it stops at once, and its time is bounded. */
import { describe, it } from "node:test";
import { expect } from "chai";
import { startServiceProcess } from "../harness/serviceProcess.ts";

const start = (env: Record<string, string>) =>
  startServiceProcess({ bin: "test/node-agent/support/drainingService.ts", env });

describe("shutdown", () => {
  it("stops at once on a second signal, but not on an echo of the first", async () => {
    const service = await start({ NGPU_DRAIN_S: "60" });
    service.signal("SIGTERM");
    await service.says("draining");
    service.signal("SIGTERM");
    service.signal("SIGINT");
    expect(await service.ended).to.equal(1);
    expect(service.log().match(/stopping at once/g)).to.have.length(1);
    expect(service.log()).to.include('"signal":"SIGINT","msg":"stopping at once"');
  });

  it("breaks off what has not ended in time, and still stops cleanly", async () => {
    const service = await start({ NGPU_DRAIN_S: "1" });
    const askedMs = performance.now();
    service.signal("SIGTERM");
    expect(await service.ended).to.equal(0);
    expect(performance.now() - askedMs).to.be.within(900, 3_000);
    expect(service.log()).to.include("not everything has ended in time");
  });

  it("drains not at all when it is told so, and waits for no part that hangs", async () => {
    const service = await start({ NGPU_DRAIN_S: "0", HANGS: "yes" });
    service.signal("SIGINT");
    expect(await service.ended).to.equal(1);
    expect(service.log()).to.include("did not stop in time").and.not.include("draining;");
  });
});
