/** Requests and answers of blobs as messages of the coded transport. */
import {
  decodeAnswer,
  decodeOffset,
  decodeRequest,
  encodeAnswer,
  encodeBlobHead,
  encodeOffset,
  encodeRequestHead,
  type BlobAnswer,
  type BlobRequestHead,
} from "@ngpu/protocol/blobExchange/messages";
import { createBlobAsker, type BlobAsker } from "@ngpu/protocol/blobExchange/asker";
import { joinBytes } from "@ngpu/protocol/bytes";
import { expect } from "chai";
import { describe, it } from "node:test";
import { keccak256, toBytes } from "viem";
import { codeRejectedBy } from "../harness/codeRejectedBy.ts";
import { codeThrownBy } from "../harness/codeThrownBy.ts";

const head: BlobRequestHead = {
  kind: "put",
  request: 4_294_967_295,
  taskId: keccak256("0x01"),
  hash: keccak256("0x02"),
  authorization: "NGPU é",
};
const blob = Uint8Array.of(1, 2, 3);

describe("blobs as messages", () => {
  it("carries a request and what follows it", () => {
    expect(decodeRequest(joinBytes(encodeRequestHead(head), blob))).to.deep.equal({ head, blob });
    for (const kind of ["get", "head"] as const) {
      const asked = { ...head, kind };
      expect(decodeRequest(encodeRequestHead(asked))).to.deep.equal({ head: asked, blob: new Uint8Array() });
    }
  });

  it("carries a request for a part of a file with its offset, and none without", () => {
    const asked = { ...head, kind: "part" as const };
    const offset = 2 ** 47 + 5;
    const decoded = decodeRequest(joinBytes(encodeRequestHead(asked), encodeOffset(offset)));
    expect(decoded.head).to.deep.equal(asked);
    expect(decodeOffset(decoded.blob)).to.equal(offset);
    for (const rest of [new Uint8Array(), new Uint8Array(5), new Uint8Array(7)]) {
      expect(codeThrownBy(() => decodeRequest(joinBytes(encodeRequestHead(asked), rest)))).to.equal("WIRE_MALFORMED");
    }
  });

  it("carries every kind of answer", () => {
    const answers: Exclude<BlobAnswer, { kind: "blob" }>[] = [
      { kind: "stored", request: 1, wasPresent: false },
      { kind: "stored", request: 1, wasPresent: true },
      { kind: "size", request: 2, bytes: 33_554_432 },
      { kind: "refused", request: 0, code: "STORE_FULL" },
    ];
    for (const answer of answers) expect(decodeAnswer(encodeAnswer(answer))).to.deep.equal(answer);
    const found = decodeAnswer(joinBytes(encodeBlobHead(7), blob));
    expect(found).to.deep.equal({ kind: "blob", request: 7, bytes: blob });
  });

  it("takes no code that the catalogue does not know for one that it does", () => {
    const forged = joinBytes(encodeAnswer({ kind: "refused", request: 0, code: "STORE_FULL" }), toBytes("ER"));
    expect(decodeAnswer(forged)).to.include({ code: "INTERNAL" });
    const inherited = encodeAnswer({ kind: "refused", request: 0, code: "toString" as "INTERNAL" });
    expect(decodeAnswer(inherited)).to.include({ code: "INTERNAL" });
  });

  it("refuses a message that is cut anywhere in its head, another version or kind, and what does not belong", () => {
    const whole = encodeRequestHead(head);
    const answer = encodeAnswer({ kind: "size", request: 2, bytes: 5 });
    const refused = [
      ...Array.from(whole, (_byte, length) => () => decodeRequest(whole.subarray(0, length))),
      ...Array.from(answer, (_byte, length) => () => decodeAnswer(answer.subarray(0, length))),
      () => decodeRequest(whole.with(0, 2)),
      () => decodeRequest(whole.with(1, 9)),
      () => decodeAnswer(answer.with(1, 1)),
      () => decodeAnswer(joinBytes(answer, blob)),
      () => decodeRequest(joinBytes(encodeRequestHead({ ...head, kind: "get" }), blob)),
      () => decodeRequest(whole.with(whole.length - 1, 0xff)),
    ];
    for (const decode of refused) expect(codeThrownBy(decode)).to.equal("WIRE_MALFORMED");
    expect(codeThrownBy(() => encodeRequestHead({ ...head, authorization: "x".repeat(4_097) }))).to.equal("WIRE_TOO_LARGE");
  });
});

describe("asking for blobs", () => {
  const { request: _number, ...asked } = { ...head, kind: "get" as const };
  const none = new Uint8Array();
  const forEver = new AbortController().signal;

  /** An asker whose messages are kept, and the numbers that they carry. */
  function anAsker(): { asker: BlobAsker; numbers: () => number[] } {
    const sent: Uint8Array[] = [];
    const asker = createBlobAsker({ send: async (message) => void sent.push(message) });
    return { asker, numbers: () => sent.map((message) => decodeRequest(message).head.request) };
  }

  it("gives each request its own answer, in whatever order they come, and drops one that nobody waits for", async () => {
    const { asker, numbers } = anAsker();
    const both = [asker.ask(asked, none, forEver), asker.ask(asked, none, forEver)];
    for (const request of numbers().toReversed()) asker.take(encodeAnswer({ kind: "size", request, bytes: request }));
    asker.take(encodeAnswer({ kind: "size", request: 99, bytes: 1 }));
    expect((await Promise.all(both)).map(({ request }) => request)).to.deep.equal(numbers());
  });

  it("rejects with the gateway's code, and takes a failure inside of it for unreachable", async () => {
    const { asker, numbers } = anAsker();
    const refusals = (["BLOB_UNKNOWN", "INTERNAL"] as const).map((code) => {
      const answer = codeRejectedBy(asker.ask(asked, none, forEver));
      asker.take(encodeAnswer({ kind: "refused", request: numbers().at(-1) ?? 0, code }));
      return answer;
    });
    expect(await Promise.all(refusals)).to.deep.equal(["BLOB_UNKNOWN", "GATEWAY_UNREACHABLE"]);
  });

  it("leaves nobody waiting when the link is lost, when a message cannot be sent, and when the asker gives up", async () => {
    const { asker } = anAsker();
    const open = codeRejectedBy(asker.ask(asked, none, forEver));
    asker.lose();
    expect(await open).to.equal("GATEWAY_UNREACHABLE");
    expect(await codeRejectedBy(asker.ask(asked, none, forEver))).to.equal("GATEWAY_UNREACHABLE");

    const broken = createBlobAsker({ send: () => Promise.reject(new Error("closed")) });
    expect(await codeRejectedBy(broken.ask(asked, none, forEver))).to.equal("GATEWAY_UNREACHABLE");

    const stopping = new AbortController();
    const waiting = anAsker().asker.ask(asked, none, stopping.signal);
    stopping.abort(new Error("enough"));
    expect(await waiting.catch((error: unknown) => error)).to.have.property("message", "enough");
  });
});
