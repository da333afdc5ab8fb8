/**
 * What the compiled mappings may ask of graph-node: everything they need is in the events, so a call into a contract is
 * an error.
 */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { before, describe, it } from "node:test";
import { buildSubgraph } from "../../scripts/generate/subgraph.ts";

const folder = path.resolve(import.meta.dirname, "../../subgraph/build");

describe("imports of the compiled mappings", () => {
  before(async () => {
    await buildSubgraph();
  });

  const sources = [
    ...["NodeRegistry", "StakeVault", "PaymentVault", "TaskEscrow", "SessionSettlement"],
    ...["ScoreBoard", "Selection", "KeeperBonds", "Assignment", "Availability", "Disputes"],
  ];
  for (const source of sources) {
    it(`${source} reads no chain state and no other service`, async () => {
      const module = await WebAssembly.compile(await readFile(path.join(folder, source, `${source}.wasm`)));
      const imports = WebAssembly.Module.imports(module).map(({ name }) => name);
      assert.ok(imports.includes("store.set"), "a mapping without an import of the store would prove nothing");
      assert.deepEqual(imports.filter((name) => /^(ethereum|ipfs|ens|arweave|dataSource)\./.test(name)), []);
    });
  }
});
