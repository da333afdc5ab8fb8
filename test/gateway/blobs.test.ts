/** Who may store and fetch what at the gateway, and what it does with bytes that are not as announced. */
import { createBlobStore } from "@ngpu/keeper/gateway/blobStore";
import type { TaskFacts } from "@ngpu/keeper/chain/taskFacts";
import type { Gateway } from "@ngpu/keeper/gateway/gateway";
import { createOutputKeeping } from "@ngpu/keeper/gateway/outputKeeping";
import { gatewayLimits } from "@ngpu/protocol/limits";
import { encodeBlobAuthorization } from "@ngpu/protocol/blobAuthorization";
import { taskEscrowAbi } from "@ngpu/protocol/generated/abi/taskEscrow";
import { signMessage, type SigningContext } from "@ngpu/protocol/signed";
import { blobAction } from "@ngpu/protocol/typedData";
import { expect } from "chai";
import { randomBytes } from "node:crypto";
import { readdirSync, readlinkSync } from "node:fs";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { keccak256, stringToBytes, zeroAddress, type Hex } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { answerOf, getBlob, headBlob, putBlob } from "../harness/blobs.ts";
import { startTestChain, type TestChain } from "../harness/chain.ts";
import { codeRejectedBy } from "../harness/codeRejectedBy.ts";
import { codeThrownBy } from "../harness/codeThrownBy.ts";
import { registerNode, type TestNode } from "../harness/nodes.ts";
import { startTestGateway } from "../harness/services.ts";
import { taskOf } from "../harness/taskOf.ts";
import { assignTask, postTask, type TestTask } from "../harness/tasks.ts";
import { until } from "../harness/until.ts";
import { aTask } from "../keeper/world.ts";

/** Files that this process, and so its gateways, has open. */
function openFiles(): string[] {
  return readdirSync("/proc/self/fd").flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/self/fd/${fd}`)];
    } catch {
      return [];
    }
  });
}

describe("gateway blobs", () => {
  let chain: TestChain;
  let gateway: Gateway & { dataDir: string };
  let primary: TestNode;
  let backup: TestNode;
  let stranger: TestNode;
  let context: SigningContext;
  let dataDir: string;

  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), "ngpu-blobs-"));
    chain = await startTestChain();
    context = { chainId: chain.chainId, verifyingContract: chain.deployment.taskEscrow };
    gateway = await startTestGateway(chain, { dataDir });
    [primary, backup, stranger] = [await registerNode(chain), await registerNode(chain), await registerNode(chain)];
  });

  after(async () => {
    await gateway.close();
    await chain.close();
    await rm(dataDir, { recursive: true, force: true });
  });

  function inputCall(task: TestTask) {
    const { taskId, inputCiphertext: hash, clientKey: signer } = task;
    return { gatewayUrl: gateway.url, context, signer, taskId, hash };
  }

  async function authorizedFor(task: TestTask, action: number): Promise<{ authorization: string }> {
    const expiry = BigInt(Math.floor(Date.now() / 1_000) + 60);
    const message = { action, taskId: task.taskId, blobHash: task.inputCiphertext, expiry };
    const access = await signMessage({ kind: "blobAccess", message, context, signer: task.clientKey });
    return { authorization: encodeBlobAuthorization(access) };
  }

  function outputCall(task: TestTask, node: TestNode, body: Uint8Array) {
    return {
      gatewayUrl: gateway.url,
      context,
      signer: node.operator,
      taskId: task.taskId,
      hash: keccak256(body),
      body,
    };
  }

  async function assignedTask(): Promise<TestTask> {
    const task = await postTask(chain);
    await assignTask(chain, { taskId: task.taskId, nodeIds: [primary.nodeId, backup.nodeId] });
    return task;
  }

  it("keeps the client's input and gives it to the client and the assigned nodes alone", async () => {
    const task = await postTask(chain);
    const call = inputCall(task);
    expect((await putBlob({ ...call, body: task.sealedInput })).status).to.equal(201);
    expect((await putBlob({ ...call, body: task.sealedInput })).status).to.equal(200);
    expect((await getBlob({ ...call, signer: primary.operator })).code).to.equal("AUTH_FORBIDDEN");
    await assignTask(chain, { taskId: task.taskId, nodeIds: [primary.nodeId, backup.nodeId] });
    for (const signer of [task.clientKey, primary.operator, backup.operator]) {
      expect((await getBlob({ ...call, signer })).bytes).to.deep.equal(task.sealedInput);
    }
    expect((await getBlob({ ...call, signer: stranger.operator })).code).to.equal("AUTH_FORBIDDEN");
  });

  it("takes an output from assigned nodes, two of each, and gives it to the client", async () => {
    const task = await assignedTask();
    const [first, second, third] = [stringToBytes("one"), stringToBytes("two"), stringToBytes("three")];
    expect((await putBlob(outputCall(task, primary, first))).status).to.equal(201);
    expect((await putBlob(outputCall(task, primary, second))).status).to.equal(201);
    expect(await putBlob(outputCall(task, primary, third))).to.include({ status: 429, code: "BLOB_LIMIT" });
    expect((await putBlob(outputCall(task, backup, third))).status).to.equal(201);
    const read = await getBlob({ ...inputCall(task), hash: keccak256(first) });
    expect(read.bytes).to.deep.equal(first);
  });

  it("tells a keeper whether a blob is here, but gives it none; a stranger is told nothing", async () => {
    const task = await assignedTask();
    const body = stringToBytes("sealed output");
    const output = outputCall(task, primary, body);
    const asKeeper = { ...output, signer: chain.account(1) };
    expect(await headBlob(asKeeper)).to.deep.equal({ status: 404, bytes: 0 });
    await putBlob(output);
    for (const signer of [chain.account(1), task.clientKey, backup.operator])
      expect(await headBlob({ ...output, signer })).to.deep.equal({ status: 200, bytes: body.length });
    expect((await getBlob(asKeeper)).code).to.equal("AUTH_FORBIDDEN");
    expect((await headBlob({ ...output, signer: stranger.operator })).status).to.equal(403);
  });

  it("refuses strangers", async () => {
    const task = await assignedTask();
    const someone = privateKeyToAccount(generatePrivateKey());
    const asInput = { ...inputCall(task), signer: someone, body: task.sealedInput };
    expect(await putBlob(asInput)).to.include({ status: 403, code: "AUTH_FORBIDDEN" });
    const asOutput = outputCall(task, stranger, stringToBytes("output"));
    expect(await putBlob(asOutput)).to.include({ status: 403, code: "AUTH_FORBIDDEN" });
    const clientAsNode = { ...outputCall(task, primary, stringToBytes("output")), signer: task.clientKey };
    expect(await putBlob(clientAsNode)).to.include({ status: 403, code: "AUTH_FORBIDDEN" });
  });

  it("refuses an authorization that is expired, too long, for another blob or for reading", async () => {
    const task = await postTask(chain);
    const call = { ...inputCall(task), body: task.sealedInput };
    const nowS = BigInt(Math.floor(Date.now() / 1_000));
    for (const expiry of [nowS - 60n, nowS + 3_600n]) {
      const answer = await putBlob({ ...call, change: (message) => ({ ...message, expiry }) });
      expect(answer).to.include({ status: 401, code: "AUTH_EXPIRED" });
    }
    const blobHash = keccak256("0x01");
    const elsewhere = await putBlob({ ...call, change: (message) => ({ ...message, blobHash }) });
    expect(elsewhere).to.include({ status: 403, code: "AUTH_FORBIDDEN" });
    const reading = await putBlob({ ...call, change: (message) => ({ ...message, action: 1 }) });
    expect(reading).to.include({ status: 403, code: "AUTH_FORBIDDEN" });
    const bare = await fetch(`${gateway.url}/v1/blobs/${task.taskId}/${task.inputCiphertext}`);
    expect(await answerOf(bare)).to.include({ status: 401, code: "AUTH_REQUIRED" });
  });

  it("refuses bytes that do not have the announced hash, and keeps nothing of them", async () => {
    const task = await postTask(chain);
    const wrong = { ...inputCall(task), body: stringToBytes("something else") };
    expect(await putBlob(wrong)).to.include({ status: 409, code: "BLOB_MISMATCH" });
    expect(await getBlob(inputCall(task))).to.include({ status: 404, code: "BLOB_UNKNOWN" });
    expect(await readdir(join(dataDir, "incoming"))).to.deep.equal([]);
  });

  it("lets no single post take up the places for uploads", async () => {
    const task = await postTask(chain);
    const stop = new AbortController();
    const { authorization } = await authorizedFor(task, blobAction.write);
    const hanging = Array.from({ length: 4 }, () =>
      fetch(`${gateway.url}/v1/blobs/${task.taskId}/${task.inputCiphertext}`, {
        method: "PUT",
        headers: { authorization },
        body: new ReadableStream({ start: (stream) => stream.enqueue(task.sealedInput.subarray(0, 1)) }),
        duplex: "half",
        signal: stop.signal,
      } as RequestInit).then(answerOf),
    );
    hanging.forEach((answer) => answer.catch(() => undefined));
    expect((await Promise.any(hanging)).code).to.equal("STORE_FULL");
    stop.abort();
    await until("the places are free again", async () => {
      const { status } = await putBlob({ ...inputCall(task), body: task.sealedInput });
      return status === 201;
    });
  });

  it("ends a download that nobody reads", { skip: process.platform !== "linux" }, async () => {
    const task = await postTask(chain, { sealedInput: randomBytes(16 * 1024 * 1024) });
    expect((await putBlob({ ...inputCall(task), body: task.sealedInput })).status).to.equal(201);
    await gateway.close();
    const impatient = await startTestGateway(chain, { dataDir, httpIdleMs: 300 });
    try {
      const { authorization } = await authorizedFor(task, blobAction.read);
      const { hostname, port } = new URL(impatient.url);
      const socket = connect(Number(port), hostname);
      socket.pause();
      const path = `/v1/blobs/${task.taskId}/${task.inputCiphertext}`;
      socket.write(`GET ${path} HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: ${authorization}\r\n\r\n`);
      const isHeld = (): boolean => openFiles().some((file) => file.includes(task.inputCiphertext));
      await until("the download has begun", isHeld);
      await until("the file is closed", () => !isHeld());
      socket.destroy();
    } finally {
      await impatient.close();
      gateway = await startTestGateway(chain, { dataDir });
    }
  });

  it("takes no input for a task that is over", async () => {
    const task = await postTask(chain);
    const cancelled = await chain.write({
      account: chain.account(2),
      address: chain.deployment.taskEscrow,
      abi: taskEscrowAbi,
      functionName: "cancel",
      args: [task.taskId, (await taskOf(chain, task.taskId)).terms],
    });
    await until("the gateway knows that it is over", async () => {
      const { block } = (await (await fetch(`${gateway.url}/v1/health`)).json()) as { block: number };
      return BigInt(block) >= cancelled.blockNumber;
    });
    expect((await putBlob({ ...inputCall(task), body: task.sealedInput })).code).to.equal("AUTH_FORBIDDEN");
  });

  it("refuses a blob above 32 MiB, said or not", async () => {
    const task = await postTask(chain);
    const body = new Uint8Array(gatewayLimits.maxBlobBytes + 1);
    expect(await putBlob({ ...inputCall(task), body })).to.include({ status: 413, code: "BLOB_TOO_LARGE" });
  });

  it("tells whoever sends all of 100 MB why it takes none of it, however the size is said", async () => {
    const task = await postTask(chain);
    const body = new Uint8Array(100_000_000);
    const { authorization } = await authorizedFor(task, blobAction.write);
    for (let round = 0; round < 2; round += 1) {
      expect(await putBlob({ ...inputCall(task), body })).to.include({ status: 413, code: "BLOB_TOO_LARGE" });
      const streamed = await fetch(`${gateway.url}/v1/blobs/${task.taskId}/${task.inputCiphertext}`, {
        method: "PUT",
        headers: { authorization },
        body: new Blob([body]).stream(),
        duplex: "half",
      } as RequestInit);
      expect(await answerOf(streamed)).to.include({ status: 413, code: "BLOB_TOO_LARGE" });
    }
  });

  it("ends the connection of one who is refused and goes on sending", async () => {
    const task = await postTask(chain);
    const { authorization } = await authorizedFor(task, blobAction.write);
    const { hostname, port } = new URL(gateway.url);
    const socket = connect(Number(port), hostname);
    const ended = new Promise<void>((resolve) => socket.once("close", () => resolve()));
    let answer = "";
    socket.on("data", (chunk: Buffer) => (answer += chunk.toString()));
    socket.on("error", () => undefined);
    const path = `/v1/blobs/${task.taskId}/${task.inputCiphertext}`;
    socket.write(`PUT ${path} HTTP/1.1\r\nhost: ${hostname}\r\ncontent-length: 900000000\r\n`);
    socket.write(`authorization: ${authorization}\r\n\r\n`);
    const chunk = new Uint8Array(1024 * 1024);
    const sending = setInterval(() => socket.writableNeedDrain || socket.write(chunk), 5);
    try {
      await ended;
      expect(answer).to.match(/^HTTP\/1\.1 413 /).and.to.contain("BLOB_TOO_LARGE");
      expect(socket.bytesWritten).to.be.below(64 * 1024 * 1024);
    } finally {
      clearInterval(sending);
      socket.destroy();
    }
  });

  it("says who is not allowed to ask from a browser", async () => {
    const health = `${gateway.url}/v1/health`;
    const allowed = await fetch(health, { headers: { origin: "http://localhost:3000" } });
    expect(allowed.headers.get("access-control-allow-origin")).to.equal("http://localhost:3000");
    const refused = await fetch(health, { headers: { origin: "http://evil.example" } });
    expect(refused.headers.get("access-control-allow-origin")).to.equal(null);
    expect(await answerOf(refused)).to.include({ status: 403, code: "AUTH_FORBIDDEN" });
    expect(await answerOf(await fetch(`${gateway.url}/v2/x`))).to.include({ status: 404, code: "ROUTE_UNKNOWN" });
  });

  it("still has its blobs after a restart", async () => {
    const task = await postTask(chain);
    await putBlob({ ...inputCall(task), body: task.sealedInput });
    await writeFile(join(dataDir, "incoming", "half"), "half a transfer");
    await gateway.close();
    gateway = await startTestGateway(chain, { dataDir });
    expect((await getBlob(inputCall(task))).bytes).to.deep.equal(task.sealedInput);
    expect(await readdir(join(dataDir, "incoming"))).to.deep.equal([]);
  });
});

describe("blob store", () => {
  let root: string;
  const taskId = keccak256("0x01");
  const randomName = (): string => randomBytes(8).toString("hex");

  before(async () => {
    root = await mkdtemp(join(tmpdir(), "ngpu-store-"));
  });

  after(() => rm(root, { recursive: true, force: true }));

  async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
    yield bytes;
  }

  function input(of: Hex, body: Uint8Array) {
    return { taskId: of, hash: keccak256(body), label: { kind: "input" }, deadlineS: 1_000, body: once(body) } as const;
  }

  it("refuses above its quota and forgets what was refused", async () => {
    const store = await createBlobStore({ root: join(root, "quota"), storeBytes: 1_000, randomName });
    await store.put(input(taskId, new Uint8Array(600)));
    const second = keccak256("0x02");
    expect(await codeRejectedBy(store.put(input(second, new Uint8Array(401))))).to.equal("STORE_FULL");
    expect(store.usedBytes()).to.equal(600);
    await store.put(input(second, new Uint8Array(400)));
    expect(store.usedBytes()).to.equal(1_000);
  });

  it("forgets a task's blobs a day after its deadline", async () => {
    const store = await createBlobStore({ root: join(root, "sweep"), randomName });
    const body = stringToBytes("input");
    await store.put(input(taskId, body));
    await store.sweep(1_000 + gatewayLimits.keepAfterDeadlineS - 1);
    expect(store.get(taskId, keccak256(body)).bytes).to.equal(body.length);
    await store.sweep(1_000 + gatewayLimits.keepAfterDeadlineS);
    expect(codeThrownBy(() => store.get(taskId, keccak256(body)))).to.equal("BLOB_UNKNOWN");
    expect(await readdir(join(root, "sweep", "tasks"))).to.deep.equal([]);
    expect(store.usedBytes()).to.equal(0);
  });

  it("keeps an output while it may be demanded and answered for, and a demanded one a day longer", async () => {
    const folder = join(root, "windows");
    const store = await createBlobStore({ root: folder, randomName });
    const body = stringToBytes("output");
    const late = 1_000 + gatewayLimits.keepAfterDeadlineS;
    await store.put(input(taskId, body));
    const keeping = createOutputKeeping({ store, windows: { totalS: async () => 90, forget: () => undefined } });
    const { terms, ...facts } = { ...aTask(), inputCiphertext: keccak256(body), clientKey: zeroAddress };
    const settled: TaskFacts = { ...facts, terms, taskId, ended: { how: "settled" } };
    keeping.taskChanged(settled, late);
    await keeping.apply();
    await store.sweep(late + 89);
    expect(store.get(taskId, keccak256(body)).bytes).to.equal(body.length);

    keeping.taskChanged({ ...settled, demand: { answerableUntilS: late + 90, attestedBy: [] } }, late + 30);
    await keeping.apply();
    const endS = late + 90 + gatewayLimits.keepAfterDeadlineS;
    const restarted = await createBlobStore({ root: folder, randomName });
    await restarted.sweep(endS - 1);
    expect(restarted.get(taskId, keccak256(body)).bytes).to.equal(body.length);
    await restarted.sweep(endS);
    expect(codeThrownBy(() => restarted.get(taskId, keccak256(body)))).to.equal("BLOB_UNKNOWN");
  });

  it("drops the outputs of an older assignment when a newer one delivers", async () => {
    const store = await createBlobStore({ root: join(root, "assignments"), randomName });
    const output = (assignment: number, text: string) => {
      const body = stringToBytes(text);
      const label = { kind: "output", nodeId: 1, assignment } as const;
      return { taskId, hash: keccak256(body), label, deadlineS: 1_000, body: once(body) };
    };
    await store.put(output(1, "old"));
    await store.put(output(2, "new"));
    expect(codeThrownBy(() => store.get(taskId, keccak256(stringToBytes("old"))))).to.equal("BLOB_UNKNOWN");
    expect(store.get(taskId, keccak256(stringToBytes("new"))).bytes).to.equal(3);
  });

  it("keeps nothing of a transfer that breaks off", async () => {
    const store = await createBlobStore({ root: join(root, "broken"), randomName });
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield stringToBytes("half");
      throw new Error("the sender went away");
    }
    const blob = { ...input(taskId, stringToBytes("half and half")), body: broken() };
    await store.put(blob).then(
      () => expect.fail("stored half a blob"),
      () => undefined,
    );
    expect(store.usedBytes()).to.equal(0);
    expect(await readdir(join(root, "broken", "incoming"))).to.deep.equal([]);
  });
});
