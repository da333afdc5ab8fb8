/** What a message sends, and when: once in turn, then only what was lost, within window and credit. */
import { test } from "node:test";
import { expect } from "chai";
import { createInbox } from "@ngpu/protocol/harq/message/inbox";
import { messageLimits } from "@ngpu/protocol/harq/message/messageLimits";
import { createOutbox } from "@ngpu/protocol/harq/message/outbox";
import { createOutgoingMessage, type OutgoingMessage } from "@ngpu/protocol/harq/message/outgoingMessage";
import type { SendingConditions } from "@ngpu/protocol/harq/message/sendingConditions";
import { partition } from "@ngpu/protocol/harq/redundancy/partition";
import { createErasureCodec } from "@ngpu/protocol/wire/fec/createErasureCodec";
import { createRandom } from "../support/random.ts";
import { createHasher } from "../support/world.ts";

const ports = { codec: createErasureCodec(), createHasher };
const random = createRandom(4);
const conditions: SendingConditions = {
  profile: "coded",
  loss: 0.1,
  unclampedLoss: 0.1,
  meanBurst: 1,
  rttUs: 200_000,
  bytesPerSecond: 12_500_000,
  isCongested: false,
  queuedBytes: 0,
};

test("a message goes out once, symbol for symbol, and only what was lost is made up for", () => {
  const message = aMessage(300_000);
  const sent = drain(message, { ...conditions, queuedBytes: 1e9 });
  expect(sent.length).to.equal(message.parts.symbols);
  message.plan({ ...conditions, queuedBytes: 1e9 });
  expect(message.hasNext(), "while all of it may still arrive").to.equal(false);
  for (const { block } of sent) message.onFate({ message, block, isRepeated: false }, "lost");
  const deficits = [0, 1, 2].map((block) => ({ message: 1, block, deficit: block === 1 ? 9 : 0 }));
  message.onDeficits(deficits, []);
  message.plan({ ...conditions, queuedBytes: 1e9 });
  const repair = drain(message, conditions);
  expect(new Set(repair.map(({ block }) => block.index))).to.deep.equal(new Set([1]));
  expect(repair.length).to.equal(Math.round((9 + 1.5 * Math.sqrt(0.9) + 1) / 0.9));
});

test("a block that was rebuilt from parity is sent nothing more", () => {
  const message = aMessage(100_000);
  for (const { block } of drain(message, { ...conditions, queuedBytes: 1e9 }))
    message.onFate({ message, block, isRepeated: false }, "lost");
  message.onDeficits([{ message: 1, block: 0, deficit: 0 }], []);
  message.plan(conditions);
  expect(drain(message, conditions)).to.deep.equal([]);
  expect(message.openBytes()).to.equal(0);
});

test("what a receiver rebuilt from parity it reports as complete, and no repair follows", () => {
  const inbox = createInbox(ports);
  const message = aMessage(300_000);
  const sent = drain(message, conditions);
  const rebuilt = new Set(sent.filter(({ block, esi }) => esi >= block.k).map(({ block }) => block.index));
  expect(rebuilt.size, "blocks with parity").to.be.above(0);
  for (const { block, esi, bytes } of sent) {
    const isLost = rebuilt.has(block.index) && esi % 32 === 0 && esi < block.k;
    message.onFate({ message, block, isRepeated: false }, isLost ? "lost" : "arrived");
    if (!isLost) inbox.onSymbol({ ...shapeOf(message), block: block.index, esi, symbol: bytes });
  }
  const told = inbox.deficits(100);
  expect(told.every(({ deficit }) => deficit === 0), JSON.stringify(told)).to.equal(true);
  message.onDeficits(told, inbox.missing(100));
  message.plan(conditions);
  expect(drain(message, conditions)).to.deep.equal([]);
});

test("a group that is short by one symbol has all others counted: one is asked for, and few are sent", () => {
  const inbox = createInbox(ports);
  const message = aMessage(100_000);
  const sent = drain(message, { ...conditions, queuedBytes: 1e9 });
  const [lost, ...arrived] = sent;
  for (const { block, esi, bytes } of arrived) {
    message.onFate({ message, block, isRepeated: false }, "arrived");
    inbox.onSymbol({ ...shapeOf(message), block: block.index, esi, symbol: bytes });
  }
  message.onFate({ message, block: lost!.block, isRepeated: false }, "lost");
  expect(inbox.deficits(100)).to.deep.equal([{ message: 1, block: 0, deficit: 1 }]);
  message.onDeficits(inbox.deficits(100), []);
  message.plan({ ...conditions, queuedBytes: 1e9 });
  expect(drain(message, { ...conditions, queuedBytes: 1e9 }).length).to.be.within(1, 3);
});

test("a stale report takes nothing back", () => {
  const message = aMessage(100_000);
  for (const { block } of drain(message, { ...conditions, queuedBytes: 1e9 }))
    message.onFate({ message, block, isRepeated: false }, "lost");
  message.onDeficits([{ message: 1, block: 0, deficit: 2 }], []);
  message.onDeficits([{ message: 1, block: 0, deficit: 60 }], []);
  message.plan({ ...conditions, queuedBytes: 1e9 });
  expect(drain(message, conditions).length).to.be.at.most(5);
});

test("nothing is sent in advance while loss is taken for congestion, nor over one stream", () => {
  for (const changed of [{ isCongested: true }, { profile: "framed" as const }]) {
    const message = aMessage(100_000);
    expect(drain(message, { ...conditions, ...changed }).length).to.equal(message.parts.symbols);
  }
  expect(drain(aMessage(100_000), conditions).length).to.be.above(aMessage(100_000).parts.symbols);
});

test("symbols of as many blocks as a burst asks for are sent in turn", () => {
  const sent = drain(aMessage(1_000_000), { ...conditions, meanBurst: 3, queuedBytes: 1e9 });
  expect(sent.slice(0, 10).map(({ block }) => block.index)).to.deep.equal([0, 1, 2, 3, 4, 0, 1, 2, 3, 4]);
});

test("of a message above 16 MiB no more is read than its window, until the receiver has its beginning", () => {
  const length = 40 * 1024 * 1024;
  let read = 0;
  const source = { length, read: (_: number, count: number) => ((read += count), new Uint8Array(count)) };
  const parts = partition({ length, symbolBytes: 1_152, kmax: 128 });
  const message = createOutgoingMessage({ ...ports, id: 1, priority: "bulk", parts, source });
  drain(message, { ...conditions, queuedBytes: 1e9 });
  expect(read).to.be.within(messageLimits.windowBytes * 0.98, messageLimits.windowBytes);
  message.onDeficits([{ message: 1, block: 20, deficit: 1 }], []);
  drain(message, { ...conditions, queuedBytes: 1e9 });
  expect(read).to.be.within(messageLimits.windowBytes * 1.1, messageLimits.windowBytes * 1.2);
});

test("messages are begun within the credit, ids rise, and waiting ones begin when it is raised", () => {
  const outbox = createOutbox(ports);
  const source = { length: 16 * 1024 * 1024, read: (_: number, length: number) => new Uint8Array(length) };
  for (let handle = 0; handle < 6; handle += 1) outbox.enqueue({ handle, source, priority: "bulk" });
  outbox.begin(1_168, 0.1);
  expect(outbox.open().map(({ id }) => id)).to.deep.equal([0, 1, 2, 3]);
  const credit = messageLimits.initialCreditBytes + source.length;
  outbox.onStatus({
    type: "status",
    path: 0,
    largest: 0,
    ageUs: 0,
    received: 0,
    credit,
    ranges: [],
    deficits: [],
    missing: [],
  });
  outbox.begin(1_168, 0.1);
  expect(outbox.open().map(({ id }) => id)).to.deep.equal([0, 1, 2, 3, 4]);
});

function aMessage(length: number): OutgoingMessage {
  const bytes = random.bytes(length);
  const parts = partition({ length, symbolBytes: 1_152, kmax: 128 });
  const source = { length, read: (offset: number, count: number) => bytes.subarray(offset, offset + count) };
  return createOutgoingMessage({ ...ports, id: 1, priority: "bulk", parts, source });
}

function shapeOf({ id, parts: { length, kmax, symbolBytes } }: OutgoingMessage) {
  return { type: "symbol", message: id, length, kmax, symbolBytes, priority: 1, codec: 0 } as const;
}

function drain(message: OutgoingMessage, given: SendingConditions) {
  const sent = [];
  for (let symbol = message.next(given); symbol !== undefined; symbol = message.next(given)) sent.push(symbol);
  return sent;
}
