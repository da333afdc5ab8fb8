/** Links whose keys come from a handshake, over real sockets, the listening one behind a gate. */
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { expect } from "chai";
import { createProtection } from "@ngpu/protocol/harq/connection/protection";
import { createGate, type Gate } from "@ngpu/protocol/harq/security/gate";
import { createInitiator, respond } from "@ngpu/protocol/harq/security/handshake";
import { createPathTokens } from "@ngpu/protocol/harq/security/pathToken";
import { createPrefixBudget } from "@ngpu/protocol/harq/security/prefixBudget";
import { createChachaSealer } from "@ngpu/protocol/service/harq/chachaSealer";
import { createHarqLink } from "@ngpu/protocol/harq/link/harqLink";
import { nodeLinkPorts } from "@ngpu/protocol/service/harq/nodeLinkPorts";
import { openUdpSocket } from "@ngpu/protocol/service/harq/udpSocket";
import { anEnd, browserPrimitives } from "../support/handshakes.ts";
import { arrivalOf, collect } from "../support/links.ts";

const limit = { timeout: 120_000 };
const unpredictable = (count: number): Uint8Array => new Uint8Array(randomBytes(count));

test("a handshake gives two sockets their keys, a gate asks for a token, and keys change on the way", limit, async () => {
  const [client, node] = [anEnd(0xc1n, browserPrimitives), anEnd(0xd2n)];
  const initiator = createInitiator({ ...client, responderPublicKey: node.staticKey.publicKey });
  const { reply, result } = await respond(node, initiator.hello);
  const lifetime = { packets: 100 };
  const nearKeys = createProtection({ ...(await initiator.finish(reply)), lifetime });
  const farKeys = createProtection({ ...result, lifetime });
  const near = createHarqLink({ ...nodeLinkPorts(), protection: nearKeys });
  const far = createHarqLink({ ...nodeLinkPorts(), protection: farKeys });
  const { gate, verdicts } = aGate(node.connectionId, result.send.connectionId);
  const [nearSocket, farSocket] = [await openUdpSocket(), await openUdpSocket({ gate })];
  const arrivals = collect(far);
  try {
    far.acceptPath({ id: 1, path: farSocket.createPath({ connectionId: node.connectionId }) });
    const remote = farSocket.address;
    near.openPath({ id: 1, path: nearSocket.createPath({ connectionId: client.connectionId, remote }), rttUs: 2_000 });
    const messages = [1, 2_000_000].map((length) => randomBytes(length));
    for (const bytes of messages) expect(await near.send(bytes)).to.equal("good");
    while (nearKeys.phases!.sending() === 0) expect(await near.send(randomBytes(1_000))).to.equal("good");
    expect(arrivals.slice(0, 2)).to.deep.equal(messages.map(arrivalOf));
    expect(farKeys.phases!.receiving() - nearKeys.phases!.sending()).to.be.within(0, 1);
    expect([verdicts[0], verdicts.includes("admit")]).to.deep.equal(["retry", true]);
    expect(far.metrics().refused, "nothing came that no key opens").to.equal(0);
  } finally {
    await Promise.all([near.close(), far.close()]);
    await Promise.all([nearSocket.close(), farSocket.close()]);
  }
});

function aGate(connectionId: bigint, peerId: bigint): { gate: Gate; verdicts: string[] } {
  const verdicts: string[] = [];
  const { judge } = createGate({
    tokens: createPathTokens({ sealer: createChachaSealer(unpredictable(32)), randomBytes: unpredictable }),
    budget: createPrefixBudget({ bytesPerSecond: 10_000, burstBytes: 3_000, hashKey: 3 }),
    peerOf: (id) => (id === connectionId ? peerId : undefined),
  });
  const gate: Gate = {
    judge(arrival) {
      const admission = judge(arrival);
      verdicts.push(admission.verdict);
      return admission;
    },
  };
  return { gate, verdicts };
}
