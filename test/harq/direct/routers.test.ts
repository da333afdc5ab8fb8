/** Holes through routers that are played on loopback, where nobody needs rights for them; nat.test.ts has real ones. */
import { createTelemetry, type Telemetry } from "@ngpu/protocol/service/telemetry";
import { expect } from "chai";
import { randomBytes } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { startMeetingWorld, type MeetingWorld } from "./support/meetingWorld.ts";
import { behindRouter } from "./support/natSocket.ts";

const megabyte = 1_000_000;

describe("direct links behind routers on loopback", () => {
  let world: MeetingWorld;
  let telemetry: Telemetry;
  const relayedBytes = async (): Promise<number> =>
    Number(/^ngpu_gateway_relayed_bytes\{[^}]*\} (\d+)$/m.exec(await telemetry.text())?.[1]);

  before(async () => {
    telemetry = createTelemetry({ service: "gateway" });
    world = await startMeetingWorld({ telemetry });
  });
  after(() => world.close());

  for (const [client, node, isStraight] of [
    ["keeps", "keeps", true],
    ["scatters", "keeps", false],
    ["keeps", "scatters", false],
  ] as const) {
    const way = isStraight ? "straight" : "over the relay";
    it(`go ${way} where the client's router ${client} ports and the node's ${node} them`, async () => {
      const sealedInput = new Uint8Array(randomBytes(megabyte));
      const home = await world.aNode({ openUdp: behindRouter(node) });
      const task = await world.aTask(home, { sealedInput });
      const met = await world.meet(await world.aClient(task), task, home, { openUdp: behindRouter(client) });
      expect(await met.link.opened).to.equal(isStraight);
      const before = await relayedBytes();
      expect(await met.put(task.inputCiphertext, sealedInput)).to.include({ kind: "stored" });
      expect((await relayedBytes()) - before > megabyte).to.equal(!isStraight);
      met.link.close();
    });
  }

  it("carry on over the relay what a hole that closed was carrying", async () => {
    const sealedInput = new Uint8Array(randomBytes(8 * megabyte));
    const home = await world.aNode({ openUdp: behindRouter("keeps", 2_000) });
    const task = await world.aTask(home, { sealedInput });
    const met = await world.meet(await world.aClient(task), task, home, { openUdp: behindRouter("keeps") });
    expect(await met.link.opened).to.equal(true);
    const before = await relayedBytes();
    expect(await met.put(task.inputCiphertext, sealedInput)).to.include({ kind: "stored" });
    expect([met.link.isOpen(), (await relayedBytes()) - before > megabyte]).to.deep.equal([false, true]);
    met.link.close();
  });
});
