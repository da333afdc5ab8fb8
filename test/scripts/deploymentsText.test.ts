/** How recorded deployments of public chains become known to every part of NGPU. */
import { describe, it } from "node:test";
import type { Deployment } from "@ngpu/protocol/deployment";
import { expect } from "chai";
import { deploymentsText } from "../../scripts/generate/deploymentsText.ts";

const local = { chainId: 31_337, addresses: { taskEscrow: "0x02", accessManager: "0x01" }, deploymentBlock: 1 } as const;
const testnet = { chainId: 84_532, addresses: { taskEscrow: "0x03" }, deploymentBlock: 77 } as const;

describe("The file of deployments", () => {
  it("holds every chain by its id, with its addresses and its first block", async () => {
    const text = deploymentsText("/** Where. */", [testnet, local]);
    const source = text.replace(" as const;", ";");
    const loaded = (await import(`data:text/javascript,${encodeURIComponent(source)}`)) as {
      deployments: Record<number, Partial<Deployment>>;
    };
    expect(loaded.deployments).to.deep.equal({
      31_337: { accessManager: "0x01", taskEscrow: "0x02", deploymentBlock: 1 },
      84_532: { taskEscrow: "0x03", deploymentBlock: 77 },
    });
    expect(text.indexOf("31337")).to.be.below(text.indexOf("84532"));
  });

  it("refuses two deployments on one chain, because a service can follow only one", () => {
    expect(() => deploymentsText("", [local, local])).to.throw("chain 31337 is recorded twice");
  });
});
