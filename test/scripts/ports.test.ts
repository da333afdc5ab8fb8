/** A port that is taken is told in one line before anything starts. */
import { createServer } from "node:net";
import { describe, it } from "node:test";
import { expect } from "chai";
import { freePorts, readPorts, requireFreePorts } from "../../scripts/stack/ports.ts";

async function refusal(act: Promise<void>): Promise<string> {
  return act.then(
    () => "accepted",
    (error: Error) => error.message,
  );
}

describe("ports", () => {
  it("finds ports that are free and all different", async () => {
    const ports = await freePorts();
    expect(new Set(Object.values(ports)).size).to.equal(Object.keys(ports).length);
    expect(await refusal(requireFreePorts(ports, ["chain", "gateway", "dapp"]))).to.equal("accepted");
  });

  it("names the port, the program that has it and the setting to change", async () => {
    const ports = await freePorts();
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(ports.gateway, "127.0.0.1", resolve));
    try {
      const message = await refusal(requireFreePorts(ports, ["chain", "gateway"]));
      expect(message).to.contain(String(ports.gateway)).and.contain("NGPU_PORT_GATEWAY");
      if (process.platform === "linux") expect(message).to.contain(`process ${process.pid}`);
      expect(message.split("\n")).to.have.length(1);
    } finally {
      server.close();
    }
  });

  it("refuses one port for two parts, and accepts it where one of them is not started", async () => {
    const ports = { ...(await freePorts()), gateway: 45_001, dapp: 45_001 };
    expect(await refusal(requireFreePorts(ports, ["gateway", "dapp"]))).to.contain("NGPU_PORT_GATEWAY");
    expect(await refusal(requireFreePorts(ports, ["gateway"]))).to.equal("accepted");
  });

  it("takes each port from its setting and refuses what is none", () => {
    expect(readPorts({ NGPU_PORT_CHAIN: "9545" })).to.include({ chain: 9545, gateway: 8600, dapp: 3000 });
    expect(() => readPorts({ NGPU_PORT_DAPP: "http" }))
      .to.throw()
      .with.property("code", "SETTING_INVALID");
  });
});
