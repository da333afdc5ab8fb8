/** What a person drops on the page: what fits is taken, what does not is named, and a huge file is never read. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { catalogue } from "@ngpu/protocol/catalogue";
import { expect } from "chai";
import { referenceHourUsd6 } from "../lib/referenceHour.ts";
import { takeFiles } from "../lib/takeFiles.ts";

const manifest = catalogue[0]?.manifest;
if (manifest === undefined) throw new Error("the catalogue is empty");
const png = readFileSync(join(import.meta.dirname, "../public/samples/text/03-parcel-label.png"));
const image = (name: string) => new File([png], name, { type: "image/png" });

describe("the files a person chooses", () => {
  it("are taken where they fit, and each that does not is named with its reason", async () => {
    const files = [image("a.png"), new File(["hello"], "notes.txt", { type: "text/plain" }), image("b.png")];
    const { parts, problem } = await takeFiles({ files, manifest, held: [] });
    expect(parts.map(({ name }) => name)).to.deep.equal(["a.png", "b.png"]);
    expect(problem?.title).to.equal("notes.txt was left out");
    expect(problem?.text).to.contain("no PNG or JPEG").and.to.contain("nothing was spent");
  });

  it("are not read when their size alone says no", async () => {
    const huge = {
      name: "huge.png",
      type: "image/png",
      size: 100 * 1_048_576,
      arrayBuffer: () => Promise.reject(new Error("was read")),
    };
    const { parts, problem } = await takeFiles({ files: [huge], manifest, held: [] });
    expect(parts).to.deep.equal([]);
    expect(problem?.text).to.contain("100.0 MiB");
  });

  it("fill a task up to the model's limit, counting what it holds already", async () => {
    const files = Array.from({ length: 65 }, (_, index) => image(`p${index}.png`));
    const { parts, problem } = await takeFiles({ files, manifest, held: [{ bytes: png }, { bytes: png }] });
    expect(parts.length).to.equal(manifest.limits.maxParts - 2);
    expect(problem?.title).to.equal("3 files were left out");
    expect(problem?.text).to.contain("at most 64 images");
  });

  it("may vanish between choosing and reading", async () => {
    const gone = {
      ...image("x"),
      name: "gone.png",
      type: "image/png",
      size: 10,
      arrayBuffer: () => Promise.reject(new Error("gone")),
    };
    const { problem } = await takeFiles({ files: [gone], manifest, held: [] });
    expect(problem?.text).to.contain("gone.png: it cannot be read");
  });
});

describe("the price of a reference-hour", () => {
  it("is 3.6 times the price per 10⁹ CU·ms, rounded down", () => {
    expect(referenceHourUsd6(100_000n)).to.equal(360_000n);
    expect(referenceHourUsd6(1n)).to.equal(3n);
  });
});
