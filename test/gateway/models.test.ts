/** Files of models that a node lacks, from a real gateway: over a coded link, over HTTP, broken off, wrong, or refused. */
import { createHash, randomBytes } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import { createModelParts, type ModelParts } from "@ngpu/keeper/gateway/modelParts";
import type { Gateway } from "@ngpu/keeper/gateway/gateway";
import { fetchModels } from "@ngpu/node-agent/agent/fetchModels";
import { authorize, type Blobs } from "@ngpu/protocol/blobExchange/blobs";
import { createHttpBlobs } from "@ngpu/protocol/blobExchange/httpBlobs";
import { catalogue } from "@ngpu/protocol/catalogue";
import { NgpuError } from "@ngpu/protocol/errors";
import { gatewayLimits } from "@ngpu/protocol/limits";
import type { FileSpec } from "@ngpu/protocol/manifest";
import { systemClock } from "@ngpu/protocol/service/clock";
import { createNodeBlobs } from "@ngpu/protocol/service/harq/nodeBlobs";
import { locateModel } from "@ngpu/protocol/service/modelFiles";
import { sha256OfFile } from "@ngpu/protocol/service/sha256OfFile";
import type { SigningContext } from "@ngpu/protocol/signed";
import { expect } from "chai";
import { keccak256, zeroHash, type Hex } from "viem";
import { generatePrivateKey, privateKeyToAccount, type PrivateKeyAccount } from "viem/accounts";
import { startTestChain, type TestChain } from "../harness/chain.ts";
import { codeRejectedBy } from "../harness/codeRejectedBy.ts";
import { registerNode } from "../harness/nodes.ts";
import { startTestGateway, testLog } from "../harness/services.ts";

const stranger = privateKeyToAccount(generatePrivateKey());
const modelId = keccak256("0x01");
const temporary = (): string => mkdtempSync(join(tmpdir(), "ngpu-test-models-"));
const sha256Of = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

/** A model of one file below `folder`, and its place in a catalogue. */
function aModel(folder: string, bytes: Uint8Array): { spec: FileSpec; catalogue: Parameters<typeof createModelParts>[0]["catalogue"] } {
  const spec = { name: "weights", file: "maker/weights.onnx", bytes: bytes.length, sha256: sha256Of(bytes) };
  mkdirSync(dirname(join(folder, spec.file)), { recursive: true });
  writeFileSync(join(folder, spec.file), bytes);
  return { spec, catalogue: [{ modelId, manifest: { graphs: [], assets: [spec] } }] };
}

describe("files of models at a gateway", () => {
  let chain: TestChain;
  let gateway: Gateway;
  let context: SigningContext;
  let operator: PrivateKeyAccount;
  let folder: string;

  before(async () => {
    chain = await startTestChain();
    context = { chainId: chain.chainId, verifyingContract: chain.deployment.taskEscrow };
    gateway = await startTestGateway(chain, { udp: { host: "127.0.0.1", port: 0 } });
    ({ operator } = await registerNode(chain));
  });
  after(async () => {
    await gateway.close();
    await chain.close();
  });
  beforeEach(() => (folder = temporary()));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const face = catalogue.find(({ manifest }) => manifest.adapter === "face.v1");
  const graph = face?.manifest.graphs[0];
  if (face === undefined || graph === undefined) throw new Error("the catalogue holds no face model");
  const { modelId: faceId, manifest } = face;
  const as = (signer: PrivateKeyAccount) => ({ gatewayUrl: gateway.url, context, signer, nowMs: Date.now });

  it("reach a node that lacks them whole and proved, over a coded link, and nothing of it over HTTP", async () => {
    const blobs = createNodeBlobs({ context });
    try {
      // The packages of this installation have every file: a name of its own is what is not there.
      const asNew = { ...graph, file: `elsewhere/${graph.file}` };
      const unknown = [{ modelId: faceId, manifest: { name: "face", graphs: [], assets: [asNew] } }];
      const given = { blobs: blobs.open(as(operator)), folder, folders: [], catalogue: unknown };
      await fetchModels({ ...given, clock: systemClock, log: testLog, signal: AbortSignal.timeout(20_000) });
      expect(await sha256OfFile(join(folder, asNew.file))).to.equal(graph.sha256);
      expect(blobs.counts()).to.include({ http: 0 });
      expect(existsSync(join(folder, `${asNew.file}.part`))).to.equal(false);
    } finally {
      blobs.close();
    }
  });

  it("are given in parts, over HTTP by range, to operators of nodes alone", async () => {
    const file = { modelId: faceId, sha256: `0x${graph.sha256}` as Hex };
    const whole = new Uint8Array(readFileSync(locateModel(manifest)[graph.name] ?? ""));
    const blobs = createHttpBlobs(as(operator));
    const tail = await blobs.part({ ...file, offset: whole.length - 5 });
    expect([...tail]).to.deep.equal([...whole.slice(-5)]);
    expect((await blobs.part({ ...file, offset: whole.length })).length).to.equal(0);
    expect((await blobs.part({ ...file, offset: 2 ** 40 })).length).to.equal(0);
    expect(await codeRejectedBy(blobs.part({ ...file, sha256: zeroHash, offset: 0 }))).to.equal("BLOB_UNKNOWN");
    expect(await codeRejectedBy(blobs.part({ ...file, modelId: zeroHash, offset: 0 }))).to.equal("BLOB_UNKNOWN");
    expect(await codeRejectedBy(createHttpBlobs(as(stranger)).part({ ...file, offset: 0 }))).to.equal("AUTH_FORBIDDEN");
    const authorization = await authorize(as(operator), { taskId: faceId, hash: file.sha256 }, "read");
    const url = `${gateway.url}/v1/models/${faceId}/${file.sha256}`;
    const { status, headers } = await fetch(url, { headers: { authorization, range: "bytes=7-" } });
    const end = Math.min(whole.length, 7 + gatewayLimits.maxPartBytes) - 1;
    expect([status, headers.get("content-range")]).to.deep.equal([206, `bytes 7-${end}/${whole.length}`]);
    expect((await fetch(url)).status, "without a signature").to.equal(401);
  });

  it("are not given where what lies there is not what the manifest names", async () => {
    const bytes = new Uint8Array(randomBytes(1_000));
    const { spec, catalogue: of } = aModel(folder, bytes);
    const parts = (): ModelParts =>
      createModelParts({ authority: { nodeOfOperator: async () => 1 }, context, clock: systemClock, folders: [folder], catalogue: of });
    const authorization = await authorize(as(operator), { taskId: modelId, hash: `0x${spec.sha256}` }, "read");
    const ask = { modelId, sha256: `0x${spec.sha256}` as Hex, offset: 990, authorization };
    const found = await parts().part(ask);
    expect([...found.bytes]).to.deep.equal([...bytes.slice(990)]);
    expect(found.fileBytes).to.equal(1_000);
    writeFileSync(join(folder, spec.file), bytes.with(3, (bytes[3] ?? 0) ^ 1));
    const wrong = parts();
    expect(await codeRejectedBy(wrong.part(ask))).to.equal("BLOB_UNKNOWN");
    writeFileSync(join(folder, spec.file), bytes);
    expect((await wrong.part(ask)).bytes.length, "once it is right").to.equal(10);
  });
});

describe("a node that lacks a model's file", () => {
  const bytes = new Uint8Array(randomBytes(10_000));
  let folder: string;
  let asked: number[];
  let give: (offset: number) => Uint8Array | Promise<Uint8Array>;
  beforeEach(() => {
    folder = temporary();
    asked = [];
    give = (offset) => bytes.slice(offset, offset + 3_000);
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const spec: FileSpec = { name: "weights", file: "maker/weights.onnx", bytes: bytes.length, sha256: sha256Of(bytes) };
  const path = (): string => join(folder, spec.file);
  const blobs: Pick<Blobs, "part"> = {
    async part({ offset }) {
      asked.push(offset);
      return give(offset);
    },
  };
  const run = (change: Partial<FileSpec> = {}) =>
    fetchModels({
      ...{ blobs, folder, folders: [], clock: systemClock, log: testLog, signal: AbortSignal.timeout(10_000) },
      catalogue: [{ modelId, manifest: { name: "model", graphs: [], assets: [{ ...spec, ...change }] } }],
    });

  it("puts parts together, and goes on after a crash where it was", async () => {
    give = (offset) => {
      if (offset === 6_000) throw new NgpuError("AUTH_FORBIDDEN");
      return bytes.slice(offset, offset + 3_000);
    };
    await run();
    expect([existsSync(path()), statSync(`${path()}.part`).size]).to.deep.equal([false, 6_000]);
    give = (offset) => bytes.slice(offset, offset + 3_000);
    await run();
    expect(asked).to.deep.equal([0, 3_000, 6_000, 6_000, 9_000]);
    expect(new Uint8Array(readFileSync(path()))).to.deep.equal(bytes);
    await run();
    expect(asked.length, "what is there is not fetched").to.equal(5);
  });

  it("asks again while the gateway is away for a moment", async () => {
    let tries = 0;
    give = (offset) => {
      if (++tries === 2) throw new NgpuError("GATEWAY_UNREACHABLE");
      return bytes.slice(offset, offset + 3_000);
    };
    await run();
    expect(new Uint8Array(readFileSync(path()))).to.deep.equal(bytes);
  });

  it("keeps nothing that is not what the manifest names, however much comes", async () => {
    give = (offset) => bytes.slice(offset, offset + 3_000).map((byte) => byte ^ 1);
    await run();
    expect([existsSync(path()), existsSync(`${path()}.part`)]).to.deep.equal([false, false]);
    give = () => new Uint8Array(10_001);
    await run();
    expect([existsSync(path()), existsSync(`${path()}.part`)], "more than the file has").to.deep.equal([false, false]);
    give = () => new Uint8Array();
    await run();
    expect(existsSync(path()), "a gateway that has nothing").to.equal(false);
  });

  it("writes nowhere but below its folder", async () => {
    await run({ file: "../escaped.onnx" });
    expect([asked, existsSync(join(folder, "../escaped.onnx"))]).to.deep.equal([[], false]);
  });
});
