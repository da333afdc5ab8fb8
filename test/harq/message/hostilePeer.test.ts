/**
 * A peer that holds the key and sends anything at all: nothing throws, and nothing takes more room than the credit.
 */
import { test } from "node:test";
import { expect } from "chai";
import { createInbox } from "@ngpu/protocol/harq/message/inbox";
import { messageLimits } from "@ngpu/protocol/harq/message/messageLimits";
import { createOutbox } from "@ngpu/protocol/harq/message/outbox";
import { createErasureCodec } from "@ngpu/protocol/wire/fec/createErasureCodec";
import { createRandom, type Random } from "../support/random.ts";
import { createHasher } from "../support/world.ts";

const ports = { codec: createErasureCodec(), createHasher };
const inputs = process.env["NGPU_FUZZ"] === undefined ? 1_000_000 : 10_000_000;

test("symbols of any block, id and shape, in any order, stay within the credit and break nothing", () => {
  const random = createRandom(Number(process.env["SEED"] ?? "5"));
  let inbox = createInbox(ports);
  for (let input = 0; input < inputs; input += 1) {
    if (input % 5_000 === 0) inbox = createInbox(ports);
    const { events } = act(inbox, random);
    for (const event of events) if (event.type === "message") inbox.consumed(event.message);
    if (input % 50 !== 0) continue;
    expect(inbox.heldBytes()).to.be.at.most(2 * messageLimits.initialCreditBytes);
    expect(inbox.deficits(100).length).to.be.at.most(100);
    expect(inbox.missing(20).length).to.be.at.most(20);
    expect(inbox.heldIds()).to.be.at.most(4_000);
  }
});

test("reports of anything move no message beyond its bounds", () => {
  const random = createRandom(6);
  const outbox = createOutbox(ports);
  const bytes = random.bytes(200_000);
  const source = { length: bytes.length, read: (at: number, length: number) => bytes.subarray(at, at + length) };
  outbox.enqueue({ handle: 1, source, priority: "bulk" });
  outbox.begin(1_168, 0.1);
  const message = outbox.open()[0]!;
  const conditions = {
    profile: "coded",
    loss: 0.1,
    unclampedLoss: 0.1,
    meanBurst: 1,
    rttUs: 50_000,
    bytesPerSecond: 1e6,
    isCongested: false,
    queuedBytes: 0,
  } as const;
  for (let round = 0; round < 20_000; round += 1) {
    const entry = (): { message: number; block: number } => ({
      message: random.integer(0, 1),
      block: random.pick([0, 1, 2, 65_535]) === 65_535 && random.chance(0.9) ? 1 : random.integer(0, 3),
    });
    const deficits = Array.from({ length: random.integer(0, 4) }, () => ({
      ...entry(),
      deficit: random.integer(1, 128),
    }));
    const missing = [{ ...entry(), bitmap: random.bytes(16) }];
    const status = { type: "status", path: 0, largest: 0, ageUs: 0, received: 0, credit: 0, ranges: [] } as const;
    outbox.onStatus({ ...status, deficits, missing });
    outbox.plan(conditions);
    const symbol = message.next(conditions) ?? message.probe();
    if (symbol !== undefined) {
      expect(symbol.esi).to.be.within(0, 255);
      message.onFate({ message, ...symbol }, random.pick(["arrived", "lost"] as const));
    }
  }
});

function act(inbox: ReturnType<typeof createInbox>, random: Random) {
  const message = random.integer(0, 300);
  const length = random.pick([1, 64, 5_000, 40_000, 3_000_000, 2 ** 40 - 1]);
  switch (random.integer(0, 19)) {
    case 0:
      return inbox.onEnd({ type: "end", message, length, sha256: random.bytes(32) });
    case 1:
      return inbox.onCancel({ type: "cancel", message, length, code: 0 });
    case 2:
      inbox.onDoneAck(message);
      return { events: [] };
    default: {
      const symbolBytes = 64 * random.pick([1, 16, 18]);
      return inbox.onSymbol({
        type: "symbol",
        message,
        length,
        kmax: random.pick([1, 16, 128]),
        symbolBytes,
        block: random.pick([0, 0, 1, 2, random.integer(0, 65_535)]),
        esi: random.integer(0, 255),
        priority: random.integer(0, 15),
        codec: random.chance(0.01) ? 1 : 0,
        symbol: new Uint8Array(random.chance(0.8) ? symbolBytes : random.integer(1, symbolBytes)),
      });
    }
  }
}
