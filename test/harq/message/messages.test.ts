/** Blocks, messages and their boxes by themselves: ids, what is asked, credit, what is refused, and turns. */
import { test } from "node:test";
import { expect } from "chai";
import { createIncomingBlock } from "@ngpu/protocol/harq/message/incomingBlock";
import { createInbox } from "@ngpu/protocol/harq/message/inbox";
import { createIdSet } from "@ngpu/protocol/harq/message/idSet";
import { messageLimits } from "@ngpu/protocol/harq/message/messageLimits";
import { createOutbox } from "@ngpu/protocol/harq/message/outbox";
import { createOutgoingBlock } from "@ngpu/protocol/harq/message/outgoingBlock";
import { createOutgoingMessage, type OutgoingMessage } from "@ngpu/protocol/harq/message/outgoingMessage";
import type { Priority } from "@ngpu/protocol/harq/message/priority";
import { createScheduler } from "@ngpu/protocol/harq/message/scheduler";
import type { SendingConditions } from "@ngpu/protocol/harq/message/sendingConditions";
import { symbolSizeFor } from "@ngpu/protocol/harq/message/symbolSize";
import { partition } from "@ngpu/protocol/harq/redundancy/partition";
import type { SymbolFrame } from "@ngpu/protocol/harq/wire/frames";
import { createErasureCodec } from "@ngpu/protocol/wire/fec/createErasureCodec";
import { createRandom } from "../support/random.ts";
import { createHasher } from "../support/world.ts";

const codec = createErasureCodec();
const ports = { codec, createHasher };
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

test("a block of 128 uses every id once, then repeats only the source symbols that are missing", () => {
  const parts = partition({ length: 128 * 64, symbolBytes: 64, kmax: 128 });
  const block = createOutgoingBlock({ index: 0, parts, source: random.bytes(128 * 64), codec });
  const used = new Set<number>();
  while (block.sourceLeft() > 0) used.add(block.nextSource()!.esi);
  while (block.idsLeft() > 0) used.add(block.nextRepair().esi);
  expect(used.size).to.equal(256);
  const bitmap = new Uint8Array(16);
  for (const esi of [3, 77, 127]) bitmap[esi >> 3]! |= 1 << (esi & 7);
  block.setMissing(bitmap);
  expect(Array.from({ length: 6 }, () => block.nextRepair().esi)).to.deep.equal([3, 77, 127, 3, 77, 127]);
});

test("a block is complete with any k of its symbols, and counts none of them twice", () => {
  for (let round = 0; round < 200; round += 1) {
    const k = random.integer(1, 40);
    const parts = partition({ length: k * 64, symbolBytes: 64, kmax: 128 });
    const source = random.bytes(k * 64);
    const sender = createOutgoingBlock({ index: 0, parts, source, codec });
    const symbols = Array.from({ length: 2 * k }, () => sender.nextSource() ?? sender.nextRepair());
    const place = new Uint8Array(k * 64);
    const receiver = createIncomingBlock({ k, symbolBytes: 64, place, codec });
    const shuffled = symbols.map((symbol) => ({ symbol, at: random.unit() })).sort((one, other) => one.at - other.at);
    for (const { symbol } of shuffled.slice(0, k)) {
      expect(receiver.deficit()).to.be.above(0);
      expect(receiver.add(symbol.esi, symbol.bytes)).to.equal(true);
      expect(receiver.add(symbol.esi, symbol.bytes)).to.equal(false);
    }
    expect(receiver.deficit()).to.equal(0);
    expect(place).to.deep.equal(source);
  }
});

test("a receiver short by one says so, though all it has are source symbols", () => {
  const place = new Uint8Array(10 * 64);
  const block = createIncomingBlock({ k: 10, symbolBytes: 64, place, codec });
  for (let esi = 0; esi < 9; esi += 1) block.add(esi, new Uint8Array(64));
  expect(block.deficit()).to.equal(1);
});

test("which source symbols are missing is told once the ids run out", () => {
  const block = createIncomingBlock({ k: 100, symbolBytes: 64, place: new Uint8Array(6_400), codec });
  block.add(5, new Uint8Array(64));
  expect(block.missing()).to.equal(undefined);
  block.add(250, new Uint8Array(64));
  const bitmap = block.missing()!;
  const told = Array.from({ length: 128 }, (_, esi) => ((bitmap[esi >> 3]! >> (esi & 7)) & 1) === 1);
  expect(told.filter(Boolean).length).to.equal(99);
  expect([told[5], told[6], told[100]]).to.deep.equal([false, true, false]);
});

test("few symbols are cut evenly with room for their END, many fill their datagrams", () => {
  const bodyBytes = 1_168;
  expect(symbolSizeFor({ length: 1, bodyBytes })).to.equal(64);
  expect(symbolSizeFor({ length: 1_024, bodyBytes })).to.equal(1_024);
  expect(symbolSizeFor({ length: 4_096, bodyBytes })).to.equal(1_024);
  expect(symbolSizeFor({ length: 1_000_000, bodyBytes })).to.equal(1_152);
  for (let round = 0; round < 1_000; round += 1) {
    const length = random.integer(1, 17_000);
    const symbolBytes = symbolSizeFor({ length, bodyBytes });
    expect(16 + 2 + symbolBytes + 42).to.be.at.most(bodyBytes);
  }
});

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
  message.onDeficits([{ message: 1, block: 1, deficit: 0 }], []);
  message.plan(conditions);
  expect(drain(message, conditions)).to.deep.equal([]);
  expect(message.openBytes()).to.equal(0);
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

test("a symbol that contradicts itself, its message or the credit takes no room at all", () => {
  const inbox = createInbox(ports);
  const good = aSymbol();
  const bad: SymbolFrame[] = [
    { ...good, block: 1 },
    { ...good, esi: 2, symbol: new Uint8Array(63) },
    { ...good, length: 2 ** 40 - 1, kmax: 1 },
    { ...good, symbol: new Uint8Array(63) },
  ];
  for (const frame of bad) inbox.onSymbol(frame);
  expect(inbox.heldBytes()).to.equal(0);
  inbox.onSymbol(good);
  const held = inbox.heldBytes();
  inbox.onSymbol({ ...good, length: 200, esi: 1 });
  inbox.onSymbol({ ...good, kmax: 9, esi: 1 });
  expect(inbox.heldBytes()).to.equal(held);
  for (let message = 1; message < 40; message += 1) inbox.onSymbol({ ...good, ...large, message });
  expect(inbox.heldBytes()).to.be.at.most(messageLimits.initialCreditBytes + held + 4 * 200_000);
});

test("an unknown code is refused, and the sender told", () => {
  const inbox = createInbox(ports);
  expect(inbox.onSymbol({ ...aSymbol(), codec: 3 }).events).to.deep.equal([
    { type: "messageFailed", message: 0, verdict: "refused" },
  ]);
  expect(inbox.dones().get(0)).to.equal("refused");
});

test("a message whose hash differs fails loudly, is not delivered and not repaired", () => {
  const inbox = createInbox(ports);
  inbox.onSymbol({ ...aSymbol(), esi: 0 });
  inbox.onSymbol({ ...aSymbol(), esi: 1 });
  const { events } = inbox.onEnd({ type: "end", message: 0, length: 128, sha256: new Uint8Array(32) });
  expect(events).to.deep.equal([{ type: "messageFailed", message: 0, verdict: "hashDiffers" }]);
  expect(inbox.onSymbol(aSymbol()).events).to.deep.equal([]);
  expect([inbox.isIncomplete(), inbox.heldBytes()]).to.deep.equal([false, 0]);
});

test("a delivered message is not delivered again, neither before nor after the sender knows of it", () => {
  const inbox = createInbox(ports);
  const hasher = createHasher();
  hasher.update(new Uint8Array(128));
  const end = { type: "end", message: 0, length: 128, sha256: hasher.digest() } as const;
  const all = (): string[] =>
    [inbox.onSymbol(aSymbol()), inbox.onSymbol({ ...aSymbol(), esi: 2 }), inbox.onEnd(end)].flatMap(({ events }) =>
      events.map(({ type }) => type),
    );
  expect(all()).to.deep.equal(["message"]);
  expect(all()).to.deep.equal([]);
  inbox.onDoneAck(0);
  expect(all()).to.deep.equal([]);
  expect(inbox.dones().size).to.equal(0);
});

test("credit is given back when the application is through with a message, and when one is cancelled unseen", () => {
  const inbox = createInbox(ports);
  const before = inbox.credit();
  inbox.onCancel({ type: "cancel", message: 5, length: 1_000, code: 0 });
  expect(inbox.credit()).to.equal(before + 1_000);
  expect(inbox.onSymbol({ ...aSymbol(), message: 5 }).events).to.deep.equal([]);
});

test("ids that are finished in any order are kept as one run when all are", () => {
  const ids = createIdSet();
  const order = Array.from({ length: 500 }, (_, id) => ({ id, at: random.unit() })).sort(
    (one, other) => one.at - other.at,
  );
  for (const { id } of order) {
    expect(ids.has(id)).to.equal(false);
    ids.add(id);
    expect(ids.has(id)).to.equal(true);
  }
  expect([ids.size(), ids.has(500)]).to.deep.equal([1, false]);
});

test("what someone waits for goes first, bulk keeps a tenth, and messages of one kind share", () => {
  const items = (["interactive", "bulk", "bulk", "background"] as const).map((priority) => ({
    priority: priority as Priority,
    hasNext: () => true,
    bytes: 0,
  }));
  const scheduler = createScheduler<(typeof items)[number]>();
  for (const item of items) scheduler.add(item);
  const send = (count: number): number[] => {
    for (const item of items) item.bytes = 0;
    for (let turn = 0; turn < count; turn += 1) {
      const item = scheduler.pick(() => true)!;
      item.bytes += 1_152;
      scheduler.sent(item, 1_152);
    }
    return items.map(({ bytes }) => bytes / 1_152);
  };
  const [interactive, ...others] = send(10_000);
  expect(interactive! / 10_000).to.be.closeTo(0.9, 0.02);
  expect(others.every((count) => count > 0)).to.equal(true);
  scheduler.remove(items[0]!);
  const shares = send(9_000);
  expect(shares[1]! / shares[2]!).to.be.closeTo(1, 0.05);
  expect(shares[1]! / shares[3]!).to.be.closeTo(4, 0.3);
});

const large = { length: 16 * 1024 * 1024, kmax: 128, symbolBytes: 1_152, symbol: new Uint8Array(1_152) };

function aSymbol(): SymbolFrame {
  const shape = { message: 0, length: 128, kmax: 2, symbolBytes: 64 };
  return { type: "symbol", ...shape, block: 0, esi: 0, priority: 1, codec: 0, symbol: new Uint8Array(64) };
}

function aMessage(length: number): OutgoingMessage {
  const bytes = random.bytes(length);
  const parts = partition({ length, symbolBytes: 1_152, kmax: 128 });
  const source = { length, read: (offset: number, count: number) => bytes.subarray(offset, offset + count) };
  return createOutgoingMessage({ ...ports, id: 1, priority: "bulk", parts, source });
}

function drain(message: OutgoingMessage, given: SendingConditions) {
  const sent = [];
  for (let symbol = message.next(given); symbol !== undefined; symbol = message.next(given)) sent.push(symbol);
  return sent;
}
