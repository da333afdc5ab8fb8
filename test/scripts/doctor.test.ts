/** The doctor says what is there and what is not, and its exit code tells scripts. */
import { spawn } from "node:child_process";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, it } from "node:test";
import { expect } from "chai";
import type { Finding } from "../../scripts/doctor/finding.ts";
import { paths } from "../../scripts/stack/paths.ts";
import { freePorts } from "../../scripts/stack/ports.ts";

async function doctor(env: Record<string, string>): Promise<{ code: number | null; findings: Finding[] }> {
  const script = join(paths.root, "scripts/targets/doctor.ts");
  const child = spawn(process.execPath, [script, "--json"], { env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  return { code, findings: JSON.parse(output) as Finding[] };
}

/** Settings that put every port of the stack where nobody listens. */
async function quietPorts(): Promise<Record<string, string>> {
  const { chain, gateway, dapp, graphHttp, graphAdmin, graphIndex, graphMetrics, postgres, ipfs } = await freePorts();
  const ports = {
    NGPU_PORT_CHAIN: chain,
    NGPU_PORT_GATEWAY: gateway,
    NGPU_PORT_DAPP: dapp,
    NGPU_PORT_GRAPH_HTTP: graphHttp,
    NGPU_PORT_GRAPH_ADMIN: graphAdmin,
    NGPU_PORT_GRAPH_INDEX: graphIndex,
    NGPU_PORT_GRAPH_METRICS: graphMetrics,
    NGPU_PORT_POSTGRES: postgres,
    NGPU_PORT_IPFS: ipfs,
  };
  return Object.fromEntries(Object.entries(ports).map(([name, port]) => [name, String(port)]));
}

describe("doctor", () => {
  it("finds a machine that passes the tests fit, models and provider included", async () => {
    const { code, findings } = await doctor(await quietPorts());
    expect(findings.filter(({ verdict }) => verdict === "broken")).to.deep.equal([]);
    expect(code).to.equal(0);
    const names = findings.map(({ name }) => name);
    expect(names).to.include.members(["Node", "disk", "graph-node", "model pp-ocr-v4", "model blazeface-back", "execution provider cpu"]);
  });

  it("names the port that is taken and the setting that moves it, and an execution provider that is missing", async () => {
    const holder = createServer();
    await new Promise<void>((resolve) => holder.listen({ port: 0, host: "127.0.0.1" }, resolve));
    const { port } = holder.address() as AddressInfo;
    const env = { ...(await quietPorts()), NGPU_PORT_GATEWAY: String(port), NGPU_EXECUTION_PROVIDER: "coreml" };
    const { code, findings } = await doctor(env);
    holder.close();
    expect(code).to.equal(1);
    const broken = findings.filter(({ verdict }) => verdict === "broken");
    expect(broken.map(({ name }) => name)).to.deep.equal([`port ${port} (gateway)`, "execution provider coreml"]);
    expect(broken[0]?.remedy).to.contain("NGPU_PORT_GATEWAY");
    expect(broken[1]?.remedy).to.contain("macOS");
  });
});
