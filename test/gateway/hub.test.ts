/** What the hub tells keepers when nodes announce far more than they need to. */
import { createHub } from "@ngpu/keeper/gateway/hub";
import type { Link } from "@ngpu/keeper/gateway/link";
import { NgpuError } from "@ngpu/protocol/errors";
import { systemClock } from "@ngpu/protocol/service/clock";
import { decodeFrame, encodeFrame, type Frame, type FrameOf } from "@ngpu/protocol/wire";
import { expect } from "chai";
import { describe, it } from "node:test";
import { toHex, zeroAddress, zeroHash } from "viem";
import { codeRejectedBy } from "../harness/codeRejectedBy.ts";
import { testLog } from "../harness/services.ts";

const silent: Link = {
  send: () => undefined,
  refuse: () => undefined,
  close: () => undefined,
  checkAlive: () => undefined,
};

const nothing = async (): Promise<void> => undefined;
const refused = async (): Promise<never> => {
  throw new NgpuError("TASK_UNKNOWN");
};

function anAnnounce(nodeId: number, models: number): FrameOf<"announce"> {
  const nowS = BigInt(Math.floor(Date.now() / 1_000));
  const message = { nodeId, publicKey: zeroHash, notBefore: nowS, expiry: nowS + 60n };
  return {
    t: "announce",
    models: Array.from({ length: models }, (_, index) => toHex(index, { size: 32 })),
    slots: 1,
    executionProvider: "cpu",
    agentVersion: "\u0000".repeat(500),
    benchmarkCu: 1,
    binding: { message, signature: toHex(1, { size: 65 }) },
  };
}

describe("gateway hub", () => {
  it("tells clients every few seconds that the line stands, and nobody else", () => {
    let nowMs = 0;
    const sent: Record<string, string[]> = { client: [], node: [], keeper: [] };
    const linkOf = (who: string): Link => ({ ...silent, send: ({ t }) => void sent[who]?.push(t) });
    const hub = createHub({
      rules: { signedByNode: nothing, signedBy: nothing, assignedTask: refused },
      sessions: { forget: () => undefined, signersOf: async () => [], hasLane: async () => false },
      tasks: { known: () => undefined, head: () => undefined, hint: () => undefined },
      hasOutput: () => false,
      clock: { ...systemClock, monotonicMs: () => nowMs },
      log: testLog,
      mostTasks: 10,
      onRosterChange: () => undefined,
    });
    hub.join(linkOf("client"), { role: "client", taskId: zeroHash, clientKey: zeroAddress });
    hub.join(linkOf("node"), { role: "node", nodeId: 1, operator: zeroAddress });
    hub.join(linkOf("keeper"), { role: "keeper", account: zeroAddress });
    for (nowMs = 0; nowMs <= 9_000; nowMs += 250) hub.keepAlive();
    expect(sent).to.deep.equal({
      client: ["welcome", "alive", "alive", "alive"],
      node: ["welcome"],
      keeper: ["welcome", "roster"],
    });
  });

  it("takes a keeper's question about a liveness challenge to that node alone, and the node's own answer to keepers", async () => {
    const frames: Record<string, Frame[]> = { first: [], second: [], keeper: [] };
    const linkOf = (who: string): Link => ({ ...silent, send: (frame) => void frames[who]?.push(frame) });
    const hub = createHub({
      rules: { signedByNode: nothing, signedBy: nothing, assignedTask: refused },
      sessions: { forget: () => undefined, signersOf: async () => [], hasLane: async () => false },
      tasks: { known: () => undefined, head: () => undefined, hint: () => undefined },
      hasOutput: () => false,
      clock: systemClock,
      log: testLog,
      mostTasks: 10,
      onRosterChange: () => undefined,
    });
    const [first, keeper] = [linkOf("first"), linkOf("keeper")];
    const identity = { role: "node", nodeId: 1, operator: zeroAddress } as const;
    const asKeeper = { role: "keeper", account: zeroAddress } as const;
    hub.join(first, identity);
    hub.join(linkOf("second"), { ...identity, nodeId: 2 });
    hub.join(keeper, asKeeper);
    const ask: Frame = { t: "livenessAsk", nodeId: 1, challengeId: zeroHash };
    await hub.handle(keeper, asKeeper, ask);
    expect(frames.first?.slice(1)).to.deep.equal([ask]);
    expect(frames.second?.slice(1)).to.deep.equal([]);
    const message = { challengeId: zeroHash, nodeId: 1, blockHash: zeroHash };
    const reply: Frame = { t: "livenessReply", reply: { message, signature: toHex(1, { size: 65 }) }, blockNumber: 2n ** 60n };
    await hub.handle(first, identity, decodeFrame(encodeFrame(reply)));
    expect(frames.keeper?.at(-1)).to.deep.equal(reply);
    const foreign: Frame = { ...reply, reply: { ...reply.reply, message: { ...message, nodeId: 2 } } };
    expect(await codeRejectedBy(hub.handle(first, identity, foreign))).to.equal("AUTH_FORBIDDEN");
    expect(await codeRejectedBy(hub.handle(first, identity, ask)), "no node asks").to.equal("WIRE_MALFORMED");
  });

  it("keeps the roster within what keepers take, and leaves out those that announce most", async () => {
    const hub = createHub({
      rules: { signedByNode: nothing, signedBy: nothing, assignedTask: refused },
      tasks: { known: () => undefined, head: () => undefined, hint: () => undefined },
      sessions: { forget: () => undefined, signersOf: async () => [], hasLane: async () => false },
      hasOutput: () => false,
      clock: systemClock,
      log: testLog,
      mostTasks: 10,
      onRosterChange: () => undefined,
    });
    const last = 400;
    for (let nodeId = 1; nodeId <= last; nodeId += 1) {
      const identity = { role: "node", nodeId, operator: zeroAddress } as const;
      hub.join(silent, identity);
      await hub.handle(silent, identity, anAnnounce(nodeId, nodeId === last ? 2 : 256));
    }
    const decoded = decodeFrame(encodeFrame(hub.roster()));
    const listed = decoded.t === "roster" ? decoded.nodes.map(({ nodeId }) => nodeId) : [];
    expect(listed).to.include(last);
    expect(listed.length).to.be.within(150, last - 1);
  });
});
