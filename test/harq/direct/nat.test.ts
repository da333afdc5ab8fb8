/** Two homes behind real routers and a gateway between them, in network namespaces; skipped where these cannot be made. */
import { expect } from "chai";
import { describe, it } from "node:test";
import { createNatNetwork, whyNoNat, type RouterKind } from "./support/nat/natNetwork.ts";

const skip = whyNoNat() ?? false;
const file = (name: string): URL => new URL(`./support/nat/${name}.ts`, import.meta.url);
const megabyte = 1_000_000;

async function meetBehind(routers: Record<"client" | "node", RouterKind>) {
  const network = createNatNetwork(routers);
  try {
    const gateway = network.run("gateway", file("gatewayProcess"));
    const task = await gateway.next();
    await network.run("node", file("nodeProcess"), task).next();
    const met = (await network.run("client", file("clientProcess"), task).next()) as object;
    gateway.say("relayed");
    return { ...met, ...((await gateway.next()) as object) } as Record<string, unknown>;
  } finally {
    await network.close();
  }
}

describe("direct links behind routers", { skip, timeout: 120_000 }, () => {
  it("go straight through two routers that keep ports", async () => {
    const met = await meetBehind({ client: "keeps", node: "keeps" });
    expect(met).to.include({ opened: true, isOpen: true, answer: "stored" });
    expect(met.openedMs).to.be.lessThan(2_000);
    expect(met.relayedBytes).to.be.lessThan(megabyte / 10);
  });

  for (const scattering of ["client", "node"] as const) {
    it(`stay on the relay, whole, where the router of the ${scattering} scatters ports`, async () => {
      const met = await meetBehind({ client: "keeps", node: "keeps", [scattering]: "scatters" });
      expect(met).to.include({ opened: false, isOpen: false, answer: "stored" });
      expect(met.relayedBytes).to.be.greaterThan(megabyte);
    });
  }
});
