/** Every test that a README of the tests names exists, under exactly that title. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { expect } from "chai";
import { paths } from "../../scripts/stack/paths.ts";
import { holdsTest, missingTests, namedTests } from "./support/namedTests.ts";

const testFolder = join(paths.root, "test");
const readmes = readdirSync(testFolder, { recursive: true, encoding: "utf8" }).filter((path) =>
  /(^|\/)README\.md$/.test(path.replaceAll("\\", "/")),
);

describe("tests that documents name", () => {
  for (const readme of readmes) {
    it(`exist, as far as test/${readme} names them`, () => {
      const path = join(testFolder, readme);
      const document = readFileSync(path, "utf8");
      expect(missingTests(document, [dirname(path), testFolder, paths.root])).to.deep.equal([]);
    });
  }

  it("are many where every bad day is listed", () => {
    expect(namedTests(readFileSync(join(testFolder, "README.md"), "utf8"))).to.have.length.above(50);
  });

  it("are missed when the title or the file is another one", () => {
    const table = (cell: string): string => `| bad day | test (file: title) |\n|---|---|\n| fire | ${cell} |\n`;
    const file = "scripts/namedTests.test.ts";
    const missing = (cell: string): string[] => missingTests(table(cell), [testFolder]);
    expect(missing(`\`${file}\`: \`are missed when the title or the file is another one\``)).to.deep.equal([]);
    expect(missing(`\`${file}: are missed when the title or the file is another one\``)).to.deep.equal([]);
    expect(missing(`\`${file}\`: \`are missed when the title\``)).to.deep.equal([
      `${file}: holds no test "are missed when the title"`,
    ]);
    expect(missing("`scripts/none.test.ts`: `burns`")).to.deep.equal(["scripts/none.test.ts: there is no such file"]);
    expect(() => missing(`${file}: burns`)).to.throw("names no test");
  });

  it("are found by what a loop puts into their title, and by nothing less", () => {
    const loop = 'for (const what of ["fire", "flood"]) it(`refuses ${what} at once`, act);';
    expect(holdsTest(loop, "refuses fire at once")).to.equal(true);
    expect(holdsTest(loop, "refuses hail at once")).to.equal(false);
    const source = 'it(\n  "says \\"no\\"",\n  act);';
    expect(holdsTest(source, 'says "no"')).to.equal(true);
    expect(holdsTest(source, "says")).to.equal(false);
    expect(holdsTest('const cases = ["burns"];\nit(title, act);', "burns")).to.equal(true);
    expect(holdsTest('const cases = ["burns"];\nit("drowns", act);', "burns")).to.equal(false);
  });
});
