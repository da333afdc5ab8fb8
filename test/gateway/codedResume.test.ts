/** A link that outlives its WebSockets: cut in the middle of a large message, and led to a gateway that knows nothing. */
import type { Gateway } from "@ngpu/keeper/gateway/gateway";
import type { Blobs } from "@ngpu/protocol/blobExchange/blobs";
import { createCodedBlobs, type CodedBlobs } from "@ngpu/protocol/blobExchange/codedBlobs";
import { codedPath, joinSubprotocol, unknownLinkCode } from "@ngpu/protocol/harq/codedLink";
import { encodeHeader } from "@ngpu/protocol/harq/wire/datagramHeader";
import { createNodeDialer } from "@ngpu/protocol/service/harq/nodeBlobs";
import type { SigningContext } from "@ngpu/protocol/signed";
import { expect } from "chai";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { after, before, describe, it } from "node:test";
import { keccak256 } from "viem";
import { startTestChain, type TestChain } from "../harness/chain.ts";
import { codeRejectedBy } from "../harness/codeRejectedBy.ts";
import { startTestGateway } from "../harness/services.ts";
import { postTask, type TestTask } from "../harness/tasks.ts";
import { openTcpProxy, type TcpProxy } from "../harness/tcpProxy.ts";
import { until } from "../harness/until.ts";

describe("a link whose WebSockets are cut", { timeout: 120_000 }, () => {
  const input = new Uint8Array(randomBytes(4_000_000));
  let chain: TestChain;
  let context: SigningContext;
  let gateway: Gateway;
  let proxy: TcpProxy;

  before(async () => {
    chain = await startTestChain();
    context = { chainId: chain.chainId, verifyingContract: chain.deployment.taskEscrow };
    gateway = await startTestGateway(chain, { udp: { host: "127.0.0.1", port: 0 } });
    proxy = await openTcpProxy(portOf(gateway));
  });
  after(async () => {
    await proxy.close();
    await gateway.close();
    await chain.close();
  });

  const open = (usesUdp: boolean): CodedBlobs =>
    createCodedBlobs({
      openLink: createNodeDialer({ context, usesUdp }),
      fallback: () => ({ get: refuse, put: refuse, size: refuse, part: refuse }),
      monotonicMs: () => performance.now(),
    });
  const refuse = (): Promise<never> => Promise.reject(new Error("asked over HTTP"));
  const asOwner = (links: CodedBlobs, { clientKey: signer }: TestTask): Blobs =>
    links.open({ gatewayUrl: `http://127.0.0.1:${proxy.port}`, context, signer, nowMs: Date.now });
  /** Cuts every connection once so much more went through. */
  const cutAfter = async (direction: "there" | "back", bytes: number): Promise<void> => {
    const from = proxy.bytes()[direction];
    while (proxy.bytes()[direction] - from < bytes) await new Promise(setImmediate);
    proxy.cut();
  };

  it("carries a put and a get of 4 MB on from where they were, with hardly anything sent twice", async () => {
    const task = await postTask(chain, { sealedInput: input });
    const { taskId, inputCiphertext: hash } = task;
    const links = open(false);
    try {
      const blobs = asOwner(links, task);
      const before = proxy.bytes();
      await Promise.all([blobs.put({ taskId, hash, bytes: input }), cutAfter("there", 2_000_000)]);
      expect(proxy.bytes().there - before.there).to.be.within(input.length, 1.2 * input.length);
      const [bytes] = await Promise.all([blobs.get({ taskId, hash }), cutAfter("back", 2_000_000)]);
      expect(keccak256(bytes)).to.equal(hash);
      expect(proxy.bytes().back - before.back).to.be.within(input.length, 1.2 * input.length);
      expect(links.counts()).to.include({ coded: 2, http: 0 });
    } finally {
      links.close();
    }
  });

  it("goes on over UDP when the WebSocket drops, and opens another", async () => {
    const task = await postTask(chain, { sealedInput: input });
    const { taskId, inputCiphertext: hash } = task;
    const links = open(true);
    try {
      const blobs = asOwner(links, task);
      await blobs.put({ taskId, hash, bytes: input });
      const before = proxy.connections();
      proxy.cut();
      expect(keccak256(await blobs.get({ taskId, hash }))).to.equal(hash);
      await until("another WebSocket is open", async () => proxy.connections() > before);
    } finally {
      links.close();
    }
  });

  it("lets strangers go that would join a link, and says where there is no such link", async () => {
    const unknown = encodeHeader({ type: "probe", keyPhase: 0, connectionId: 5n, packetNumber: 0, path: 2 });
    for (const [first, code] of [
      [Buffer.concat([unknown, randomBytes(1_184)]), unknownLinkCode],
      [Buffer.alloc(1_200, 0xff), 4400],
      [Buffer.alloc(3), 4400],
    ] as const) {
      const socket = new WebSocket(`ws://127.0.0.1:${portOf(gateway)}${codedPath}`, joinSubprotocol);
      socket.addEventListener("open", () => socket.send(first));
      const [closed] = (await once(socket, "close")) as [CloseEvent];
      expect(closed.code).to.equal(code);
    }
  });

  it("ends a link that the gateway does not know any more, so that what was asked is asked anew", async () => {
    const task = await postTask(chain, { sealedInput: input });
    const { taskId, inputCiphertext: hash } = task;
    const other = await startTestGateway(chain);
    const links = open(false);
    try {
      const blobs = asOwner(links, task);
      expect(await codeRejectedBy(blobs.size({ taskId, hash }))).to.equal("BLOB_UNKNOWN");
      const put = codeRejectedBy(blobs.put({ taskId, hash, bytes: input }));
      const startMs = performance.now();
      proxy.lead(portOf(other));
      await cutAfter("there", 2_000_000);
      expect(await put).to.equal("GATEWAY_UNREACHABLE");
      expect(performance.now() - startMs).to.be.below(5_000);
      await blobs.put({ taskId, hash, bytes: input });
    } finally {
      links.close();
      proxy.lead(portOf(gateway));
      await other.close();
    }
  });
});

function portOf({ url }: Gateway): number {
  return Number(new URL(url).port);
}
