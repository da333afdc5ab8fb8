/** Whose turn it is among messages, and which ids are finished. */
import { test } from "node:test";
import { expect } from "chai";
import { createIdSet } from "@ngpu/protocol/harq/message/idSet";
import type { Priority } from "@ngpu/protocol/harq/message/priority";
import { createScheduler } from "@ngpu/protocol/harq/message/scheduler";
import { createRandom } from "../support/random.ts";

const random = createRandom(4);

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
