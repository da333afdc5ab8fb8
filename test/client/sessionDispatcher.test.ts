/** Which request goes to which node of a session, and when one is given up. */
import { afterEach, beforeEach, describe, it } from "node:test";
import { createDispatcher, type Dispatcher } from "@ngpu/client/session/dispatcher";
import type { LedgerEntry } from "@ngpu/protocol/session/ledgerEntry";
import { sessionLimits } from "@ngpu/protocol/session/sessionLimits";
import { NgpuError, type ErrorCode } from "@ngpu/protocol/errors";
import { gatewayLimits } from "@ngpu/protocol/limits";
import type { FrameOf } from "@ngpu/protocol/wire";
import { expect } from "chai";
import { keccak256, toHex, zeroAddress, type Hex } from "viem";
import { codeRejectedBy } from "../harness/codeRejectedBy.ts";
import { createBlobsInMemory } from "../harness/blobsInMemory.ts";
import { until } from "../harness/until.ts";

const sessionId = keccak256("0x01");

describe("dispatcher of a session", () => {
  let ending: AbortController;
  let written: LedgerEntry[];
  let sent: FrameOf<"ask">[];
  let dispatcher: Dispatcher;
  let requests: number;
  let unsigned: number;
  let blobs: ReturnType<typeof createBlobsInMemory>;

  beforeEach(() => {
    [ending, written, sent, requests, unsigned] = [new AbortController(), [], [], 0, 0];
    blobs = createBlobsInMemory();
    dispatcher = createDispatcher({
      sessionId,
      send: (frame) => frame.t === "ask" && sent.push(frame) > 0,
      blobs: { put: (blob) => blobs.put(blob) },
      write: async (entry) => void written.push(entry),
      random: (length) => crypto.getRandomValues(new Uint8Array(length)),
      unsigned: () => unsigned,
      hedgeAfterMs: 400,
      signal: ending.signal,
    });
  });
  afterEach(() => ending.abort());

  const seat = (nodeId: number, window = 2) =>
    dispatcher.ready({ nodeId, operator: zeroAddress, isPrimary: nodeId === 1, laneKey: new Uint8Array(32), window });

  function ask(change: { copies?: number; withinMs?: number; body?: Uint8Array } = {}): { requestId: Hex; result: Promise<{ nodeId: number }> } {
    const requestId = toHex(++requests, { size: 32 });
    const result = new Promise<{ nodeId: number }>((resolve, reject) => {
      const given = { requestId, body: new Uint8Array(8), workCums: 1n, copies: 1, withinMs: 60_000, ...change };
      dispatcher.add({ ...given, resolve, reject });
    });
    result.catch(() => undefined);
    return { requestId, result };
  }

  const sentTo = (nodeId: number) => sent.filter((frame) => frame.nodeId === nodeId).map(({ requestId }) => requestId);
  const refuse = (nodeId: number, requestId: Hex, code: ErrorCode) => dispatcher.refused({ nodeId, requestId, code });

  function answer(nodeId: number, requestId: Hex): void {
    const asked = written.find((entry) => entry.t === "asked" && entry.requestId === requestId && entry.nodeId === nodeId);
    if (asked?.t !== "asked") throw new Error("it was not asked");
    const receipt = {} as Parameters<Dispatcher["answered"]>[1]["receipt"];
    dispatcher.answered(asked, { nodeId, receipt, payload: { json: nodeId } });
  }

  it("gives each node no more than its window, primaries first, and the next as soon as one is answered", async () => {
    seat(2, 1);
    seat(1, 1);
    const asks = [ask(), ask(), ask()];
    await until("two are sent", () => sent.length === 2);
    expect(sentTo(1)).to.deep.equal([asks[0]?.requestId]);
    expect(sentTo(2)).to.deep.equal([asks[1]?.requestId]);
    answer(2, asks[1]?.requestId ?? "0x");
    await until("the third is sent", () => sent.length === 3);
    expect(sentTo(2)[1]).to.equal(asks[2]?.requestId);
    expect((await asks[1]?.result)?.nodeId).to.equal(2);
  });

  it("asks another node at once in the place of one that stops, and that one not before it is ready again", async () => {
    seat(1);
    seat(2);
    const { requestId } = ask();
    await until("node 1 is asked", () => sentTo(1).length === 1);
    refuse(1, requestId, "NODE_DRAINING");
    await until("node 2 is asked", () => sentTo(2).length === 1);
    const next = ask();
    await until("node 2 is asked again", () => sentTo(2).length === 2);
    expect(sentTo(1)).to.deep.equal([requestId]);
    seat(1);
    ask();
    await until("node 1 is asked again", () => sentTo(1).length === 2);
    expect(sentTo(1)).to.not.contain(next.requestId);
  });

  it("asks a node for no more than it does unsigned, and goes on when a voucher is there", async () => {
    unsigned = sessionLimits.maxClaimReceipts - 2;
    seat(1, 8);
    const asks = [ask(), ask(), ask()];
    await until("two are sent", () => sent.length === 2);
    unsigned = 0;
    dispatcher.signed();
    await until("the third is sent", () => sent.length === 3);
    expect(sentTo(1)).to.deep.equal(asks.map(({ requestId }) => requestId));
  });

  it("knows what nodes owe an answer to, when the request is long answered by another", async () => {
    seat(1);
    seat(2);
    const { requestId, result } = ask({ copies: 2 });
    await until("both are asked", () => sent.length === 2);
    answer(1, requestId);
    expect((await result).nodeId).to.equal(1);
    expect([dispatcher.count(), dispatcher.outstanding()]).to.deep.equal([0, 1]);
    answer(2, requestId);
    expect(dispatcher.outstanding()).to.equal(0);
  });

  it("writes down what it asks before it is sent", async () => {
    seat(1);
    const { requestId } = ask();
    await until("it is sent", () => sent.length === 1);
    expect(written).to.have.length(1);
    expect(written[0]).to.include({ t: "asked", requestId, inputCommitment: sent[0]?.inputCommitment });
  });

  it("asks another node what one refuses or does not answer, and the payer's own fault of nobody", async () => {
    seat(1);
    seat(2);
    const [busy, slow, wrong] = [ask(), ask(), ask()];
    await until("all are sent", () => sent.length === 3);
    const [busyAt, slowAt, wrongAt] = [busy, slow, wrong].map((one) => sent.find(({ requestId }) => requestId === one.requestId)?.nodeId ?? 0);
    refuse(wrongAt ?? 0, wrong.requestId, "INPUT_NOT_IMAGE");
    expect(await codeRejectedBy(wrong.result)).to.equal("INPUT_NOT_IMAGE");
    refuse(busyAt ?? 0, busy.requestId, "NODE_BUSY");
    await until("both went to the other node", () => sentTo(3 - (busyAt ?? 0)).includes(busy.requestId) && sentTo(3 - (slowAt ?? 0)).includes(slow.requestId));
    answer(3 - (slowAt ?? 0), slow.requestId);
    await slow.result;
    expect(sent.filter(({ requestId }) => requestId === wrong.requestId)).to.have.length(1);
  });

  it("asks as many nodes as wanted at once and takes the first answer", async () => {
    seat(1);
    seat(2);
    const { requestId, result } = ask({ copies: 2 });
    await until("both are asked", () => sentTo(1).includes(requestId) && sentTo(2).includes(requestId));
    answer(2, requestId);
    answer(1, requestId);
    expect((await result).nodeId).to.equal(2);
    expect(dispatcher.count()).to.equal(0);
  });

  it("gives up what nobody answers in time, and everything when the session ends", async () => {
    const late = ask({ withinMs: 50 });
    expect(await codeRejectedBy(late.result)).to.equal("TASK_ABANDONED");
    const waiting = ask();
    ending.abort();
    expect(await codeRejectedBy(waiting.result)).to.equal("SESSION_CLOSED");
  });

  it("leaves at the gateway what is too large for a frame, and asks once it is there, each node for its own", async () => {
    const taken = Promise.withResolvers<void>();
    const { put } = blobs;
    blobs.put = async (blob) => {
      await taken.promise;
      return put(blob);
    };
    seat(1);
    seat(2);
    const { requestId } = ask({ body: new Uint8Array(gatewayLimits.maxInlineBase64), copies: 2 });
    await until("both are written down", () => written.length === 2);
    expect(sent).to.deep.equal([]);
    taken.resolve();
    await until("both are asked", () => sent.length === 2);
    expect(sent.map(({ sealed }) => sealed)).to.deep.equal(["", ""]);
    expect(sent.map(({ inputCiphertext }) => inputCiphertext)).to.have.members([...blobs.held.keys()]);
    expect(blobs.held.size).to.equal(2);

    refuse(1, requestId, "BLOB_UNKNOWN");
    await until("it is left there again", () => blobs.puts.length === 3);
    await until("node 1 is asked again", () => sentTo(1).length === 2);
    expect(blobs.held.size, "the same bytes").to.equal(2);
  });

  it("asks another node when the gateway does not take a body, and nobody when no gateway would", async () => {
    const { put } = blobs;
    blobs.put = async () => Promise.reject(new NgpuError("STORE_FULL"));
    seat(1);
    const { result } = ask({ body: new Uint8Array(gatewayLimits.maxInlineBase64) });
    await until("it is written down", () => written.length === 1);
    blobs.put = put;
    await until("it is asked when there is room", () => sent.length === 1);
    answer(1, sent[0]?.requestId ?? "0x");
    expect((await result).nodeId).to.equal(1);
    const huge = ask({ body: new Uint8Array(gatewayLimits.maxBlobBytes) });
    expect(await codeRejectedBy(huge.result)).to.equal("BLOB_TOO_LARGE");
  });
});
