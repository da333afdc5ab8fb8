/** Whom an authority believes while the chain does not answer. */
import { createAuthority } from "@ngpu/keeper/chain/authority";
import { systemClock, type Clock } from "@ngpu/protocol/service/clock";
import { expect } from "chai";
import { createServer, type Server } from "node:http";
import { after, before, describe, it } from "node:test";
import { createPublicClient, http } from "viem";
import { startTestChain, type TestChain } from "../harness/chain.ts";
import { codeRejectedBy } from "../harness/codeRejectedBy.ts";
import { registerNode } from "../harness/nodes.ts";

describe("authority", () => {
  let chain: TestChain;
  /** Passes requests on to the chain, or takes them and never answers. */
  let proxy: Server;
  let rpcUrl: string;
  let hangs = false;

  before(async () => {
    chain = await startTestChain();
    proxy = createServer((request, response) => {
      if (hangs) return;
      const body: Buffer[] = [];
      request.on("data", (chunk: Buffer) => body.push(chunk));
      request.on("end", () => {
        const headers = { "content-type": "application/json" };
        void fetch(chain.rpcUrl, { method: "POST", body: Buffer.concat(body), headers })
          .then((answer) => answer.text())
          .then((text) => response.setHeader("content-type", "application/json").end(text));
      });
    });
    await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
    const address = proxy.address();
    rpcUrl = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
  });

  after(async () => {
    proxy.closeAllConnections();
    await new Promise((resolve) => proxy.close(resolve));
    await chain.close();
  });

  it("does not wait for a chain that hangs, and goes on believing an operator it knew", async () => {
    let aheadMs = 0;
    const clock: Clock = { ...systemClock, nowMs: () => Date.now() + aheadMs };
    const client = createPublicClient({ transport: http(rpcUrl, { timeout: 30_000 }) });
    const authority = createAuthority({ chain: client, deployment: chain.deployment, clock });
    const { nodeId, operator } = await registerNode(chain);
    const { operator: unseen } = await registerNode(chain);
    expect(await authority.nodeOfOperator(operator.address)).to.equal(nodeId);
    hangs = true;
    aheadMs = 3_600_000;
    const startedMs = performance.now();
    expect(await authority.nodeOfOperator(operator.address)).to.equal(nodeId);
    expect(await codeRejectedBy(authority.nodeOfOperator(unseen.address))).to.equal("CHAIN_UNREACHABLE");
    expect(performance.now() - startedMs).to.be.below(5_000);
  });
});
