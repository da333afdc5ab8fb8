/** Answers of a lane that come in any order are judged in that of their numbers. */
import { beforeEach, describe, it } from "node:test";
import { createAnswerOrder, type AnswerOrder } from "@ngpu/client/session/answerOrder";
import type { FrameOf } from "@ngpu/protocol/wire";
import { expect } from "chai";
import { until } from "../harness/until.ts";

describe("order of answers", () => {
  let next: bigint;
  let delivered: string[];
  let order: AnswerOrder;
  beforeEach(() => {
    [next, delivered] = [1n, []];
    order = createAnswerOrder({ nextSeq: () => next, deliver: ({ nodeId, seq }) => void delivered.push(`${nodeId}:${seq}`) });
  });
  const take = (...seqs: bigint[]): void => {
    for (const seq of seqs) order.take({ nodeId: 1, seq } as FrameOf<"answer">);
  };

  it("is that of their numbers, each lane for itself, whatever order they come in", () => {
    take(3n, 2n);
    order.take({ nodeId: 2, seq: 1n } as FrameOf<"answer">);
    expect(delivered).to.deep.equal(["2:1"]);
    take(1n, 5n, 4n, 6n);
    expect(delivered).to.deep.equal(["2:1", "1:1", "1:2", "1:3", "1:4", "1:5", "1:6"]);
    order.close();
  });

  it("begins where the books are, and passes on at once what they have already", () => {
    next = 8n;
    take(7n, 9n, 8n);
    expect(delivered).to.deep.equal(["1:7", "1:8", "1:9"]);
  });

  it("waits for one that is missing, but not for long: those behind it then show the gap", async () => {
    take(2n, 4n, 3n);
    expect(delivered).to.deep.equal([]);
    await until("they are passed on", () => delivered.length === 3, 5_000);
    expect(delivered).to.deep.equal(["1:2", "1:3", "1:4"]);
    // The node tells all of them again.
    order.restart(1);
    take(1n, 2n);
    expect(delivered.slice(3)).to.deep.equal(["1:1", "1:2"]);
    order.close();
  });

  it("holds no more than a node works ahead", () => {
    for (let seq = 2n; seq < 400n; seq += 1n) take(seq);
    expect(delivered.length).to.be.greaterThan(250);
    order.close();
  });
});
