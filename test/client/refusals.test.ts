/**
 * What the client refuses before anything is paid, and how it says so: always a code of the catalogue with its cause,
 * and the contract's own error where a contract refused.
 */
import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import { after, before, beforeEach, describe, it } from "node:test";
import { taskBlobs } from "@ngpu/client/taskBlobs";
import { runTask, type RunTaskOptions } from "@ngpu/client/runTask";
import type { Gateway } from "@ngpu/keeper/gateway/gateway";
import { catalogue } from "@ngpu/protocol/catalogue";
import { NgpuError } from "@ngpu/protocol/errors";
import { localUsdAbi } from "@ngpu/protocol/generated/abi/localUsd";
import { modelIdOf } from "@ngpu/protocol/ids";
import { gatewayLimits } from "@ngpu/protocol/limits";
import { chainOf } from "@ngpu/protocol/service/chain";
import { expect } from "chai";
import {
  ContractFunctionRevertedError,
  createPublicClient,
  createTestClient,
  createWalletClient,
  custom,
  http,
  parseEther,
  zeroHash,
  type LocalAccount,
} from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { startTestChain, type TestChain } from "../harness/chain.ts";
import { codeRejectedBy } from "../harness/codeRejectedBy.ts";
import { registerNode } from "../harness/nodes.ts";
import { startTestGateway } from "../harness/services.ts";
import { connectNode, type NodePeer } from "../harness/testNode.ts";
import { until } from "../harness/until.ts";
import { photo } from "../node-agent/support/images.ts";

const random = (length: number): Uint8Array => new Uint8Array(randomBytes(length));
const unreachable = "http://127.0.0.1:1";

describe("the client's refusals", () => {
  let chain: TestChain;
  let gateway: Gateway;
  let peers: [NodePeer, NodePeer];
  /** What the client told while it ran. */
  let told: string[];
  const face = catalogue.find(({ manifest }) => manifest.adapter === "face.v1");
  if (face === undefined) throw new Error("the catalogue holds no face model");

  before(async () => {
    chain = await startTestChain();
    gateway = await startTestGateway(chain);
    const connect = async (): Promise<NodePeer> =>
      connectNode({ chain, node: await registerNode(chain), gatewayUrl: gateway.url });
    peers = [await connect(), await connect()];
    for (const peer of peers) peer.keepAlive(500);
  });

  after(async () => {
    for (const { peer } of peers) peer.close();
    await gateway.close();
    await chain.close();
  });

  beforeEach(async () => {
    told = [];
    await serving(1, 1);
  });

  /** Until the gateway lists both nodes with so many slots for the model; a node with none is stopping. */
  async function serving(...slots: [number, number]): Promise<void> {
    await Promise.all(peers.map((peer, index) => peer.announce([face!.modelId], slots[index])));
    await until("the roster", async () => {
      const { nodes } = (await (await fetch(`${gateway.url}/v1/roster`)).json()) as { nodes: Listed[] };
      const listed = peers.map(({ nodeId }) => nodes.find((node) => node.nodeId === nodeId)?.slots);
      return listed.join() === slots.join() || undefined;
    });
  }
  interface Listed {
    nodeId: number;
    slots: number;
  }

  async function somebody(has: { usd6: bigint; wei: bigint }): Promise<LocalAccount> {
    const account = privateKeyToAccount(generatePrivateKey());
    const transport = http(chain.rpcUrl);
    const control = createTestClient({ mode: "hardhat", chain: chainOf(chain.chainId, chain.rpcUrl), transport });
    await control.setBalance({ address: account.address, value: has.wei });
    const address = chain.deployment.localUsd;
    if (address === undefined) throw new Error("no payment token");
    const args = [account.address, has.usd6];
    await chain.write({ account: chain.account(0), address, abi: localUsdAbi, functionName: "transfer", args });
    return account;
  }

  function run(account: LocalAccount, change: Partial<RunTaskOptions> = {}): Promise<unknown> {
    const { localUsd, deploymentBlock } = chain.deployment;
    if (localUsd === undefined || face === undefined) throw new Error("no payment token or no model");
    const transport = http(chain.rpcUrl);
    return runTask({
      chain: chain.client,
      wallet: createWalletClient({ account, chain: chainOf(chain.chainId, chain.rpcUrl), transport }),
      deployment: { ...chain.deployment, localUsd, deploymentBlock: BigInt(deploymentBlock) },
      gatewayUrl: gateway.url,
      ...face,
      parts: [{ name: "photo", mediaType: "image/jpeg", bytes: photo(1) }],
      random,
      onPrepared: () => void told.push("prepared"),
      onEvent: ({ kind }) => void told.push(kind),
      ...change,
    });
  }

  /** What was thrown; nothing may have been sent by then. */
  async function refusal(account: LocalAccount, change: Partial<RunTaskOptions> = {}): Promise<NgpuError> {
    const error = await run(account, change).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    if (!(error instanceof NgpuError)) throw new Error("not an error of the catalogue", { cause: error });
    expect(await chain.client.getTransactionCount({ address: account.address })).to.equal(0);
    expect(told).to.deep.equal([]);
    return error;
  }

  const rich = (): Promise<LocalAccount> => somebody({ usd6: 5_000_000n, wei: parseEther("1") });

  it("say how much gas money is there and how much is needed", async () => {
    const { code, fields } = await refusal(await somebody({ usd6: 5_000_000n, wei: 1_000n }));
    expect([code, fields.heldWei]).to.deep.equal(["GAS_SHORT", 1_000n]);
    expect(fields.neededWei as bigint > 1_000n).to.equal(true);
  });

  it("name the token's error and say what it means", async () => {
    const { code, fields, message, cause } = await refusal(await somebody({ usd6: 1n, wei: parseEther("1") }));
    expect([code, fields.contractError]).to.deep.equal(["CONTRACT_REFUSED", "ERC20InsufficientBalance"]);
    expect(message).to.contain("ERC20InsufficientBalance").and.contain("The wallet holds 1 of the ");
    const causes: unknown[] = [];
    for (let inner = cause; inner instanceof Error; inner = inner.cause) causes.push(inner);
    expect(causes.some((inner) => inner instanceof ContractFunctionRevertedError)).to.equal(true);
  });

  it("tell a wallet that declines from one that fails", async () => {
    const account = await rich();
    const fails = (error: Error) => (): never => {
      throw error;
    };
    const no = Object.assign(new Error("no"), { code: 4001 });
    const declined = await refusal({ ...account, signTypedData: fails(no) });
    expect([declined.code, declined.cause]).to.deep.equal(["WALLET_DECLINED", no]);
    const odd = new Error("the device is locked");
    const failed = await refusal({ ...account, signTypedData: fails(odd) });
    expect([failed.code, failed.cause]).to.deep.equal(["CHAIN_REFUSED", odd]);
  });

  it("tell an RPC that does not answer from one that has no contracts", async () => {
    const account = await rich();
    const known = chainOf(chain.chainId, unreachable);
    const away = createPublicClient({ chain: known, transport: http(unreachable, { retryCount: 0 }) });
    expect((await refusal(account, { chain: away })).code).to.equal("CHAIN_UNREACHABLE");
    const empty = createPublicClient({ chain: known, transport: custom({ request: async () => "0x" }) });
    expect((await refusal(account, { chain: empty })).code).to.equal("CHAIN_WRONG");
  });

  it("take no manifest for a model of which it is not, before anything is asked", async () => {
    const manifest = { ...face.manifest, title: "Another" };
    const silent = createPublicClient({ transport: http(unreachable, { retryCount: 0 }) });
    const error = await refusal(await rich(), { manifest, chain: silent });
    expect([error.code, error.fields.found]).to.deep.equal(["MANIFEST_MISMATCH", modelIdOf(manifest)]);
  });

  it("take no input above what a gateway stores, whatever its model allows", async () => {
    const most = 2 * gatewayLimits.maxBlobBytes;
    const limits = { ...face.manifest.limits, maxPartBytes: most, maxInputBytes: most };
    const manifest = { ...face.manifest, limits };
    const bytes = new Uint8Array(gatewayLimits.maxBlobBytes);
    bytes.set(photo(1));
    const parts = [{ name: "photo", mediaType: "image/jpeg", bytes }];
    const error = await refusal(await rich(), {
      manifest,
      modelId: modelIdOf(manifest),
      parts,
      evenIfUnserved: true,
    });
    expect([error.code, error.fields.most]).to.deep.equal(["INPUT_TOO_LARGE", gatewayLimits.maxBlobBytes]);
  });

  it("send no blob that a gateway would refuse for its size", async () => {
    let requests = 0;
    const server = createServer((_request, response) => {
      requests += 1;
      response.end();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const blobs = taskBlobs({
      gatewayUrl: `http://127.0.0.1:${port}`,
      context: { chainId: chain.chainId, verifyingContract: chain.deployment.taskEscrow },
      secrets: { clientPrivateKey: generatePrivateKey() },
      nowMs: Date.now,
    });
    const put = (size: number): Promise<void> =>
      blobs.put({ taskId: zeroHash, hash: zeroHash, bytes: new Uint8Array(size) });
    try {
      expect(await codeRejectedBy(put(gatewayLimits.maxBlobBytes + 1))).to.equal("BLOB_TOO_LARGE");
      expect(requests).to.equal(0);
      await put(1);
      expect(requests).to.equal(1);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });

  describe("of a task that nobody could be assigned to", () => {
    const posts = async (change: Partial<RunTaskOptions>): Promise<string> => {
      const leave = new AbortController();
      const onEvent: RunTaskOptions["onEvent"] = ({ kind }) => {
        if (kind === "posted") leave.abort();
      };
      return codeRejectedBy(run(await rich(), { ...change, signal: leave.signal, onEvent }));
    };

    it("say how many nodes serve the model and how many are needed", async () => {
      await serving(1, 0);
      const error = await refusal(await rich());
      expect([error.code, error.fields.serving, error.fields.needed]).to.deep.equal(["BACKUP_MISSING", 1, 2]);
      await serving(0, 0);
      expect((await refusal(await rich(), { backups: 0 })).code).to.equal("NOBODY_SERVES");
    });

    it("let everything be posted that can be assigned", async () => {
      expect(await posts({})).to.equal("TASK_ABANDONED");
      await serving(0, 1);
      expect(await posts({ backups: 0 })).to.equal("TASK_ABANDONED");
    });

    it("leave it to who posts all the same, and to nobody's word when the gateway is away", async () => {
      await serving(0, 0);
      expect(await posts({ evenIfUnserved: true })).to.equal("TASK_ABANDONED");
      expect(await posts({ gatewayUrl: unreachable })).to.equal("TASK_ABANDONED");
    });
  });
});
