/** What the logs of a service never show. */
import { expect } from "chai";
import { spawnSync } from "node:child_process";
import { describe, it } from "node:test";

const program = `
  import { createChain } from "@ngpu/protocol/service/chain";
  import { createLog } from "@ngpu/protocol/service/log";
  const log = createLog({ service: "test", level: "info" });
  const rpcUrl = "http://user:password@127.0.0.1:9/v2/sEcReT?key=sEcReT";
  await createChain({ rpcUrl, chainId: 1 }).catch((err) => log.error({ err, rpcUrl }, "asked " + rpcUrl + "."));
`;

describe("log", () => {
  it("shows of an RPC's address the host alone, also inside errors and their causes", () => {
    const { stderr } = spawnSync(process.execPath, ["--input-type=module", "--eval", program], { encoding: "utf8" });
    const { rpcUrl, err } = JSON.parse(stderr) as { rpcUrl: string; err: { stack: string } };
    expect(rpcUrl).to.equal("http://127.0.0.1:9");
    expect(err.stack).to.include("CHAIN_UNREACHABLE");
    expect(stderr).not.to.match(/sEcReT|password/);
  });
});
