/** The agent as a process: what it says when its settings cannot work, and that it ends by itself. */
import { spawn } from "node:child_process";
import { createServer } from "node:http";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { deploymentOf } from "@ngpu/protocol/deployment";
import { recoverSigner } from "@ngpu/protocol/signed";
import { expect } from "chai";
import { encodeFunctionResult, isAddressEqual, type Hex } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { nodeRegistryAbi } from "@ngpu/protocol/generated/abi/nodeRegistry";
import { divisionModel, endlessModel, modelAround } from "./support/hostileModels.ts";

const bin = join(import.meta.dirname, "../../node-agent/bin/agent.ts");
/** The same with a longer catalogue. */
const carelessBin = join(import.meta.dirname, "../e2e/support/badInputsAgent.ts");
const dataDir = mkdtempSync(join(tmpdir(), "ngpu-test-agent-"));
const owner = privateKeyToAccount(generatePrivateKey()).address;
const operatorKey = generatePrivateKey();

/** A chain that knows no nodes: enough for an agent that has not been registered. */
const chain = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const call = JSON.parse(Buffer.concat(chunks).toString()) as { id: number; method: string };
    const nobody = encodeFunctionResult({ abi: nodeRegistryAbi, functionName: "nodeOfOperator", result: 0 });
    const block = { number: "0x1", timestamp: "0x6b49d200", transactions: [] };
    const results: Record<string, unknown> = {
      eth_chainId: "0x7a69",
      eth_call: nobody,
      eth_getBlockByNumber: block,
      eth_blockNumber: "0x1",
    };
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ jsonrpc: "2.0", id: call.id, result: results[call.method] ?? null }));
  });
});

const run = (env: Record<string, string>, program = bin) => {
  const rpcUrl = `http://127.0.0.1:${(chain.address() as AddressInfo).port}`;
  const base = {
    PATH: process.env.PATH ?? "",
    NGPU_RPC_URL: rpcUrl,
    NGPU_OPERATOR_KEY: operatorKey,
    NGPU_OWNER: owner,
    NGPU_DATA_DIR: dataDir,
  };
  const agent = spawn(process.execPath, [program], {
    env: { ...base, NGPU_GATEWAY_URL: "http://127.0.0.1:9", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = once(agent, "exit").then(([code, signal]) => (code ?? signal) as number | string);
  let said = "";
  let ready = "";
  agent.stderr.on("data", (chunk: Buffer) => (said += chunk.toString()));
  const isReady = new Promise<string>((resolve) => {
    agent.stdout.on("data", (chunk: Buffer) => {
      ready += chunk.toString();
      if (ready.includes("\n")) resolve(ready);
    });
    void ended.then(() => resolve(ready));
  });
  return { agent, ended, isReady, said: () => said };
};

describe("agent process", () => {
  before(async () => {
    chain.listen(0, "127.0.0.1");
    await once(chain, "listening");
  });
  after(() => {
    chain.close();
    chain.closeAllConnections();
    rmSync(dataDir, { recursive: true, force: true });
  });

  it("prints a registration code that the owner can use, and ends within 3 s of SIGTERM", async () => {
    const { agent, ended, isReady, said } = run({});
    const line = await isReady;
    expect(line.startsWith("READY "), said()).to.equal(true);
    const { operator, nodeId, registration } = JSON.parse(line.slice("READY ".length)) as {
      operator: string;
      nodeId: null;
      registration: string;
    };
    expect([operator, nodeId]).to.deep.equal([privateKeyToAccount(operatorKey).address, null]);
    const code = JSON.parse(Buffer.from(registration, "base64url").toString()) as {
      owner: Hex;
      operator: Hex;
      registry: Hex;
      chainId: number;
      classId: number;
      expiry: number;
      signature: Hex;
    };
    expect(isAddressEqual(code.owner, owner)).to.equal(true);
    expect([code.chainId, code.classId, code.registry]).to.deep.equal([31_337, 0, deploymentOf(31_337).nodeRegistry]);
    const signed = {
      message: { owner: code.owner, operator: code.operator, expiry: BigInt(code.expiry) },
      signature: code.signature,
    };
    const context = { chainId: 31_337, verifyingContract: code.registry };
    expect(await recoverSigner({ kind: "operatorBinding", signed, context })).to.equal(operator);
    const startedMs = performance.now();
    agent.kill("SIGTERM");
    expect(await ended).to.equal(0);
    expect(performance.now() - startedMs).to.be.lessThan(3_000);
    expect(said()).to.not.include(operatorKey.slice(2));
  });

  it(
    "exits 78 and names what to install when its execution provider is missing",
    { skip: process.platform !== "linux" },
    async () => {
      const { ended, said } = run({ NGPU_EXECUTION_PROVIDER: "dml" });
      expect(await ended).to.equal(78);
      expect(said()).to.include("PROVIDER_MISSING").and.to.include("needs=Windows 10");
    },
  );

  it("executes on the CPU instead only when that was asked for", { skip: process.platform !== "linux" }, async () => {
    const { agent, ended, isReady, said } = run({
      NGPU_EXECUTION_PROVIDER: "dml",
      NGPU_EXECUTION_PROVIDER_FALLBACK: "cpu",
    });
    expect((await isReady).startsWith("READY "), said()).to.equal(true);
    expect(said()).to.include("executing on the CPU instead");
    agent.kill("SIGTERM");
    expect(await ended).to.equal(0);
  });

  it("serves the rest when one model kills its runner while it is tried and another one's file is missing", async () => {
    const folder = join(dataDir, "models");
    const deadly = modelAround(divisionModel(), { folder, name: "deadly" });
    const missing = modelAround(endlessModel(), { folder, name: "missing" });
    rmSync(missing.paths.detection ?? "");
    const listFile = join(folder, "models.json");
    writeFileSync(listFile, JSON.stringify([deadly, missing].map(({ modelId, manifest }) => ({ modelId, manifest }))));
    const env = { NGPU_TEST_MODELS: listFile, NGPU_MODEL_DIR: folder, NGPU_OPS_PORT: "0" };
    const { agent, ended, isReady, said } = run(env, carelessBin);
    const line = await isReady;
    expect(line.startsWith("READY "), said()).to.equal(true);
    const { ops } = JSON.parse(line.slice("READY ".length)) as { ops: string };
    const { notices } = (await (await fetch(`${ops}/ready`)).json()) as { notices: string[] };
    for (const [{ modelId }, code] of [
      [deadly, "RUNNER_CRASHED"],
      [missing, "MODEL_MISMATCH"],
    ] as const) {
      expect(notices.filter((notice) => notice.includes(modelId) && notice.includes(code))).to.have.length(1);
      const logged = said().split("\n").filter((entry) => entry.includes(modelId) && entry.includes(code));
      expect(logged.join()).to.include("model not served until the agent is started again");
    }
    expect(notices).to.have.length(2);
    agent.kill("SIGTERM");
    expect(await ended).to.equal(0);
  });

  const wrong: [string, Record<string, string>, string][] = [
    ["an unknown provider", { NGPU_EXECUTION_PROVIDER: "abacus" }, "NGPU_EXECUTION_PROVIDER"],
    ["no slots", { NGPU_SLOTS: "0" }, "NGPU_SLOTS"],
    ["a short key", { NGPU_OPERATOR_KEY: "0x12" }, "NGPU_OPERATOR_KEY"],
    ["no owner", { NGPU_OWNER: "" }, "NGPU_OWNER"],
    ["another chain", { NGPU_CHAIN_ID: "1" }, "CHAIN_WRONG"],
  ];
  for (const [name, env, named] of wrong) {
    it(`exits 78 and names the setting for ${name}`, async () => {
      const { ended, said } = run(env);
      expect(await ended).to.equal(78);
      expect(said()).to.include(named);
      expect(said()).to.not.include(operatorKey.slice(2));
    });
  }
});
