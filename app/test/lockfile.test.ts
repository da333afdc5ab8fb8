/** What the lockfile must not bring back: packages of wallets that nobody uses here, which broke builds elsewhere. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { expect } from "chai";

interface Lockfile {
  packages: Record<string, { resolved?: string; link?: boolean }>;
}

const replaced = ["@base-org/account", "@coinbase/wallet-sdk", "@metamask/sdk", "@walletconnect/ethereum-provider"];

describe("the lockfile", () => {
  it("installs no wallet kit whose missing parts fail a clean build", () => {
    const text = readFileSync(join(import.meta.dirname, "../../package-lock.json"), "utf8");
    const { packages } = JSON.parse(text) as Lockfile;
    const names = Object.keys(packages).map((path) => path.split("node_modules/").at(-1) ?? "");
    expect(names.filter((name) => name.startsWith("@x402/") || name === "@coinbase/cdp-sdk")).to.deep.equal([]);
    for (const name of replaced) {
      const { link, resolved } = packages[`node_modules/${name}`] ?? {};
      expect({ link, resolved }, name).to.deep.equal({ link: true, resolved: "vendor/absent-wallet" });
    }
  });
});
