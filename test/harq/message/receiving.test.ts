/** What is taken of a peer: consistent, within the credit, delivered once, failed loudly, and given back. */
import { test } from "node:test";
import { expect } from "chai";
import { createInbox } from "@ngpu/protocol/harq/message/inbox";
import { messageLimits } from "@ngpu/protocol/harq/message/messageLimits";
import type { SymbolFrame } from "@ngpu/protocol/harq/wire/frames";
import { createErasureCodec } from "@ngpu/protocol/wire/fec/createErasureCodec";
import { createHasher } from "../support/world.ts";

const ports = { codec: createErasureCodec(), createHasher };

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

test("of a message in pieces no more than a window is taken before the reader is through with its beginning", () => {
  const inbox = createInbox(ports);
  const symbolBytes = 16_320;
  const blocks = 1_100;
  const symbol = new Uint8Array(symbolBytes);
  const give = (block: number) =>
    inbox.onSymbol({ ...aSymbol(), length: blocks * symbolBytes, symbolBytes, kmax: 1, block, esi: 0, symbol }).events;
  const pieces = Array.from({ length: blocks }, (_, block) => give(block).length).reduce((sum, one) => sum + one, 0);
  expect(pieces).to.equal(Math.ceil(messageLimits.windowBytes / symbolBytes));
  expect(inbox.deficits(1), "the sender's window stands").to.deep.equal([{ message: 0, block: 0, deficit: 0 }]);
  inbox.consumedPieces(0, 10 * symbolBytes - 1);
  expect(inbox.deficits(1)).to.deep.equal([{ message: 0, block: 9, deficit: 0 }]);
  expect([give(pieces + 8).length, give(pieces + 9).length], "in order, and within").to.deep.equal([0, 0]);
  expect(give(pieces).length, "the gap is closed up to there").to.equal(1);
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

const large = { length: 16 * 1024 * 1024, kmax: 128, symbolBytes: 1_152, symbol: new Uint8Array(1_152) };

function aSymbol(): SymbolFrame {
  const shape = { message: 0, length: 128, kmax: 2, symbolBytes: 64 };
  return { type: "symbol", ...shape, block: 0, esi: 0, priority: 1, codec: 0, symbol: new Uint8Array(64) };
}
