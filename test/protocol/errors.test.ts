/** Every error has words for people, no words belong to no error, and the page that lists them is what they are. */
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { contractErrors } from "@ngpu/protocol/contractErrors";
import { errorCatalogue, NgpuError, type CatalogueEntry } from "@ngpu/protocol/errors";
import { explainContractError } from "@ngpu/protocol/explainContractError";
import { errorsAbi } from "@ngpu/protocol/generated/abi/errors";
import { expect } from "chai";

interface AbiEntry {
  type: string;
}

const root = join(import.meta.dirname, "../..");
const sentence = /^[A-Z{].{2,}[.]$/;

describe("the error catalogues", () => {
  it("have words for every error that a contract declares, and for no other", () => {
    const declared = [...new Set(errorsAbi.map(({ name }) => name))].sort();
    expect(Object.keys(contractErrors).sort()).to.deep.equal(declared);
  });

  it("leave out no error of any generated ABI", async () => {
    const folder = join(root, "protocol/src/generated/abi");
    const files = readdirSync(folder).filter((file) => file !== "errors.ts");
    const listed = errorsAbi.map((error) => JSON.stringify(error));
    for (const file of files) {
      const module = (await import(pathToFileURL(join(folder, file)).href)) as Record<string, readonly AbiEntry[]>;
      const [abi = []] = Object.values(module);
      expect(abi, file).to.not.be.empty;
      const errors = abi.filter(({ type }) => type === "error").map((error) => JSON.stringify(error));
      expect(listed, file).to.include.members(errors);
    }
  });

  it("name figures only that the error carries, each in a way that it can be written", () => {
    for (const { name, inputs } of errorsAbi) {
      const carried = inputs.map((input) => input.name);
      const { meaning, remedy } = contractErrors[name];
      const written = [...`${meaning} ${remedy}`.matchAll(/\{(\w+):(\w+)\}/g)].map(([, figure]) => figure);
      expect(carried, name).to.include.members(written);
      const args = Object.fromEntries(inputs.map((input) => [input.name, input.type === "address" ? "0x12" : 5n]));
      const words = explainContractError({ name, args });
      for (const text of [words?.meaning, words?.cost, words?.remedy])
        expect(text, name).to.match(/^[A-Za-z0-9].{2,}\.$/);
      expect(JSON.stringify(words), name).to.not.match(/[{]\w+:\w+[}]|undefined|NaN/);
    }
  });

  it("write money exactly and time as time", () => {
    const late = explainContractError({
      name: "TaskPriceAboveMax",
      args: { priceUsd6PerGcums: 100_001n, maxPriceUsd6PerGcums: 100_000n },
    });
    expect(late?.meaning).to.contain("0.100001 USD").and.to.contain("0.1 USD");
    const thawing = explainContractError({ name: "ExitStillThawing", args: { nodeId: 7, unlockAt: 1_800_000_000 } });
    expect(thawing?.meaning).to.contain("node-7");
    expect(thawing?.remedy).to.contain("2027-01-15 08:00:00 UTC");
    const local = explainContractError({
      name: "TaskPastDeadline",
      args: { deadline: 5n },
      time: (s) => `second ${s}`,
    });
    expect(local?.meaning).to.equal("The deadline passed on second 5.");
    expect(explainContractError({ name: "Foreign", args: {} })).to.equal(undefined);
  });

  it("say for every code what happened, what it cost and what to do", () => {
    for (const [code, entry] of Object.entries<CatalogueEntry>(errorCatalogue)) {
      for (const text of [entry.meaning, entry.cost, entry.remedy]) expect(text, code).to.match(sentence);
      expect(new NgpuError(code as keyof typeof errorCatalogue).entry).to.equal(entry);
    }
  });

  it("hold no code that nothing raises", () => {
    const sources = ["protocol", "client", "keeper", "node-agent", "app", "scripts"].flatMap(sourcesIn).join("\n");
    const idle = Object.keys(errorCatalogue).filter(
      (code) => !sources.includes(`"${code}"`) && !sources.includes(`errorCatalogue.${code}.`),
    );
    expect(idle).to.deep.equal([]);
  });

  it("are what docs/ERRORS.md lists", () => {
    const check = spawnSync(process.execPath, [join(root, "scripts/generate/errors.ts"), "--check"], {
      encoding: "utf8",
    });
    expect(check.stderr).to.equal("");
    expect(check.status).to.equal(0);
  });
});

function sourcesIn(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((path) => /\.tsx?$/.test(path) && !/(^|\/)(node_modules|\.next|test|generated)\//.test(path))
    .map((path) => readFileSync(join(root, folder, path), "utf8"));
}
