/** A gateway process that is asked to stop while a blob is on its way and peers are connected. */
import { expect } from "chai";
import { mkdtemp, rm } from "node:fs/promises";
import { request, type ClientRequest } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, describe, it } from "node:test";
import { encodeBlobAuthorization } from "@ngpu/protocol/blobAuthorization";
import { signMessage, type SigningContext } from "@ngpu/protocol/signed";
import { blobAction } from "@ngpu/protocol/typedData";
import { putBlob } from "../harness/blobs.ts";
import { startTestChain, type TestChain } from "../harness/chain.ts";
import { registerNode, type TestNode } from "../harness/nodes.ts";
import { connectPeer, openPeer, type Peer } from "../harness/peer.ts";
import { startServiceProcess, type ServiceProcess } from "../harness/serviceProcess.ts";
import { postTask, type TestTask } from "../harness/tasks.ts";
import { until } from "../harness/until.ts";

interface Upload {
  request: ClientRequest;
  /** Status of the answer; undefined when the connection was cut. */
  status: Promise<number | undefined>;
}

describe("gateway that drains", () => {
  let chain: TestChain;
  let node: TestNode;
  let context: SigningContext;
  let dataDir: string;
  let gateway: ServiceProcess;
  let url: string;

  before(async () => {
    chain = await startTestChain();
    node = await registerNode(chain);
    context = { chainId: chain.chainId, verifyingContract: chain.deployment.taskEscrow };
    dataDir = await mkdtemp(join(tmpdir(), "ngpu-gateway-drain-"));
  });
  after(async () => {
    await chain.close();
    await rm(dataDir, { recursive: true, force: true });
  });
  afterEach(async () => {
    gateway.signal("SIGKILL");
    await gateway.ended;
  });

  async function start(env: Record<string, string> = {}): Promise<void> {
    const where = { NGPU_RPC_URL: chain.rpcUrl, NGPU_GATEWAY_PORT: "0", NGPU_OPS_PORT: "0", NGPU_DATA_DIR: dataDir };
    gateway = await startServiceProcess({ bin: "keeper/bin/gateway.ts", env: { ...where, ...env } });
    url = String(gateway.ready.url);
  }

  const ask = async (path: string) => {
    const response = await fetch(`${String(gateway.ready.ops)}${path}`);
    return { status: response.status, ...((await response.json()) as { ok: boolean; draining?: boolean }) };
  };
  const node1 = (): Promise<Peer> =>
    connectPeer({ gatewayUrl: url, who: { role: "node", nodeId: node.nodeId }, signer: node.operator, context });

  /** Sends all but the last byte. */
  async function beginUpload({ taskId, inputCiphertext, sealedInput, clientKey }: TestTask): Promise<Upload> {
    const expiry = BigInt(Math.floor(Date.now() / 1_000) + 60);
    const message = { action: blobAction.write, taskId, blobHash: inputCiphertext, expiry };
    const access = await signMessage({ kind: "blobAccess", message, context, signer: clientKey });
    const upload = request(`${url}/v1/blobs/${taskId}/${inputCiphertext}`, {
      method: "PUT",
      headers: { authorization: encodeBlobAuthorization(access), "content-length": sealedInput.length },
    });
    const status = new Promise<number | undefined>((resolve) => {
      upload.on("response", (response) => resolve(response.resume().statusCode));
      upload.on("error", () => resolve(undefined));
    });
    upload.write(sealedInput.subarray(0, -1));
    await until("it arrives", async () => {
      const metrics = await (await fetch(`${String(gateway.ready.ops)}/metrics`)).text();
      return /^ngpu_gateway_stored_bytes\{.*\} ([1-9])/m.test(metrics);
    });
    return { request: upload, status };
  }

  it("lets what is on its way arrive, refuses what comes then, and sends its peers elsewhere", async () => {
    await start();
    const [task, later] = [await postTask(chain), await postTask(chain)];
    const peer = await node1();
    const stranger = openPeer(url);
    await stranger.next("challenge");
    await until("it is ready", async () => (await ask("/ready")).status === 200);
    const upload = await beginUpload(task);

    gateway.signal("SIGTERM");
    await until("it drains", async () => (await ask("/ready")).draining === true);
    expect(await ask("/ready")).to.include({ status: 503, ok: false });
    expect(await ask("/health")).to.include({ status: 200, ok: true, draining: true });
    expect((await stranger.next("error")).code).to.equal("GATEWAY_DRAINING");
    expect(await stranger.closed).to.equal(1001);
    const refused = await fetch(`${url}/v1/blobs/${later.taskId}/${later.inputCiphertext}`, { method: "PUT" });
    expect([refused.status, refused.headers.get("retry-after")]).to.deep.equal([503, "2"]);
    expect(((await refused.json()) as { code: string }).code).to.equal("GATEWAY_DRAINING");
    expect(await openPeer(url).closed).to.equal(1006);
    // Who is logged in is served until the last transfer has ended: a receipt may still be on its way.
    expect(peer.socket.readyState).to.equal(WebSocket.OPEN);

    upload.request.end(task.sealedInput.subarray(-1));
    expect(await upload.status).to.equal(201);
    expect(await peer.closed).to.equal(1001);
    expect(await gateway.ended).to.equal(0);

    await start();
    const { taskId, inputCiphertext: hash, sealedInput: body, clientKey: signer } = task;
    expect((await putBlob({ gatewayUrl: url, context, signer, taskId, hash, body })).status).to.equal(200);
  });

  it("cuts off what has not arrived in time, and keeps nothing of it", async () => {
    await start({ NGPU_DRAIN_S: "1" });
    const peer = await node1();
    const task = await postTask(chain);
    const upload = await beginUpload(task);
    gateway.signal("SIGTERM");
    expect(await gateway.ended).to.equal(0);
    expect(await upload.status).to.equal(undefined);
    expect(await peer.closed).to.equal(1001);
    await start();
    const { taskId, inputCiphertext: hash, sealedInput: body, clientKey: signer } = task;
    expect((await putBlob({ gatewayUrl: url, context, signer, taskId, hash, body })).status).to.equal(201);
  });
});
