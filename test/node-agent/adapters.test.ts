/** The adapters on real pictures, in a real confined runner, and what they refuse. */
import { after, before, describe, it } from "node:test";
import { createLocalRunner, type LocalRunner } from "@ngpu/node-agent/localTask";
import { codeOf } from "@ngpu/protocol/errors";
import type { FacesResult, TextResult } from "@ngpu/protocol/results";
import { expect } from "chai";
import { decode, encode } from "jpeg-js";
import { PNG } from "pngjs";
import { photo, pngDeclaring, textSample, turnedJpeg } from "./support/images.ts";

describe("adapters", () => {
  let runner: LocalRunner;
  before(async () => {
    runner = await createLocalRunner();
  });
  after(() => runner.close());

  const read = async (images: Uint8Array[], lines = 200): Promise<TextResult["images"]> => {
    const parts = images.map((bytes, index) => ({ name: `picture ${index}`, mediaType: "image/png", bytes }));
    const { result } = await runner.run({
      model: "pp-ocr-v4",
      payload: { parameters: { images: images.length, lines }, parts },
    });
    return (result as TextResult).images;
  };
  const faces = async (bytes: Uint8Array): Promise<FacesResult["images"][number]> => {
    const parts = [{ name: "photo", mediaType: "image/jpeg", bytes }];
    const { result } = await runner.run({ model: "blazeface-back", payload: { parameters: { images: 1 }, parts } });
    const [image] = (result as FacesResult).images;
    if (image === undefined) throw new Error("no image in the result");
    return image;
  };
  const codeFor = async (bytes: Uint8Array, model = "pp-ocr-v4"): Promise<string> => {
    const parts = [{ name: "x", mediaType: "image/png", bytes }];
    return runner.run({ model, payload: { parameters: { images: 1, lines: 9 }, parts } }).then(() => "done", codeOf);
  };

  describe("text recognition", () => {
    it("reads a receipt line by line, in reading order, with amounts right", async () => {
      const [image] = await read([textSample("01-receipt.png")]);
      const texts = image?.lines.map(({ text }) => text) ?? [];
      for (const expected of ["KORNBLUM BAKERY", "Subtotal", "21.40", "TOTAL", "22.90", "Change", "7.10"])
        expect(texts).to.include(expected);
      expect(texts.indexOf("Subtotal")).to.be.lessThan(texts.indexOf("TOTAL"));
      expect(texts.indexOf("TOTAL") + 1).to.equal(texts.indexOf("22.90"));
    });

    it("places each line inside the picture, clockwise from the top left", async () => {
      const [image] = await read([textSample("04-letter.png")]);
      expect(image?.lines.length).to.be.greaterThan(10);
      for (const { quad, confidence } of image?.lines ?? []) {
        const [[x0, y0], [x1, y1], [x2, y2], [x3, y3]] = quad;
        expect(x0 < x1 && x3 < x2 && y0 < y3 && y1 < y2, JSON.stringify(quad)).to.equal(true);
        expect(Math.max(x1, x2) <= (image?.width ?? 0) && Math.max(y2, y3) <= (image?.height ?? 0)).to.equal(true);
        expect(confidence).to.be.within(0.5, 1);
      }
    });

    it("reads no more lines than were declared, over all pictures, and says so", async () => {
      const images = await read([textSample("10-notice.png"), textSample("08-ticket.png")], 12);
      expect(images.map(({ lines }) => lines.length)).to.deep.equal([11, 1]);
      expect(images.map(({ truncated }) => truncated)).to.deep.equal([undefined, true]);
    });

    it("finds nothing on an empty page", async () => {
      const blank = new PNG({ width: 300, height: 200 });
      blank.data.fill(255);
      const [image] = await read([new Uint8Array(PNG.sync.write(blank))]);
      expect(image?.lines).to.deep.equal([]);
    });

    it("lays transparency over white", async () => {
      const page = PNG.sync.read(Buffer.from(textSample("08-ticket.png")));
      for (let i = 0; i < page.data.length; i += 4) {
        const isPaper = (page.data[i] ?? 0) > 200;
        if (isPaper) page.data.fill(0, i, i + 4);
      }
      const [expected] = await read([textSample("08-ticket.png")]);
      const [found] = await read([new Uint8Array(PNG.sync.write(page))]);
      expect(found?.lines.length).to.be.within((expected?.lines.length ?? 0) - 2, (expected?.lines.length ?? 0) + 2);
    });

    it("gives the same bytes for the same input", async () => {
      const [first, second] = [await read([textSample("08-ticket.png")]), await read([textSample("08-ticket.png")])];
      expect(first).to.deep.equal(second);
    });
  });

  describe("face detection", () => {
    it("finds the three people of a photograph, eyes above mouths", async () => {
      const image = await faces(photo(1));
      expect(image.faces.length).to.equal(3);
      for (const { box, landmarks, score } of image.faces) {
        expect(score).to.be.greaterThan(0.6);
        expect(box.width).to.be.within(100, 260);
        const [rightEye, leftEye, , mouth] = landmarks;
        expect(landmarks.length).to.equal(6);
        expect(Math.min(rightEye?.[1] ?? 0, leftEye?.[1] ?? 0)).to.be.lessThan(mouth?.[1] ?? 0);
      }
    });

    it("sees a picture as its EXIF orientation says", async () => {
      const upright = await faces(photo(1));
      const { width, height, data } = decode(photo(1), { useTArray: true });
      const sideways = { width: height, height: width, data: Buffer.alloc(data.length) };
      // Stored turned a quarter against the clock: orientation 6 asks to turn it back.
      for (let y = 0; y < height; y++) {
        for (let x = 0; x < width; x++) {
          const target = ((width - 1 - x) * height + y) * 4;
          sideways.data.set(data.subarray((y * width + x) * 4, (y * width + x) * 4 + 4), target);
        }
      }
      const image = await faces(turnedJpeg(encode(sideways, 90).data, 6));
      expect([image.width, image.height]).to.deep.equal([upright.width, upright.height]);
      expect(image.faces.length).to.equal(upright.faces.length);
      for (const [index, { box }] of image.faces.entries()) {
        expect(Math.abs(box.x - (upright.faces[index]?.box.x ?? 0))).to.be.lessThan(20);
        expect(Math.abs(box.y - (upright.faces[index]?.box.y ?? 0))).to.be.lessThan(20);
      }
    });

    it("finds nobody on a page of text", async () => {
      const parts = [{ name: "page", mediaType: "image/png", bytes: textSample("04-letter.png") }];
      const { result } = await runner.run({ model: "blazeface-back", payload: { parameters: { images: 1 }, parts } });
      expect((result as FacesResult).images[0]?.faces).to.deep.equal([]);
    });
  });

  describe("error", () => {
    const bomb = pngDeclaring({ width: 64, height: 64, data: new Uint8Array(64 * 1024 * 1024), interlaced: true });
    const refused: [string, Uint8Array, string][] = [
      ["text", Buffer.from("this is not an image"), "INPUT_NOT_IMAGE"],
      ["nothing", new Uint8Array(0), "INPUT_NOT_IMAGE"],
      ["a PNG that declares 4 gigapixels", pngDeclaring({ width: 65_535, height: 65_535 }), "INPUT_TOO_LARGE"],
      [
        "a PNG that declares more than 31 bits",
        pngDeclaring({ width: 0xffff_ffff, height: 0xffff_ffff }),
        "INPUT_TOO_LARGE",
      ],
      ["a PNG without pixels", pngDeclaring({ width: 0, height: 4 }), "INPUT_NOT_IMAGE"],
      ["a PNG with too little data", pngDeclaring({ width: 400, height: 400 }), "INPUT_NOT_IMAGE"],
      ["an interlaced PNG that inflates beyond its size", bomb, "INPUT_NOT_IMAGE"],
      ["a PNG header alone", pngDeclaring({ width: 10, height: 10 }).subarray(0, 33), "INPUT_NOT_IMAGE"],
      ["a JPEG that ends before its size", photo(1).subarray(0, 20), "INPUT_NOT_IMAGE"],
      ["a JPEG that ends in its tables", photo(1).subarray(0, 200), "INPUT_NOT_IMAGE"],
    ];
    for (const [name, bytes, code] of refused) {
      it(`refuses ${name}`, async () => {
        expect(await codeFor(bytes)).to.equal(code);
      });
    }

    it("survives a JPEG that ends in the middle of its pixels", async () => {
      expect(await codeFor(photo(1).subarray(0, 60_000))).to.be.oneOf(["done", "INPUT_NOT_IMAGE"]);
    });

    it("goes on after every one of them", async () => {
      expect((await faces(photo(1))).faces.length).to.equal(3);
    });
  });
});
