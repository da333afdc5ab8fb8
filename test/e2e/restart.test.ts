/** A starter that is killed, asked to stop, or in the way of another one. */
import { spawn, type ChildProcess } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { deployments } from "@ngpu/protocol/generated/deployments";
import { nodeRegistryAbi } from "@ngpu/protocol/generated/abi/nodeRegistry";
import { expect } from "chai";
import { localClient } from "../../scripts/stack/chain.ts";
import { freePorts, type StackPorts } from "../../scripts/stack/ports.ts";
import { identityOf } from "../../scripts/stack/process/identity.ts";
import { endLeftovers } from "../../scripts/stack/process/record.ts";
import { createProgress } from "../../scripts/stack/progress.ts";
import { temporaryFolder } from "../../scripts/stack/temporaryFolder.ts";
import type { StackUrls } from "../../scripts/stack/urls.ts";
import { until } from "./support/until.ts";

const program = join(import.meta.dirname, "support/lineStarter.ts");
const upWithinMs = 90_000;
const stopWithinMs = 8_000;

interface Starter {
  child: ChildProcess;
  output: { stdout: string; stderr: string };
  exit: Promise<number | null>;
}

interface Up {
  urls: StackUrls;
  pids: Record<string, number>;
}

describe("start after start", () => {
  let dataDir: string;
  let ports: StackPorts;
  const starters: Starter[] = [];
  beforeEach(async () => {
    dataDir = temporaryFolder("restart");
    ports = await freePorts();
  });
  afterEach(async () => {
    for (const { child, exit } of starters.splice(0)) {
      child.kill("SIGKILL");
      await exit;
    }
    await endLeftovers(createProgress({ write: () => undefined }));
    rmSync(dataDir, { recursive: true, force: true });
  });

  const start = (): Starter => {
    const child = spawn(process.execPath, [program, dataDir, JSON.stringify(ports)], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    const output = { stdout: "", stderr: "" };
    child.stdout.on("data", (chunk: Buffer) => (output.stdout += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => (output.stderr += chunk.toString()));
    const starter = { child, output, exit: new Promise<number | null>((resolve) => child.once("close", resolve)) };
    starters.push(starter);
    return starter;
  };
  const up = ({ output, child }: Starter): Promise<Up> =>
    until("the line is up", upWithinMs, () => {
      if (child.exitCode !== null) throw new Error(`the starter ended with code ${child.exitCode}:\n${output.stderr}`);
      return output.stdout.includes("\n") ? (JSON.parse(output.stdout) as Up) : undefined;
    });
  const nodeCount = ({ urls }: Up): Promise<number> =>
    localClient(urls.rpc).readContract({
      address: deployments[31337].nodeRegistry,
      abi: nodeRegistryAbi,
      functionName: "nodeCount",
    });
  const livingOf = ({ pids }: Up, starter: Starter): string[] =>
    Object.entries(pids)
      .filter(([, pid]) => pid !== starter.child.pid && identityOf(pid))
      .map(([name]) => name);

  it("comes up on the same ports with a new chain after its predecessor was killed with -9", async () => {
    const first = start();
    const before = await up(first);
    expect(await nodeCount(before)).to.equal(1);
    first.child.kill("SIGKILL");
    await first.exit;

    const second = start();
    const after = await up(second);
    expect(second.output.stderr).to.contain(`process ${first.child.pid}`);
    expect(livingOf(before, first)).to.deep.equal([]);
    // One agent each: a chain that had survived would count two.
    expect(await nodeCount(after)).to.equal(1);
  });

  it("ends everything in time when it is asked to, and once more while it starts", async () => {
    const first = start();
    const running = await up(first);
    const askedAt = performance.now();
    first.child.kill("SIGINT");
    await first.exit;
    expect(performance.now() - askedAt).to.be.below(stopWithinMs);
    expect(livingOf(running, first)).to.deep.equal([]);

    const second = start();
    await until(
      "the chain of the second has started",
      upWithinMs,
      () => second.output.stderr.includes("✓ chain") || undefined,
    );
    const againAt = performance.now();
    second.child.kill("SIGTERM");
    await second.exit;
    expect(performance.now() - againAt).to.be.below(stopWithinMs);
    // Nothing holds the ports, so the next one comes up.
    const third = start();
    await up(third);
  });

  it("refuses in one line while another one has a port, and leaves that one alone", async () => {
    const first = start();
    const running = await up(first);
    const second = start();
    expect(await second.exit).to.equal(1);
    const refusal = second.output.stderr.split("\n").filter((line) => line.startsWith("✗"));
    expect(refusal).to.have.length(1);
    expect(refusal[0]).to.contain(String(ports.chain)).and.contain("NGPU_PORT_CHAIN");
    expect(await nodeCount(running)).to.equal(1);
  });
});
