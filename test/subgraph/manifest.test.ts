/** The subgraph's manifest for a chain other than the local one. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { Deployment } from "@ngpu/protocol/deployment";
import { deployments } from "@ngpu/protocol/generated/deployments";
import { expect } from "chai";
import { isAddress, toHex } from "viem";
import { manifestOf, networks } from "../../scripts/generate/subgraph.ts";

const local = deployments[31_337];
const text = readFileSync(join(import.meta.dirname, "../../subgraph/subgraph.yaml"), "utf8");
/** Every address another one, so that none can have stayed. */
const elsewhere = Object.fromEntries(
  Object.entries(local).map(([name, value], index) => [
    name,
    typeof value === "string" && isAddress(value) ? toHex(0xabc000 + index, { size: 20 }) : value,
  ]),
) as unknown as Deployment;

const valuesOf = (key: string, of: string): string[] =>
  [...of.matchAll(new RegExp(`^ +${key}: (.+)$`, "gm"))].map(([, value = ""]) => value.replaceAll('"', ""));

describe("manifest of the subgraph", () => {
  it("for another chain names its network, its addresses and its first block in every source, and changes nothing else", () => {
    const network = networks[84_532] ?? "";
    const found = manifestOf(text, { network, deployment: { ...elsewhere, deploymentBlock: 4_711 } });
    const sources = valuesOf("network", text).length;
    expect(sources).to.be.greaterThan(10);
    expect(valuesOf("network", found)).to.deep.equal(Array.from({ length: sources }, () => "base-sepolia"));
    expect(valuesOf("startBlock", found)).to.deep.equal(Array.from({ length: sources }, () => "4711"));
    const addresses = valuesOf("address", found);
    expect(new Set(addresses).size).to.equal(sources);
    for (const address of addresses) expect(Object.values(elsewhere)).to.include(address);
    expect(manifestOf(found, { network: "hardhat", deployment: local })).to.equal(text);
  });

  it("is refused where a source is missing", () => {
    const place = { network: "hardhat", deployment: local };
    expect(() => manifestOf(text.replace("name: TaskEscrow", "name: Other"), place)).to.throw("TaskEscrow");
  });
});
