/** What a person sees when a target fails: words and a code, not the inside of a library. */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { expect } from "chai";
import { toHex } from "viem";
import { startTestChain, type TestChain } from "../harness/chain.ts";

const program = join(import.meta.dirname, "support/revertingTarget.ts");

describe("a target that fails", () => {
  let chain: TestChain;
  before(async () => {
    chain = await startTestChain();
  });
  after(() => chain.close());

  const run = (rpcUrl: string, sends: "yes" | "no"): Promise<{ code: number | null; said: string }> => {
    const key = toHex(chain.account(2).getHdKey().privateKey ?? new Uint8Array());
    const child = spawn(process.execPath, [program, rpcUrl, key, sends], { stdio: ["ignore", "ignore", "pipe"] });
    let said = "";
    child.stderr.on("data", (chunk: Buffer) => (said += chunk.toString()));
    return new Promise((resolve) => child.once("close", (code) => resolve({ code, said })));
  };

  const calls = [
    ["tried", "no"],
    ["sent", "yes"],
  ] as const;
  for (const [how, sends] of calls) {
    it(`says what the contract refused, with its code, when a call is ${how}`, async () => {
      const { code, said } = await run(chain.rpcUrl, sends);
      expect(code).to.equal(1);
      expect(said).to.equal(
        "✗ TaskWrongStatus: The task is unknown by now, so this cannot be done any more. " +
          "No money was moved. If a transaction was sent, its gas is spent. Look at where the task stands now.\n",
      );
    });
  }

  it("says that the chain does not answer", async () => {
    const { code, said } = await run("http://127.0.0.1:9", "no");
    expect(code).to.equal(1);
    expect(said).to.match(/^✗ CHAIN_UNREACHABLE: The chain's RPC did not answer\. .*It cost nothing\. .*check the/);
    expect(said.split("\n")).to.have.length(2);
  });
});
