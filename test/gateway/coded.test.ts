/** Blobs over links of the coded transport: over UDP, over the WebSocket alone, and over HTTP where there is no link. */
import type { Gateway } from "@ngpu/keeper/gateway/gateway";
import { createCodedBlobs, type CodedBlobs, type OpenMessageLink } from "@ngpu/protocol/blobExchange/codedBlobs";
import { createHttpBlobs } from "@ngpu/protocol/blobExchange/httpBlobs";
import type { Blobs } from "@ngpu/protocol/blobExchange/blobs";
import { createTelemetry, type Telemetry } from "@ngpu/protocol/service/telemetry";
import { createNodeDialer } from "@ngpu/protocol/service/harq/nodeBlobs";
import type { SigningContext } from "@ngpu/protocol/signed";
import { expect } from "chai";
import { randomBytes } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { keccak256, stringToBytes } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { startTestChain, type TestChain } from "../harness/chain.ts";
import { codeRejectedBy } from "../harness/codeRejectedBy.ts";
import { startTestGateway } from "../harness/services.ts";
import { postTask, type TestTask } from "../harness/tasks.ts";
import { until } from "../harness/until.ts";

describe("blobs over coded links", () => {
  let chain: TestChain;
  let context: SigningContext;
  let gateway: Gateway;
  let telemetry: Telemetry;
  const input = new Uint8Array(randomBytes(3_000_000));

  before(async () => {
    chain = await startTestChain();
    context = { chainId: chain.chainId, verifyingContract: chain.deployment.taskEscrow };
    telemetry = createTelemetry({ service: "gateway" });
    gateway = await startTestGateway(chain, { telemetry, udp: { host: "127.0.0.1", port: 0 } });
  });
  after(async () => {
    await gateway.close();
    await chain.close();
  });

  const dial = (usesUdp: boolean, of = context): OpenMessageLink =>
    createNodeDialer({ context: of, usesUdp });
  const coded = (openLink: OpenMessageLink): CodedBlobs =>
    createCodedBlobs({ openLink, fallback: createHttpBlobs, monotonicMs: () => performance.now() });
  const asOwner = (blobs: CodedBlobs, { clientKey: signer }: TestTask, at = gateway): Blobs =>
    blobs.open({ gatewayUrl: at.url, context, signer, nowMs: Date.now });
  const figure = async (name: string): Promise<number> =>
    Number(new RegExp(`^ngpu_gateway_${name}\\{[^}]*\\} (\\d+)$`, "m").exec(await telemetry.text())?.[1]);
  /** Counts the requests that went over HTTP after all. */
  const withoutHttp = (openLink: OpenMessageLink): CodedBlobs =>
    createCodedBlobs({
      openLink,
      fallback: () => ({ get: refuse, put: refuse, size: refuse, part: refuse }),
      monotonicMs: () => performance.now(),
    });
  const refuse = (): Promise<never> => Promise.reject(new Error("asked over HTTP"));

  for (const [title, usesUdp] of [
    ["over UDP", true],
    ["over the WebSocket alone", false],
  ] as const) {
    it(`stores an input of 3 MB ${title} and gives the same bytes back, with nothing sent over HTTP`, async () => {
      const task = await postTask(chain, { sealedInput: input });
      const { taskId, inputCiphertext: hash } = task;
      const links = withoutHttp(dial(usesUdp));
      try {
        const before = await figure("coded_udp_datagrams");
        const blobs = asOwner(links, task);
        await blobs.put({ taskId, hash, bytes: input });
        await blobs.put({ taskId, hash, bytes: input });
        // The farewell of the link before is said again for a moment.
        expect((await figure("coded_udp_datagrams")) - before).to.satisfy((n: number) => (usesUdp ? n > 1_000 : n < 5));
        expect(await blobs.size({ taskId, hash })).to.equal(input.length);
        expect(keccak256(await blobs.get({ taskId, hash }))).to.equal(hash);
        expect(await figure("coded_links")).to.equal(1);
      } finally {
        links.close();
      }
      await until("the gateway has let the link go", async () => (await figure("coded_links")) === 0);
    });
  }

  it("refuses over a link what it refuses over HTTP, with the same codes", async () => {
    const task = await postTask(chain);
    const { taskId, inputCiphertext: hash, sealedInput: bytes } = task;
    const links = withoutHttp(dial(true));
    try {
      const stranger = asOwner(links, { ...task, clientKey: privateKeyToAccount(generatePrivateKey()) });
      const owner = asOwner(links, task);
      expect(await codeRejectedBy(owner.get({ taskId, hash }))).to.equal("BLOB_UNKNOWN");
      expect(await codeRejectedBy(stranger.put({ taskId, hash, bytes }))).to.equal("AUTH_FORBIDDEN");
      expect(await codeRejectedBy(owner.put({ taskId, hash, bytes: stringToBytes("other") }))).to.equal("BLOB_MISMATCH");
      await owner.put({ taskId, hash, bytes });
      expect(await codeRejectedBy(stranger.get({ taskId, hash }))).to.equal("AUTH_FORBIDDEN");
      expect(await owner.get({ taskId, hash })).to.deep.equal(bytes);
    } finally {
      links.close();
    }
  });

  it("goes over HTTP where no link is to be had, as with a gateway of another chain", async () => {
    const task = await postTask(chain);
    const { taskId, inputCiphertext: hash, sealedInput: bytes } = task;
    let dials = 0;
    const elsewhere = dial(true, { ...context, chainId: 1 });
    const links = coded(async (...call) => {
      dials += 1;
      return elsewhere(...call);
    });
    const blobs = asOwner(links, task);
    await blobs.put({ taskId, hash, bytes });
    expect(await blobs.get({ taskId, hash })).to.deep.equal(bytes);
    expect(dials).to.equal(1);
    expect(await figure("coded_links")).to.equal(0);
  });

  it("ends the link of a peer that says what is no request, and of that peer alone", async () => {
    const task = await postTask(chain);
    const { taskId, inputCiphertext: hash } = task;
    const good = withoutHttp(dial(true));
    try {
      const blobs = asOwner(good, task);
      await blobs.put({ taskId, hash, bytes: task.sealedInput });
      const ended = Promise.withResolvers<void>();
      const bad = await dial(true)(gateway.url, { onMessage: () => undefined, onClosed: () => ended.resolve() });
      const { signal } = new AbortController();
      await bad.send(stringToBytes("garbage"), { priority: "interactive", signal }).catch(() => undefined);
      await ended.promise;
      expect(await blobs.size({ taskId, hash })).to.equal(task.sealedInput.length);
    } finally {
      good.close();
    }
  });

  it("opens another link once the gateway is back, and what was asked meanwhile is refused as unreachable", async () => {
    const first = await startTestGateway(chain, { udp: { host: "127.0.0.1", port: 0 } });
    const task = await postTask(chain);
    const { taskId, inputCiphertext: hash, sealedInput: bytes } = task;
    const links = coded(dial(true));
    try {
      const blobs = asOwner(links, task, first);
      await blobs.put({ taskId, hash, bytes });
      await first.close();
      expect(await codeRejectedBy(blobs.get({ taskId, hash }))).to.equal("GATEWAY_UNREACHABLE");
      const again = await startTestGateway(chain, { port: Number(new URL(first.url).port) });
      try {
        await blobs.put({ taskId, hash, bytes });
        expect(await blobs.get({ taskId, hash })).to.deep.equal(bytes);
      } finally {
        await again.close();
      }
    } finally {
      links.close();
    }
  });
});
