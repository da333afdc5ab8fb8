/** The payer's side of a link, against a real gateway and a real chain: whom it signs for, and what it does when the gateway goes. */
import { randomBytes } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { expect } from "chai";
import { keccak256, toHex, type Hex } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { followTask, type TaskEvent } from "@ngpu/client/followTask";
import { taskBlobs } from "@ngpu/client/taskBlobs";
import { openLink } from "@ngpu/client/link";
import type { TaskSecrets } from "@ngpu/client/taskSecrets";
import type { Gateway } from "@ngpu/keeper/gateway/gateway";
import type { SigningContext } from "@ngpu/protocol/signed";
import { startTestChain, type TestChain } from "../harness/chain.ts";
import { codeRejectedBy } from "../harness/codeRejectedBy.ts";
import { startTestGateway } from "../harness/services.ts";
import { registerNode, type TestNode } from "../harness/nodes.ts";
import { assignTask, postTask } from "../harness/tasks.ts";
import { connectNode } from "../harness/testNode.ts";
import { until } from "../harness/until.ts";
import { startFreezableLine } from "./support/freezableLine.ts";

describe("client link", () => {
  let chain: TestChain;
  let gateway: Gateway;
  let context: SigningContext;
  let nodes: [TestNode, TestNode];
  const never = new AbortController().signal;

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

  async function aPostedTask(): Promise<{ secrets: TaskSecrets; sealedInput: Uint8Array }> {
    const clientPrivateKey = generatePrivateKey();
    const task = await postTask(chain, { clientKey: privateKeyToAccount(clientPrivateKey) });
    const taskKey: Hex = toHex(randomBytes(32));
    const secrets = { taskId: task.taskId, modelId: task.modelId, taskKey, clientPrivateKey, inputCiphertext: task.inputCiphertext };
    return { secrets, sealedInput: task.sealedInput };
  }

  it("signs nothing for a gateway that presents itself as another", async () => {
    const { secrets } = await aPostedTask();
    const alias = gateway.url.replace("127.0.0.1", "localhost");
    expect(await codeRejectedBy(openLink({ gatewayUrl: alias, context, secrets, signal: never }))).to.equal("GATEWAY_UNTRUSTED");
  });

  it("signs nothing for a gateway of another chain", async () => {
    const { secrets } = await aPostedTask();
    const elsewhere = { ...context, chainId: 1 };
    const link = openLink({ gatewayUrl: gateway.url, context: elsewhere, secrets, signal: never });
    expect(await codeRejectedBy(link)).to.equal("GATEWAY_UNTRUSTED");
  });

  it("is refused for a task that another client key was named for", async () => {
    const { secrets } = await aPostedTask();
    const stranger = { ...secrets, clientPrivateKey: generatePrivateKey() };
    const link = openLink({ gatewayUrl: gateway.url, context, secrets: stranger, signal: never });
    expect(await codeRejectedBy(link)).to.equal("AUTH_FORBIDDEN");
  });

  it("stores the sealed input once the task is posted, and reads back the same bytes", async () => {
    const { secrets, sealedInput } = await aPostedTask();
    const { taskId, inputCiphertext: hash } = secrets;
    const blobs = taskBlobs({ gatewayUrl: gateway.url, context, secrets, nowMs: Date.now });
    await blobs.put({ taskId, hash, bytes: sealedInput });
    await blobs.put({ taskId, hash, bytes: sealedInput });
    expect(await blobs.get({ taskId, hash })).to.deep.equal(sealedInput);
    expect(await blobs.size({ taskId, hash })).to.equal(sealedInput.length);
  });

  it("reports a gateway that is not there, and goes on when it comes", async () => {
    const { secrets, sealedInput } = await aPostedTask();
    const late = await startTestGateway(chain);
    const port = Number(new URL(late.url).port);
    await late.close();
    const stop = new AbortController();
    const events: TaskEvent[] = [];
    const seen = Promise.withResolvers<void>();
    const uploaded = Promise.withResolvers<void>();
    const following = followTask({
      gatewayUrl: late.url,
      chain: chain.client,
      chainId: chain.chainId,
      deployment: { ...chain.deployment, deploymentBlock: 1n },
      secrets,
      sealedInput,
      random: (length) => new Uint8Array(randomBytes(length)),
      signal: stop.signal,
      onEvent: (event) => {
        events.push(event);
        if (event.kind === "problem" && event.code === "GATEWAY_UNREACHABLE") seen.resolve();
        if (event.kind === "uploaded") uploaded.resolve();
      },
    });
    await seen.promise;
    const back = await startTestGateway(chain, { port });
    await uploaded.promise;
    stop.abort();
    await following;
    await back.close();
    expect(events.some((event) => event.kind === "connection" && event.state === "lost")).to.equal(true);
  });

  it("replaces a link on which nothing comes any more, and says nothing of a loss that did not happen", async () => {
    const { secrets } = await aPostedTask();
    const first = await startTestGateway(chain);
    const port = Number(new URL(first.url).port);
    await first.close();
    const line = await startFreezableLine(port);
    const behind = await startTestGateway(chain, { port, publicUrl: line.url });
    const stop = new AbortController();
    const events: TaskEvent[] = [];
    const following = followTask({
      gatewayUrl: line.url,
      chain: chain.client,
      chainId: chain.chainId,
      deployment: { ...chain.deployment, deploymentBlock: 1n },
      secrets,
      random: (length) => new Uint8Array(randomBytes(length)),
      signal: stop.signal,
      mostSilentMs: 500,
      onEvent: (event) => events.push(event),
    });
    try {
      await until("the link is open", () =>
        events.find((event) => event.kind === "connection" && event.state === "open"),
      );
      line.freeze();
      const node = await connectNode({ chain, node: nodes[0], gatewayUrl: line.url });
      await node.announce([]);
      await assignTask(chain, { taskId: secrets.taskId, nodeIds: [nodes[0].nodeId, nodes[1].nodeId] });
      await until("the key is wrapped over another link", () => events.find(({ kind }) => kind === "wrapped"));
      expect(events.some((event) => event.kind === "connection" && event.state === "lost")).to.equal(false);
      node.peer.close();
    } finally {
      stop.abort();
      await following;
      await behind.close();
      await line.close();
    }
  });
});
