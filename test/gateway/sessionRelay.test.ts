/** How a gateway passes frames on between a session's client, the nodes with a lane in it, and keepers. */
import { beforeEach, describe, it } from "node:test";
import type { Link } from "@ngpu/keeper/gateway/link";
import { createSessionRelay, isLaneFrame, type SessionRelay } from "@ngpu/keeper/gateway/sessionRelay";
import { closeCode, type Frame } from "@ngpu/protocol/wire";
import { expect } from "chai";
import { keccak256, toHex, zeroHash } from "viem";
import { codeRejectedBy } from "../harness/codeRejectedBy.ts";

const sessionId = keccak256("0x01");
const otherSession = keccak256("0x02");
const signature = toHex(1, { size: 65 });

function aLink() {
  const frames: Frame[] = [];
  const closed: number[] = [];
  const link: Link = {
    send: (frame) => void frames.push(frame),
    refuse: () => undefined,
    close: (code) => void closed.push(code),
    checkAlive: () => undefined,
  };
  return { link, frames, closed };
}

describe("relay of sessions", () => {
  let node: ReturnType<typeof aLink>;
  let client: ReturnType<typeof aLink>;
  let keepers: Frame[];
  let relay: SessionRelay;

  beforeEach(() => {
    [node, client, keepers] = [aLink(), aLink(), []];
    relay = createSessionRelay({
      // Node 1 is online and has a lane, node 2 has one and is away, node 3 has none.
      authority: { forget: () => undefined, signersOf: async () => [], hasLane: async (place) => place.sessionId === sessionId && place.nodeId < 3 },
      linkOfNode: (nodeId) => (nodeId === 2 ? undefined : node.link),
      toKeepers: (frame) => void keepers.push(frame),
    });
    relay.join(client.link, sessionId);
  });

  const ask = (nodeId: number, of = sessionId): Frame => ({
    ...{ t: "ask", sessionId: of, nodeId, requestId: zeroHash, inputCommitment: zeroHash, inputCiphertext: zeroHash, sealed: "" },
  });
  const voucher: Frame = {
    t: "voucher",
    bills: "0x00000001",
    voucher: {
      message: { sessionId, nodeId: 1, seq: 1n, cumulativeUsd6: 1n, prevHead: zeroHash, billsHash: zeroHash, receiptsRoot: zeroHash },
      signature,
    },
  };

  it("takes a client's requests and vouchers to the lane's node, and a node's vouchers to keepers alone", async () => {
    await relay.fromClient(sessionId, ask(1));
    await relay.fromClient(sessionId, voucher);
    expect(node.frames).to.deep.equal([ask(1), voucher]);
    const taken = { t: "voucherTaken", sessionId, nodeId: 1, seq: 1n } as const;
    await relay.fromNode(1, taken);
    if (isLaneFrame(voucher)) await relay.fromNode(1, voucher);
    expect(client.frames).to.deep.equal([taken]);
    expect(keepers).to.deep.equal([voucher]);
  });

  it("tells the client at once when a node is away", async () => {
    await relay.fromClient(sessionId, ask(2));
    expect(client.frames).to.deep.equal([{ t: "refusal", sessionId, nodeId: 2, requestId: zeroHash, code: "LANE_UNKNOWN" }]);
  });

  it("passes nothing on for another session, a node without a lane, or another node", async () => {
    expect(await codeRejectedBy(relay.fromClient(sessionId, ask(1, otherSession)))).to.equal("AUTH_FORBIDDEN");
    expect(await codeRejectedBy(relay.fromClient(sessionId, ask(3)))).to.equal("LANE_UNKNOWN");
    expect(await codeRejectedBy(relay.fromClient(sessionId, { t: "welcome" }))).to.equal("WIRE_MALFORMED");
    const ready = { t: "laneReady", sessionId, nodeId: 1 } as const;
    expect(await codeRejectedBy(relay.fromNode(2, ready))).to.equal("AUTH_FORBIDDEN");
    expect(await codeRejectedBy(relay.fromNode(3, { ...ready, nodeId: 3 }))).to.equal("LANE_UNKNOWN");
    expect(await codeRejectedBy(relay.fromNode(1, { ...ready, sessionId: otherSession }))).to.equal("LANE_UNKNOWN");
    expect([...node.frames, ...client.frames]).to.deep.equal([]);
  });

  it("lets a session's newest link replace the one before", async () => {
    const newer = aLink();
    relay.join(newer.link, sessionId);
    expect(client.closed).to.deep.equal([closeCode.replaced]);
    relay.leave(client.link, sessionId);
    await relay.fromNode(1, { t: "laneReady", sessionId, nodeId: 1 });
    expect(newer.frames.length).to.equal(1);
    relay.leave(newer.link, sessionId);
    expect(relay.count()).to.equal(0);
  });
});
