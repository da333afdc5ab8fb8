/** What a node that is to stop does with each task, by how far it has come. */
import { afterEach, beforeEach, describe, it } from "node:test";
import { receiptStatus } from "@ngpu/protocol/typedData";
import { expect } from "chai";
import { until } from "../harness/until.ts";
import { createDeskWorld, type DeskWorld, type PostedByPayer } from "./support/deskWorld.ts";

describe("task desk that drains", () => {
  let world: DeskWorld;
  /** Lets the runner end what it executes. */
  let release: PromiseWithResolvers<void>;

  beforeEach(() => {
    world = createDeskWorld();
    release = Promise.withResolvers();
    world.runner.execute = async () => {
      await release.promise;
      return { result: new TextEncoder().encode("{}"), startMs: Date.now(), durationMs: 40 };
    };
  });
  afterEach(() => {
    release.resolve();
    return world.close();
  });

  /** Dispatched and accepted. */
  async function accepted(options: Parameters<DeskWorld["post"]>[0] = {}): Promise<PostedByPayer> {
    const posted = world.post(options);
    const before = world.sent("accept").length;
    posted.dispatch();
    await posted.wrap();
    await world.received("accept", before + 1);
    return posted;
  }

  async function executing(): Promise<PostedByPayer> {
    const before = world.sent("progress").length;
    const posted = await accepted();
    await world.received("progress", before + 1);
    return posted;
  }

  function drain(): { isOver: () => boolean; over: Promise<void>; giveUp: () => void } {
    const giveUp = new AbortController();
    let isOver = false;
    const over = world.desk.drain(giveUp.signal).then(() => void (isOver = true));
    return { isOver: () => isOver, over, giveUp: () => giveUp.abort() };
  }

  const receiptsOf = ({ taskId }: PostedByPayer) =>
    world.sent("receipt").filter(({ receipt }) => receipt.message.taskId === taskId);

  it("ends what executes, begins nothing that comes then, and sends the receipt once", async () => {
    const running = await executing();
    const draining = drain();
    const late = world.post();
    late.dispatch();
    await late.wrap();
    expect(world.desk.executing()).to.equal(1);
    expect(draining.isOver()).to.equal(false);
    release.resolve();
    await draining.over;
    expect(receiptsOf(running).map(({ receipt }) => receipt.message.status)).to.deep.equal([receiptStatus.succeeded]);
    expect(world.sent("accept")).to.have.length(1);
    expect(receiptsOf(late)).to.deep.equal([]);
  });

  it("hands what waits for a slot to a backup that holds the input, with a journaled failure", async () => {
    await executing();
    const waiting = await accepted();
    waiting.state.acceptedMask = 3;
    const draining = drain();
    const { receipt, detail } = await until("a failure", () => receiptsOf(waiting)[0]);
    expect(receipt.message.status).to.equal(receiptStatus.runnerCrashed);
    expect(detail).to.include("NODE_DRAINING");
    const key = { taskId: waiting.taskId, assignment: 1, attempt: 0 };
    expect(world.journal.find(key)?.receipt).to.deep.equal(receipt);
    release.resolve();
    await draining.over;
    expect(receiptsOf(waiting)).to.have.length(1);
  });

  const unable: [string, Partial<PostedByPayer["state"]>][] = [
    ["has not accepted", { acceptedMask: 1 }],
    ["has failed", { acceptedMask: 3, failedMask: 2 }],
  ];
  for (const [why, state] of unable) {
    it(`executes what waits for a slot itself when the backup ${why}: a failure would refund the task`, async () => {
      await executing();
      const waiting = await accepted();
      Object.assign(waiting.state, state);
      const draining = drain();
      release.resolve();
      await draining.over;
      expect(receiptsOf(waiting).map(({ receipt }) => receipt.message.status)).to.deep.equal([receiptStatus.succeeded]);
    });
  }

  it("hands over as soon as the backup has accepted", async () => {
    await executing();
    const waiting = await accepted();
    let looks = 0;
    Object.defineProperty(waiting.state, "acceptedMask", { get: () => (looks++ === 0 ? 1 : 3) });
    const draining = drain();
    await until("it is handed over", () => receiptsOf(waiting).length === 1);
    expect(looks).to.be.above(1);
    release.resolve();
    await draining.over;
  });

  it("is not held by what it keeps as backup or by payers who are late, and says nothing of them", async () => {
    const standby = await accepted({ role: "backup" });
    const late = world.post();
    late.dispatch();
    const draining = drain();
    await draining.over;
    standby.dispatch({ role: "primary", attempt: 1 });
    await late.wrap();
    expect(world.desk.executing()).to.equal(0);
    expect(world.sent("receipt")).to.deep.equal([]);
  });

  it("waits until the gateway has answered after its receipts, over whichever connection", async () => {
    const running = await executing();
    world.line.answers = false;
    const draining = drain();
    release.resolve();
    await until("the receipt is journaled", () => world.journal.entries().length === 1);
    await until("it is told", () => receiptsOf(running).length > 0);
    const before = receiptsOf(running).length;
    world.line.connection = 2;
    await until("it is told over the new connection", () => receiptsOf(running).length > before);
    expect(draining.isOver()).to.equal(false);
    world.line.answers = true;
    await draining.over;
    expect(new Set(receiptsOf(running).map(({ receipt }) => receipt.signature)).size).to.equal(1);
  });

  it("gives up waiting for the gateway when its time is up", async () => {
    await executing();
    world.line.answers = false;
    const draining = drain();
    release.resolve();
    await until("the receipt is journaled", () => world.journal.entries().length === 1);
    draining.giveUp();
    await draining.over;
    expect(world.journal.entries()).to.have.length(1);
  });

  it("waits for no gateway that is not there: its journal tells the same receipt after the next start", async () => {
    const running = await executing();
    world.line.connection = 0;
    const draining = drain();
    expect(draining.isOver()).to.equal(false);
    release.resolve();
    await draining.over;
    const [kept] = world.journal.entries();
    expect(kept?.receipt.message.taskId).to.equal(running.taskId);

    world.line.connection = 1;
    const before = receiptsOf(running).length;
    await world.restart();
    world.desk.connected();
    await until("it is told again", () => receiptsOf(running).length > before);
    expect(receiptsOf(running).at(-1)?.receipt).to.deep.equal(kept?.receipt);
  });
});
