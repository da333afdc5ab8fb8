/** A deployment that is killed on its way, and what the same command makes of it. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { expect } from "chai";
import type { Address, Hex } from "viem";
import type { DeploymentRecord } from "../../scripts/deploy/deploymentRecord.ts";
import type { LocalChain } from "../../scripts/deploy/dryRun/localChain.ts";
import { createDeployScene, type DeployScene, type DeployWorld } from "./support/deployWorld.ts";
import { startSwallowingRpc } from "./support/swallowingRpc.ts";

interface Printed {
  ok: boolean;
  contracts: { name: string; address: Address }[];
  total: { transactions: number; gas: string };
  record: DeploymentRecord;
}

/** Of the module `Ngpu`. */
const contracts = 16;

describe("A deployment that is killed half-way", () => {
  let scene: DeployScene;
  let world: DeployWorld;
  let chain: LocalChain;
  before(async () => {
    scene = await createDeployScene();
    ({ world, chain } = scene);
  });
  after(() => scene?.close());

  const sent = () => scene.sent();
  /** Every contract that the deployer has created, whatever any journal says. */
  const created = async (): Promise<Address[]> => {
    const found: Address[] = [];
    for (let block = 0n; block <= (await chain.client.getBlockNumber()); block += 1n) {
      const { transactions } = await chain.client.getBlock({ blockNumber: block });
      for (const hash of transactions as readonly Hex[]) {
        const { from, contractAddress } = await chain.client.getTransactionReceipt({ hash });
        if (contractAddress && from.toLowerCase() === world.deployer.address.toLowerCase()) found.push(contractAddress);
      }
    }
    return found;
  };

  it("goes on after each kill, also when it never learned which contract it had sent, and makes none twice", async () => {
    const rpc = await startSwallowingRpc({ to: chain.rpcUrl, fromTransaction: 8 });
    try {
      const killWhen = async (): Promise<boolean> => rpc.swallowed() > 0;
      expect((await world.run(["--rpc", rpc.rpcUrl], { killWhen })).code).to.equal(null);
    } finally {
      await rpc.close();
    }
    const [sentFirst, createdFirst] = [await sent(), await created()];
    expect(createdFirst.length).to.be.within(1, contracts - 1);

    const half = sentFirst + 15;
    const killed = await world.run(["--rpc", chain.rpcUrl], { killWhen: async () => (await sent()) >= half });
    expect(killed.code, killed.said).to.equal(null);
    expect(await sent()).to.be.within(half, half + 25);

    const { code, said, printed } = await world.run(["--rpc", chain.rpcUrl, "--json"]);
    expect(code, said).to.equal(0);
    expect(said).to.contain("going on with the journal");
    const deployment = JSON.parse(printed) as Printed;
    expect(deployment.ok).to.equal(true);
    expect(await sent()).to.equal(deployment.total.transactions);
    const addresses = deployment.contracts.map(({ address }) => address.toLowerCase()).sort();
    expect(addresses).to.have.length(contracts);
    expect((await created()).map((address) => address.toLowerCase()).sort()).to.deep.equal(addresses);
    expect(addresses).to.include.members(createdFirst.map((address) => address.toLowerCase()));

    const file = join(world.configuration.recordFolder, `${chain.chainId}.json`);
    const record = JSON.parse(await readFile(file, "utf8")) as DeploymentRecord;
    expect(record).to.deep.equal(deployment.record);
    expect(Object.values(record.addresses).map((address) => address.toLowerCase()).sort()).to.deep.equal(addresses);
  });
});
