/** The packets that the bench's bad network holds back: in their order, whole, and never more than there is room for. */
import { test } from "node:test";
import { expect } from "chai";
import { createPacketRing } from "../../../scripts/bench/harq/network/packetRing.ts";
import { createRandom } from "../support/random.ts";

test("whatever comes and goes, packets leave whole and in their order, and a full ring takes none", () => {
  for (const seed of [1, 2, 3]) {
    const random = createRandom(seed);
    const capacity = random.integer(1, 40);
    const ring = createPacketRing(capacity);
    const expected: { bytes: Uint8Array; dueUs: number }[] = [];
    let refused = 0;
    for (let turn = 0; turn < 20_000; turn += 1) {
      if (random.chance(0.52)) {
        const slot = ring.slot();
        expect(slot === undefined, "full when it holds as many as it was made for").to.equal(expected.length === capacity);
        if (slot === undefined) {
          refused += 1;
          continue;
        }
        const bytes = random.bytes(random.integer(1, 1_500));
        slot.set(bytes);
        ring.push(bytes.length, turn);
        expected.push({ bytes, dueUs: turn });
      } else {
        const first = expected.shift();
        expect(ring.nextUs()).to.equal(first?.dueUs ?? Infinity);
        if (first !== undefined) expect(Buffer.compare(ring.shift(), first.bytes)).to.equal(0);
      }
    }
    expect(refused, "it was full").to.be.above(0);
  }
});

test("a slot takes the largest packet of the device, and no two share memory", () => {
  const ring = createPacketRing(3);
  const lengths = [1_500, 1_500, 1_500];
  lengths.forEach((length, at) => {
    ring.slot()!.fill(at + 1, 0, length);
    ring.push(length, at);
  });
  expect(ring.slot()).to.equal(undefined);
  for (const value of [1, 2, 3]) expect([...new Set(ring.shift())]).to.deep.equal([value]);
  expect(ring.nextUs()).to.equal(Infinity);
});
