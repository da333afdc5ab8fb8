/** An agent that is asked to stop while it executes, as in a rolling restart: the payer notices nothing. */
import { after, before, describe, it } from "node:test";
import { receiptStatus } from "@ngpu/protocol/typedData";
import { expect } from "chai";
import { until } from "../harness/until.ts";
import { createDrainWorld, type DrainWorld } from "./support/drainWorld.ts";

describe("drain", () => {
  let world: DrainWorld;
  before(async () => {
    world = await createDrainWorld();
  });
  after(() => world?.close());

  it("ends what the agent executes, and the backup executes what had only been accepted", async () => {
    const [leaving, staying] = world.pair;
    const tasks = [await world.task(4), await world.task(4)];
    world.startKeeper();
    await Promise.all(tasks.map((task) => task.accepted()));
    leaving.process.signal("SIGTERM");
    await until("the roster shows it", async () => (await world.slotsAnnounced(leaving.nodeId)) === 0);
    expect(await leaving.process.ended).to.equal(0);
    expect(leaving.process.log()).to.include('"msg":"drained"');

    const bills = await Promise.all(tasks.map((task) => task.paid()));
    expect(bills.map(({ nodeId }) => nodeId).toSorted()).to.deep.equal([leaving.nodeId, staying.nodeId].toSorted());
    for (const [position, { taskId }] of tasks.entries()) {
      const told = world.receipts(taskId).map(({ receipt }) => receipt);
      const { succeeded, runnerCrashed } = receiptStatus;
      const said = told.map(({ message }) => [message.nodeId, message.attempt, message.status]);
      const isHandedOver = bills[position]?.nodeId === staying.nodeId;
      expect(said).to.deep.equal([
        [leaving.nodeId, 0, isHandedOver ? runnerCrashed : succeeded],
        ...(isHandedOver ? [[staying.nodeId, 1, succeeded]] : []),
      ]);
    }
    expect(leaving.journaled()).to.equal(2);
  });

  it("breaks off what takes longer than its bound, which the backup then executes and is paid for", async () => {
    const [leaving, staying] = world.pair;
    await leaving.start({ NGPU_DRAIN_S: "1" });
    await until("it is back", async () => (await world.slotsAnnounced(leaving.nodeId)) === 1);
    const task = await world.task(6);
    await task.accepted();
    leaving.process.signal("SIGTERM");
    expect(await leaving.process.ended).to.equal(0);
    expect(leaving.process.log()).to.include("not everything has ended in time");
    expect((await task.paid()).nodeId).to.equal(staying.nodeId);
    expect(world.receipts(task.taskId).map(({ receipt }) => receipt.message.nodeId)).to.deep.equal([staying.nodeId]);
  });
});
