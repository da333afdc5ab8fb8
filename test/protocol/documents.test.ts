import { describe, it } from "node:test";
import { expect } from "chai";
import { canonicalJson } from "@ngpu/protocol/canonicalJson";
import { detectionSize } from "@ngpu/protocol/detectionSize";
import { modelIdOf } from "@ngpu/protocol/ids";
import { imageSize } from "@ngpu/protocol/imageSize";
import { codeThrownBy } from "../harness/codeThrownBy.ts";

describe("canonical JSON", () => {
  it("gives one model id whatever the order of keys", () => {
    expect(modelIdOf({ b: [1, "x"], a: { d: null, c: true } })).to.equal(modelIdOf({ a: { c: true, d: null }, b: [1, "x"] }));
    expect(canonicalJson({ b: 1, a: "ü\n" })).to.equal('{"a":"ü\\n","b":1}');
  });

  it("refuses what has more than one spelling", () => {
    for (const value of [1.5, Number.NaN, 2 ** 60, 1n, () => 0]) expect(() => canonicalJson({ value })).to.throw(TypeError);
  });
});

describe("image size", () => {
  it("reads a PNG header and refuses an empty picture", () => {
    expect(imageSize(pngHeader(640, 480))).to.deep.equal({ mediaType: "image/png", widthPx: 640, heightPx: 480 });
    expect(codeThrownBy(() => imageSize(pngHeader(0, 480)))).to.equal("INPUT_NOT_IMAGE");
  });

  it("reads a JPEG frame behind other segments and does not loop on a truncated one", () => {
    const jpeg = Uint8Array.of(0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 2, 0xff, 0xc2, 0, 17, 8, 0x01, 0xe0, 0x02, 0x80, 3, 0, 0);
    expect(imageSize(jpeg)).to.deep.equal({ mediaType: "image/jpeg", widthPx: 640, heightPx: 480 });
    for (let length = 0; length < 17; length += 1) {
      expect(codeThrownBy(() => imageSize(jpeg.subarray(0, length))), `length ${length}`).to.equal("INPUT_NOT_IMAGE");
    }
  });

  it("refuses text, HTML and a Git LFS pointer", () => {
    for (const text of ["", "hello", "<html></html>", "version https://git-lfs.github.com/spec/v1\n"]) {
      expect(codeThrownBy(() => imageSize(new TextEncoder().encode(text)))).to.equal("INPUT_NOT_IMAGE");
    }
  });
});

describe("detection size", () => {
  it("keeps small pictures, shrinks large ones to 960 px, both in multiples of 32", () => {
    expect(detectionSize({ widthPx: 960, heightPx: 736 })).to.deep.equal({ widthPx: 960, heightPx: 736 });
    expect(detectionSize({ widthPx: 1_920, heightPx: 1_080 })).to.deep.equal({ widthPx: 960, heightPx: 544 });
    expect(detectionSize({ widthPx: 10, heightPx: 3_000 })).to.deep.equal({ widthPx: 32, heightPx: 960 });
  });
});

function pngHeader(width: number, height: number): Uint8Array {
  const bytes = new Uint8Array(24);
  bytes.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  new DataView(bytes.buffer).setUint32(16, width);
  new DataView(bytes.buffer).setUint32(20, height);
  return bytes;
}
