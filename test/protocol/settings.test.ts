/** Private keys as settings: with and without prefix, from a file, and never a public one where money is real. */
import { describe, it } from "node:test";
import { NgpuError } from "@ngpu/protocol/errors";
import { readPrivateKey, type Environment } from "@ngpu/protocol/service/settings";
import { expect } from "chai";

const key = `0x${"5a".repeat(32)}`;
const publicKey = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";

function read(env: Environment, options: { chainId?: number; file?: string } = {}): string {
  const { chainId = 31_337, file = "" } = options;
  try {
    return readPrivateKey(env, "KEY", { chainId, readFile: () => file });
  } catch (error) {
    if (error instanceof NgpuError) return error.code;
    throw error;
  }
}

describe("readPrivateKey", () => {
  it("takes a key as openssl writes it, and with the prefix", () => {
    expect(read({ KEY: key })).to.equal(key);
    expect(read({ KEY_FILE: "operator.key" }, { file: `${key.slice(2)}\n` })).to.equal(key);
  });

  it("refuses what is no key", () => {
    for (const text of ["", "0x", key.slice(0, -1), `${key}00`, "zz".repeat(32)]) {
      expect(read({ KEY: text })).to.equal("SETTING_INVALID");
    }
  });

  it("refuses a publicly known key on any chain but the local one, with and without the prefix", () => {
    expect(read({ KEY: publicKey })).to.equal(publicKey);
    expect(read({ KEY: publicKey }, { chainId: 1 })).to.equal("KEY_UNSAFE");
    expect(read({ KEY: publicKey.slice(2).toUpperCase() }, { chainId: 1 })).to.equal("KEY_UNSAFE");
  });
});
