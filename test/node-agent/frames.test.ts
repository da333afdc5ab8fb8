/** The pipe between agent and runner: framing and its bounds. */
import { describe, it } from "node:test";
import { createPipeDecoder, encodePipeFrame, frameType } from "@ngpu/node-agent/runner/frames";
import { expect } from "chai";
import { codeThrownBy } from "../harness/codeThrownBy.ts";

const frame = encodePipeFrame({ type: frameType.execute, header: { id: 7, name: "ü" }, bytes: Uint8Array.of(1, 2, 3) });

describe("pipe frames", () => {
  describe("behaviour", () => {
    it("gives the same frames however the bytes are cut", () => {
      const stream = Buffer.concat([frame, encodePipeFrame({ type: frameType.progress, header: {} }), frame]);
      for (const size of [1, 2, 3, 5, 8, 13, stream.length]) {
        const decode = createPipeDecoder();
        const frames = [];
        for (let offset = 0; offset < stream.length; offset += size)
          frames.push(...decode(stream.subarray(offset, offset + size)));
        expect(
          frames.map(({ type }) => type),
          `pieces of ${size}`,
        ).to.deep.equal([frameType.execute, frameType.progress, frameType.execute]);
        expect(frames[2]?.header).to.deep.equal({ id: 7, name: "ü" });
        expect([...(frames[2]?.bytes ?? [])]).to.deep.equal([1, 2, 3]);
      }
    });

    it("carries 32 MiB", () => {
      const bytes = new Uint8Array(32 * 1024 * 1024).fill(9);
      const [decoded] = createPipeDecoder()(encodePipeFrame({ type: frameType.execute, header: {}, bytes }));
      expect(decoded?.bytes.length).to.equal(bytes.length);
    });
  });

  describe("error", () => {
    it("refuses an impossible length before collecting anything", () => {
      const head = Buffer.alloc(4);
      head.writeUInt32LE(0xffff_ffff);
      expect(codeThrownBy(() => createPipeDecoder()(head))).to.equal("WIRE_TOO_LARGE");
      head.writeUInt32LE(4);
      expect(codeThrownBy(() => createPipeDecoder()(head))).to.equal("WIRE_MALFORMED");
    });

    it("refuses a header that is longer than its frame", () => {
      const broken = Buffer.from(frame);
      broken.writeUInt32LE(frame.length, 5);
      expect(codeThrownBy(() => createPipeDecoder()(broken))).to.equal("WIRE_MALFORMED");
    });

    it("refuses a header that is no JSON object", () => {
      for (const header of ["[]", "null", "3", "{", ""]) {
        const json = Buffer.from(header);
        const head = Buffer.alloc(9);
        head.writeUInt32LE(5 + json.length, 0);
        head.writeUInt8(1, 4);
        head.writeUInt32LE(json.length, 5);
        expect(
          codeThrownBy(() => createPipeDecoder()(Buffer.concat([head, json]))),
          header,
        ).to.equal("WIRE_MALFORMED");
      }
    });

    it("refuses to send what the other side would refuse", () => {
      const bytes = new Uint8Array(41 * 1024 * 1024);
      expect(codeThrownBy(() => encodePipeFrame({ type: 1, header: {}, bytes }))).to.equal("WIRE_TOO_LARGE");
    });
  });
});
