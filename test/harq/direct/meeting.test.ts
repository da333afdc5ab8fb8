/** Clients and nodes that meet through a real gateway: over the relay, over UDP, and those who may not. */
import { codeOf } from "@ngpu/protocol/errors";
import { createTelemetry, type Telemetry } from "@ngpu/protocol/service/telemetry";
import { nodePrimitives } from "@ngpu/protocol/service/harq/nodePrimitives";
import { signMessage } from "@ngpu/protocol/signed";
import { expect } from "chai";
import { randomBytes } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { bytesToHex, keccak256 } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { codeRejectedBy } from "../../harness/codeRejectedBy.ts";
import type { TestTask } from "../../harness/tasks.ts";
import { until } from "../../harness/until.ts";
import type { MeetingNode } from "./support/meetingNode.ts";
import { startMeetingWorld, type MeetingWorld } from "./support/meetingWorld.ts";

const megabyte = 1_000_000;
const stranger = privateKeyToAccount(generatePrivateKey());

describe("direct links", () => {
  let world: MeetingWorld;
  let node: MeetingNode;
  let telemetry: Telemetry;
  const figure = async (name: string): Promise<number> =>
    Number(new RegExp(`^ngpu_gateway_${name}\\{[^}]*\\} (\\d+)$`, "m").exec(await telemetry.text())?.[1]);

  before(async () => {
    telemetry = createTelemetry({ service: "gateway" });
    world = await startMeetingWorld({ telemetry });
    node = await world.aNode();
  });
  after(() => world.close());

  it("moves a megabyte both ways over the relay alone, whole, and the gateway passes on nothing of it in clear", async () => {
    const input = new Uint8Array(randomBytes(megabyte));
    const output = new Uint8Array(randomBytes(megabyte));
    const task = await world.aTask(node, { sealedInput: input });
    const { taskId, inputCiphertext } = task;
    const client = await world.aClient(task);
    const before = await figure("relayed_bytes");
    const relayed = tapWebSockets();
    const { link, put, get } = await world.meet(client, task, node, { usesUdp: false });
    expect(await put(inputCiphertext, input)).to.include({ kind: "stored", wasPresent: false });
    expect(await node.shelf.taken({ taskId, hash: inputCiphertext }, AbortSignal.timeout(1_000))).to.deep.equal(input);
    const hash = keccak256(output);
    node.shelf.put({ taskId, hash, bytes: output });
    const answer = await get(hash);
    expect(answer.kind === "blob" && keccak256(answer.bytes)).to.equal(hash);
    expect([await link.opened, link.isOpen()]).to.deep.equal([false, false]);
    expect((await figure("relayed_bytes")) - before).to.be.greaterThan(2 * megabyte);
    const heard = Buffer.concat(relayed.stop());
    expect(heard.length).to.be.greaterThan(2 * megabyte);
    for (const clear of [input, output]) {
      for (let at = 0; at < megabyte - 16; at += 10_000) expect(heard.includes(Buffer.from(clear.subarray(at, at + 16)))).to.equal(false);
    }
    link.close();
    await until("the gateway has let the pair go", async () => (await figure("relay_pairs")) === 0);
    expect(node.desk.counts().links).to.equal(0);
  });

  it("opens UDP beside the relay and moves what follows over it", async () => {
    const input = new Uint8Array(randomBytes(megabyte));
    const task = await world.aTask(node, { sealedInput: input });
    const client = await world.aClient(task);
    const { link, put } = await world.meet(client, task, node);
    expect(await link.opened).to.equal(true);
    const before = await figure("relayed_bytes");
    expect(await put(task.inputCiphertext, input)).to.include({ kind: "stored" });
    expect((await figure("relayed_bytes")) - before).to.be.lessThan(megabyte / 10);
    expect([link.isOpen(), node.desk.counts().open]).to.deep.equal([true, 1]);
    link.close();
    await until("the node has let the link go", () => node.desk.counts().links === 0);
  });

  it("serves nothing but the task's own blobs, to nobody but its client", async () => {
    const [task, other] = [await world.aTask(node), await world.aTask(node)];
    const client = await world.aClient(task);
    const { link, put, get } = await world.meet(client, task, node);
    const { taskId, inputCiphertext: hash, sealedInput } = task;
    expect(await codeRejectedBy(get(hash))).to.equal("BLOB_UNKNOWN");
    expect(await codeRejectedBy(put(hash, sealedInput, stranger))).to.equal("AUTH_FORBIDDEN");
    expect(await codeRejectedBy(put(other.inputCiphertext, other.sealedInput))).to.equal("AUTH_FORBIDDEN");
    expect(await codeRejectedBy(put(hash, other.sealedInput))).to.equal("BLOB_MISMATCH");
    node.shelf.put({ taskId: other.taskId, hash: other.inputCiphertext, bytes: other.sealedInput });
    expect(await codeRejectedBy(get(other.inputCiphertext))).to.equal("BLOB_UNKNOWN");
    expect(node.shelf.get({ taskId, hash })).to.equal(undefined);
    link.close();
  });

  it("takes two inputs and 64 requests over a link, and no more", async () => {
    const task = await world.aTask(node);
    const { inputCiphertext: hash, sealedInput } = task;
    const { link, put, get } = await world.meet(await world.aClient(task), task, node);
    const codes = await Promise.all([1, 2, 3].map(() => put(hash, sealedInput).then(({ kind }) => kind, codeOf)));
    expect(codes.toSorted()).to.deep.equal(["NODE_BUSY", "stored", "stored"]);
    for (let count = 4; count <= 64; count += 1) expect(await get(hash)).to.include({ kind: "blob" });
    void get(hash).catch(() => undefined);
    await link.closed;
  });

  it("refuses a meeting that the task's client did not sign, or signed for something else, or long ago", async () => {
    const task = await world.aTask(node);
    const client = await world.aClient(task);
    const meet = (options: Parameters<MeetingWorld["meet"]>[3]) => codeRejectedBy(world.meet(client, task, node, options));
    expect(await meet({ signer: stranger })).to.equal("AUTH_FORBIDDEN");
    expect(await meet({ change: (message) => ({ ...message, action: 1 }) })).to.equal("AUTH_FORBIDDEN");
    expect(await meet({ change: (message) => ({ ...message, blobHash: keccak256("0x00") }) })).to.equal("AUTH_FORBIDDEN");
    expect(await meet({ change: (message) => ({ ...message, expiry: 1_000n }) })).to.equal("AUTH_EXPIRED");
    expect(node.desk.counts().links).to.equal(0);
  });

  it("introduces a client only to nodes of its own task", async () => {
    const elsewhere = await world.aNode();
    const task = await world.aTask(node);
    const client = await world.aClient(task);
    await client.next("direct");
    const as = { operator: node.operator.address };
    expect(client.frames.some((frame) => frame.t === "direct" && frame.nodeId === elsewhere.nodeId)).to.equal(false);
    expect(await codeRejectedBy(world.meet(client, task, elsewhere, as))).to.equal("NOT_ASSIGNED");
  });

  it("refuses a node that the registry names another operator for, so no gateway can stand in the middle", async () => {
    const task = await world.aTask(node);
    const client = await world.aClient(task);
    const middle = nodePrimitives.generate();
    const message = {
      operator: stranger.address,
      transportKey: bytesToHex(middle.publicKey),
      validUntil: BigInt(Math.floor(Date.now() / 1_000) + 3_600),
    };
    const { context } = world;
    const key = await signMessage({ kind: "transportKey", message, context, signer: stranger });
    expect(await codeRejectedBy(world.meet(client, task, node, { key }))).to.equal("HANDSHAKE_REFUSED");
    const claimed = { ...key, message: { ...message, operator: node.operator.address } };
    expect(await codeRejectedBy(world.meet(client, task, node, { key: claimed }))).to.equal("HANDSHAKE_REFUSED");
    const asOther = { operator: stranger.address };
    expect(await codeRejectedBy(world.meet(client, task, node, asOther))).to.equal("HANDSHAKE_REFUSED");
    expect(node.desk.counts().links).to.equal(0);
  });

  it("is busy for a client that meets too often, and for no other", async () => {
    const [often, once] = [await world.aTask(node), await world.aTask(node)];
    const client = await world.aClient(often);
    const codes: (string | undefined)[] = [];
    for (let count = 0; count < 10; count += 1) {
      await world.meet(client, often, node, { usesUdp: false }).then(
        async ({ link, get }) => {
          await codeRejectedBy(get(often.inputCiphertext));
          link.close();
        },
        (error: { code: string }) => codes.push(error.code),
      );
      await until("the node is free again", () => node.desk.counts().links === 0);
    }
    expect(codes).to.deep.equal(["NODE_BUSY", "NODE_BUSY"]);
    const { link } = await world.meet(await world.aClient(once), once, node, { usesUdp: false });
    link.close();
  });

  it("is busy with sixteen links, and makes room where the task of one is over", async () => {
    const full = await world.aNode();
    const tasks: TestTask[] = [];
    const ends: Promise<void>[] = [];
    for (let count = 0; count < 16; count += 1) {
      const task = await world.aTask(full);
      tasks.push(task);
      const { link, get } = await world.meet(await world.aClient(task), task, full, { usesUdp: false });
      await codeRejectedBy(get(task.inputCiphertext));
      ends.push(link.closed);
    }
    const last = await world.aTask(full);
    const client = await world.aClient(last);
    expect(await codeRejectedBy(world.meet(client, last, full, { usesUdp: false }))).to.equal("NODE_BUSY");
    full.isThrough(tasks[3]!);
    await world.meet(client, last, full, { usesUdp: false });
    await ends[3];
    expect(full.desk.counts().links).to.equal(16);
  });

  it("answers TASK_UNKNOWN while the node does not serve the task yet", async () => {
    const task = await world.aTask(node, { isServed: false });
    expect(await codeRejectedBy(world.meet(await world.aClient(task), task, node))).to.equal("TASK_UNKNOWN");
  });
});

/** Everything that this process hands to WebSockets as binary messages: what a gateway gets to see. */
function tapWebSockets(): { stop(): Uint8Array[] } {
  const { send } = WebSocket.prototype;
  const seen: Uint8Array[] = [];
  WebSocket.prototype.send = function (this: WebSocket, data: string | Uint8Array<ArrayBuffer>) {
    if (data instanceof Uint8Array) seen.push(data.slice());
    send.call(this, data);
  } as typeof send;
  return {
    stop() {
      WebSocket.prototype.send = send;
      return seen;
    },
  };
}
