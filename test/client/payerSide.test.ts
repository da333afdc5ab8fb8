/**
 * What a payer's client makes of gateways and RPCs that fail halfway: no key to the wrong hands, no paid result lost.
 */
import { randomBytes } from "node:crypto";
import { createServer, type RequestListener, type Server } from "node:http";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import { followTask, type TaskEvent } from "@ngpu/client/followTask";
import { taskBlobs } from "@ngpu/client/taskBlobs";
import { runTask } from "@ngpu/client/runTask";
import type { TaskSecrets } from "@ngpu/client/taskSecrets";
import type { Gateway } from "@ngpu/keeper/gateway/gateway";
import { catalogue } from "@ngpu/protocol/catalogue";
import { localUsdAbi } from "@ngpu/protocol/generated/abi/localUsd";
import { nodeRegistryAbi } from "@ngpu/protocol/generated/abi/nodeRegistry";
import { gatewayLimits } from "@ngpu/protocol/limits";
import { encodePayload } from "@ngpu/protocol/sealed/payload";
import { seal } from "@ngpu/protocol/sealed/seal";
import { chainOf } from "@ngpu/protocol/service/chain";
import { signMessage, type SigningContext } from "@ngpu/protocol/signed";
import { expect } from "chai";
import {
  createPublicClient,
  createWalletClient,
  custom,
  hexToBytes,
  http,
  keccak256,
  toHex,
  zeroHash,
  type Hex,
} from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { putBlob } from "../harness/blobs.ts";
import { startTestChain, type TestChain } from "../harness/chain.ts";
import { codeRejectedBy } from "../harness/codeRejectedBy.ts";
import { lyingChain } from "../harness/lyingChain.ts";
import { registerNode, type TestNode } from "../harness/nodes.ts";
import { startTestGateway } from "../harness/services.ts";
import { taskOf } from "../harness/taskOf.ts";
import { assignTask, postTask, settleTask, type TestTask } from "../harness/tasks.ts";
import { connectNode, type NodePeer } from "../harness/testNode.ts";
import { until } from "../harness/until.ts";
import { photo } from "../node-agent/support/images.ts";

const random = (length: number): Uint8Array => new Uint8Array(randomBytes(length));

describe("payer's side", () => {
  let chain: TestChain;
  let gateway: Gateway;
  let nodes: [TestNode, TestNode];
  let context: SigningContext;

  before(async () => {
    chain = await startTestChain();
    context = { chainId: chain.chainId, verifyingContract: chain.deployment.taskEscrow };
    gateway = await startTestGateway(chain);
    nodes = [await registerNode(chain), await registerNode(chain)];
  });

  after(async () => {
    await gateway.close();
    await chain.close();
  });

  describe("with an RPC that fails halfway", () => {
    let stop: AbortController;
    let events: TaskEvent[];
    let task: TestTask;
    let primary: NodePeer;
    /** What the client's RPC does with a call. */
    let rpc: "answers" | "fails" | "lags" | "lies";
    let following: Promise<void>;
    let behind = 0;
    let lookedAt = 0;

    beforeEach(async () => {
      stop = new AbortController();
      events = [];
      rpc = "answers";
      primary = await connectNode({ chain, node: nodes[0], gatewayUrl: gateway.url });
    });

    afterEach(async () => {
      stop.abort();
      await following;
      primary.peer.close();
    });

    /** A client that waits for its task, which is assigned at once when `start` returns. */
    async function start(): Promise<void> {
      const clientPrivateKey = generatePrivateKey();
      task = await postTask(chain, { clientKey: privateKeyToAccount(clientPrivateKey) });
      const { taskId, modelId, inputCiphertext } = task;
      const old = toHex(await chain.client.getBlockNumber());
      const secrets: TaskSecrets = { taskId, modelId, inputCiphertext, taskKey: toHex(random(32)), clientPrivateKey };
      const told = lyingChain(chain);
      const seats = [nodes[0].nodeId, 99].map((nodeId) => ({ nodeId, powerCu: 1_000 }));
      told.lie(taskId, "TaskAssigned", { seats });
      const transport = custom({
        async request({ method, params }: { method: string; params: unknown[] }) {
          if (rpc === "fails") throw new Error("no answer");
          const isCall = rpc === "lags" && method === "eth_call";
          if (isCall) behind += 1;
          const answers = rpc === "lies" ? told.client : chain.client;
          if (rpc === "lies" && method === "eth_getLogs") lookedAt += 1;
          return answers.request({ method, params: isCall ? [params[0], old] : params } as never);
        },
      });
      following = followTask({
        gatewayUrl: gateway.url,
        chain: createPublicClient({ transport, chain: chainOf(chain.chainId, chain.rpcUrl) }),
        chainId: chain.chainId,
        deployment: { ...chain.deployment, deploymentBlock: 1n },
        secrets,
        random,
        signal: stop.signal,
        onEvent: (event) => events.push(event),
      });
      await until("the client is connected", () =>
        events.find((event) => event.kind === "connection" && event.state === "open"),
      );
      await assignTask(chain, { taskId, nodeIds: [nodes[0].nodeId, nodes[1].nodeId] });
    }

    const wrapped = (): Promise<TaskEvent> =>
      until("the key is wrapped", () => events.find(({ kind }) => kind === "wrapped"));

    it("hands out its key although the RPC failed when the nodes were named", async () => {
      await primary.announce([]);
      rpc = "fails";
      await start();
      await until("the failure is told", () =>
        events.find((event) => event.kind === "problem" && event.code === "CHAIN_UNREACHABLE"),
      );
      rpc = "answers";
      await wrapped();
    });

    it("hands out its key although the gateway saw the assignment before the RPC did", async () => {
      await primary.announce([]);
      rpc = "lags";
      await start();
      await until("the RPC was asked", () => behind > 0);
      rpc = "answers";
      await wrapped();
      expect(events.filter(({ kind }) => kind === "problem")).to.deep.equal([]);
    });

    it("hands no key to nodes that the RPC names and the chain's digest denies", async () => {
      await primary.announce([]);
      rpc = "lies";
      await start();
      // It looks again, so what it was told first was not believed.
      await until("the RPC was asked again", () => lookedAt > 1);
      expect(events.filter(({ kind }) => kind === "wrapped")).to.deep.equal([]);
      rpc = "answers";
      await wrapped();
    });

    it("hands no key to a transport key that a retired operator signed", async () => {
      const operator = privateKeyToAccount(generatePrivateKey());
      const { nodeId, owner } = nodes[0];
      const expiry = BigInt((await chain.nowS()) + 3_600);
      const { signature } = await signMessage({
        kind: "operatorBinding",
        message: { owner: chain.account(0).address, operator: operator.address, expiry },
        context: { chainId: chain.chainId, verifyingContract: chain.deployment.nodeRegistry },
        signer: operator,
      });
      await chain.write({
        account: owner,
        address: chain.deployment.nodeRegistry,
        abi: nodeRegistryAbi,
        functionName: "rotateOperator",
        args: [nodeId, operator.address, expiry, signature],
      });
      await start();
      await primary.announce([]);
      await primary.accept(task, 1);
      await until("the accept is told", () => events.find(({ kind }) => kind === "accepted"));
      expect(events.filter(({ kind }) => kind === "wrapped")).to.deep.equal([]);
      nodes[0] = { ...nodes[0], operator };
      const again = await connectNode({ chain, node: nodes[0], gatewayUrl: gateway.url });
      await again.announce([]);
      await wrapped();
      again.peer.close();
    });
  });

  describe("with a gateway that fails halfway", () => {
    let server: Server;
    let answer: RequestListener;

    before(async () => {
      server = createServer((request, response) => answer(request, response));
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    });

    after(() => {
      server.closeAllConnections();
      server.close();
    });

    function fetched(): Promise<Uint8Array> {
      const address = server.address();
      const port = typeof address === "object" && address !== null ? address.port : 0;
      const secrets = { clientPrivateKey: generatePrivateKey() };
      const blobs = taskBlobs({ gatewayUrl: `http://127.0.0.1:${port}`, context, secrets, nowMs: Date.now });
      return blobs.get({ taskId: zeroHash, hash: zeroHash });
    }

    const cases: [string, RequestListener, string][] = [
      ["is just starting", (_request, response) => response.writeHead(503).end(), "GATEWAY_UNREACHABLE"],
      ["fails inside", (_request, response) => response.writeHead(500).end('{"code":"INTERNAL"}'), "GATEWAY_UNREACHABLE"],
      [
        "breaks off",
        (_request, response) => {
          response.writeHead(200, { "content-length": 100 });
          response.write("begun", () => response.destroy());
        },
        "GATEWAY_UNREACHABLE",
      ],
      [
        "never ends",
        (_request, response) => {
          const some = Buffer.alloc(gatewayLimits.maxBlobBytes / 8);
          const more = (): void => {
            if (!response.destroyed) response.write(some, () => setImmediate(more));
          };
          response.on("error", () => undefined);
          more();
        },
        "BLOB_TOO_LARGE",
      ],
    ];
    for (const [what, how, code] of cases) {
      it(`says ${code} when it ${what}`, async () => {
        answer = how;
        expect(await codeRejectedBy(fetched())).to.equal(code);
      });
    }
  });

  it("opens a paid result by the chain's word when its receipt never came", async () => {
    const face = catalogue.find(({ manifest }) => manifest.adapter === "face.v1");
    const { localUsd } = chain.deployment;
    if (face === undefined || localUsd === undefined) throw new Error("no model or no payment token");
    const payer = chain.account(4);
    await chain.write({
      account: chain.account(0),
      address: localUsd,
      abi: localUsdAbi,
      functionName: "transfer",
      args: [payer.address, 10_000_000n],
    });
    const prepared = Promise.withResolvers<TaskSecrets>();
    const posted = Promise.withResolvers<Hex>();
    const transport = http(chain.rpcUrl);
    const running = runTask({
      chain: chain.client,
      wallet: createWalletClient({ account: payer, chain: chainOf(chain.chainId, chain.rpcUrl), transport }),
      deployment: { ...chain.deployment, localUsd, deploymentBlock: BigInt(chain.deployment.deploymentBlock) },
      gatewayUrl: gateway.url,
      modelId: face.modelId,
      manifest: face.manifest,
      parts: [{ name: "photo", mediaType: "image/jpeg", bytes: photo(1) }],
      random,
      evenIfUnserved: true,
      onPrepared: (secrets) => prepared.resolve(secrets),
      onEvent: (event) => {
        if (event.kind === "posted") posted.resolve(event.taskId);
      },
    });
    running.catch((error: unknown) => posted.reject(error));
    const taskId = await posted.promise;
    const secrets = await prepared.promise;
    await assignTask(chain, { taskId, nodeIds: [nodes[0].nodeId, nodes[1].nodeId] });

    const [node] = nodes;
    const at = { taskId, nodeId: node.nodeId, assignment: 1, attempt: 0 };
    const bytes = new TextEncoder().encode('{"found":3}');
    const parts = [{ name: "result.json", mediaType: "application/json", bytes }];
    const sealed = seal({
      taskKey: hexToBytes(secrets.taskKey),
      context: { kind: "output", ...at },
      body: encodePayload({ parameters: {}, parts }),
      random,
    });
    const hash = keccak256(sealed.sealed);
    const call = { gatewayUrl: gateway.url, context, signer: node.operator, taskId };
    await putBlob({ ...call, hash, body: sealed.sealed });
    const { posted: post } = await taskOf(chain, taskId);
    const message = {
      ...at,
      modelId: face.modelId,
      inputCommitment: post.inputCommitment,
      outputCommitment: sealed.commitment,
      outputCiphertext: sealed.ciphertextHash,
      slot: 3,
      powerCu: 1_000,
      startMs: 1n,
      durationMs: 5,
      status: 0,
    };
    const receipt = await signMessage({ kind: "receipt", message, context, signer: node.operator });
    await settleTask(chain, receipt);

    const outcome = await running;
    expect(outcome.json).to.deep.equal({ found: 3 });
    expect(outcome.receipt).to.deep.equal(receipt);
    expect(outcome.bill.durationMs).to.equal(5);
  });
});
