/**
 * The mappings through graph-node's own store and runtime: each fixture of subgraph/tests gives exactly the entities it
 * names.
 */
import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { buildSubgraph } from "../../scripts/generate/subgraph.ts";
import { findGnd } from "../../scripts/stack/findGnd.ts";
import { freePorts } from "../../scripts/stack/ports.ts";
import { startPostgres, type Postgres } from "../../scripts/stack/postgres.ts";
import { expandFixture, type Fixture } from "./support/expandFixture.ts";
import { runGndTest } from "./support/runGndTest.ts";

const folder = path.resolve(import.meta.dirname, "../../subgraph/tests");
const gnd = findGnd();

describe("subgraph mappings", { skip: gnd ? false : "no graph-node for this platform", concurrency: 2 }, async () => {
  const files = (await readdir(folder)).filter((name) => name.endsWith(".json")).sort();
  let postgres: Postgres;
  let scratch: string;

  before(async () => {
    await buildSubgraph();
    scratch = await mkdtemp(path.join(tmpdir(), "ngpu-mappings-"));
    const databases = ["proof", ...files.map(databaseOf)];
    const { postgres: port } = await freePorts();
    postgres = await startPostgres({ dataDir: path.join(scratch, "postgres"), port, databases });
  });
  after(async () => {
    await postgres?.stop();
    await rm(scratch, { recursive: true, force: true });
  });

  for (const file of files) {
    it(`indexes ${file} exactly`, async () => {
      const { passed, output } = await run(await load(file), databaseOf(file));
      assert.ok(passed, output);
    });
  }

  it("fails where one digit of an answer is wrong", async () => {
    const fixture = await load("taskLife.json");
    const wrong = { query: "{ bills { amountUsd6 } }", expected: { bills: [{ amountUsd6: "12341" }] } };
    const { passed, output } = await run({ ...fixture, assertions: [wrong] }, "proof");
    assert.equal(passed, false);
    assert.match(output, /12340/);
  });

  function run(fixture: Fixture, database: string) {
    assert.ok(gnd);
    return runGndTest({ gnd, postgresUrl: postgres.url(database), test: expandFixture(fixture) });
  }
});

async function load(file: string): Promise<Fixture> {
  return JSON.parse(await readFile(path.join(folder, file), "utf8")) as Fixture;
}

function databaseOf(file: string): string {
  return `fixture_${path.basename(file, ".json").toLowerCase()}`;
}
