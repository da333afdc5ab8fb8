/** Requests and answers of blobs as messages of the coded transport. */
import {
  decodeAnswer,
  decodeRequest,
  encodeAnswer,
  encodeBlobHead,
  encodeRequestHead,
  type BlobAnswer,
  type BlobRequestHead,
} from "@ngpu/protocol/blobExchange/messages";
import { joinBytes } from "@ngpu/protocol/bytes";
import { expect } from "chai";
import { describe, it } from "node:test";
import { keccak256, toBytes } from "viem";
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
