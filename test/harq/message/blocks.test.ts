/** Blocks by themselves: ids are used once, any k symbols complete one, and sizes leave room for the END. */
import { test } from "node:test";
import { expect } from "chai";
import { createIncomingBlock } from "@ngpu/protocol/harq/message/incomingBlock";
import { createOutgoingBlock } from "@ngpu/protocol/harq/message/outgoingBlock";
import { symbolSizeFor } from "@ngpu/protocol/harq/message/symbolSize";
import { partition } from "@ngpu/protocol/harq/redundancy/partition";
import { createErasureCodec } from "@ngpu/protocol/wire/fec/createErasureCodec";
import { createRandom } from "../support/random.ts";

const codec = createErasureCodec();
const random = createRandom(4);

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
