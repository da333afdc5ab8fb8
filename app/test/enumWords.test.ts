/** No page can show nothing for a kind that the index knows: every value of every enumeration has its own words. */
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { expect } from "chai";
import { stringToHex } from "viem";
import { enumNames, wordOf, type EnumName } from "../lib/enumWords.ts";
import { slashReason } from "../lib/slashReason.ts";

const schema = readFileSync(new URL("../../subgraph/schema.graphql", import.meta.url), "utf8");
const enums = [...schema.matchAll(/^enum (\w+) \{\n([^}]+)\}/gm)].map(([, name = "", body = ""]) => ({
  name: name as EnumName,
  values: body.trim().split(/\s+/) as never[],
}));

describe("words for the schema's enumerations", () => {
  it("exist for exactly the enumerations of the schema", () => {
    expect(enums.length).to.be.greaterThan(10);
    expect([...enumNames].sort()).to.deep.equal(enums.map(({ name }) => name).sort());
  });

  it("say something of its own for every value", () => {
    for (const { name, values } of enums) {
      const words = values.map((value) => wordOf(name, value));
      expect(new Set(words).size, name).to.equal(values.length);
      // A word of two parts in the schema is never shown as one.
      for (const word of words) expect(word, name).to.match(/^[A-Z][a-z]+( |,|$)/);
    }
  });

  it("leave a value that is newer than the app under its own name", () => {
    expect(wordOf("StakeEventKind", "Melted" as never)).to.equal("Melted");
  });
});

describe("the reason of a slash", () => {
  const contracts = ["libraries/FaultIds.sol", "session/SessionFloor.sol"].map((file) =>
    readFileSync(new URL(`../../contracts/${file}`, import.meta.url), "utf8"),
  );

  it("has words for every reason that a contract gives", () => {
    const reasons = contracts.flatMap((source) =>
      [...source.matchAll(/constant \w+ = "([^"]+)"/g)].map(([, text]) => text),
    );
    expect(reasons.length).to.be.greaterThan(5);
    for (const text of reasons.filter((reason) => reason !== "ngpu.dispute"))
      expect(slashReason(stringToHex(text ?? "", { size: 32 }))).to.not.equal(text);
  });

  it("is shown as written when it is another", () => {
    expect(slashReason(stringToHex("other.reason", { size: 32 }))).to.equal("other.reason");
    expect(slashReason(`0x${"ff".repeat(32)}`)).to.equal(`0x${"ff".repeat(32)}`);
  });
});
