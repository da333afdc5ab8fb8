/** `npm run deploy` as a person runs it: a rehearsal that holds, and what is refused before anything is sent. */
import { after, before, describe, it } from "node:test";
import { expect } from "chai";
import type { Hex } from "viem";
import type { Check } from "../../scripts/deploy/checklist/check.ts";
import { startLocalChain, type LocalChain } from "../../scripts/deploy/dryRun/localChain.ts";
import { examineChain } from "../../scripts/deploy/examineChain.ts";
import {
  createDeployScene,
  createDeployWorld,
  developmentKey,
  type DeployScene,
  type DeployWorld,
} from "./support/deployWorld.ts";

interface PrintedRun {
  ok: boolean;
  chainId: number;
  standIns: { field: string }[];
  contracts: { name: string; sizeBytes: number; gas: string; costWei: string }[];
  total: { transactions: number; gas: string };
  roles: { role: string; holder: string; delaySeconds: number }[];
  checks: Check[];
  openSteps: { call: string }[];
  task: { escrowedUsd6: string; billUsd6: string; refundUsd6: string };
}

describe("A dry run of the example configuration", () => {
  let world: DeployWorld;
  before(async () => {
    world = await createDeployWorld();
  });
  after(() => world.close());

  it("passes its checklist, bills a task to the unit and leaves the deployer nothing", async () => {
    const { code, said, printed } = await world.run(["--dry-run", "--json"]);
    expect(code, said).to.equal(0);
    const run = JSON.parse(printed) as PrintedRun;
    expect(run.checks.filter(({ ok }) => !ok)).to.deep.equal([]);
    expect([run.ok, run.chainId, run.contracts.length]).to.deep.equal([true, 84_532, 16]);
    expect(run.standIns.map(({ field }) => field)).to.have.length(5);
    for (const { sizeBytes, gas, costWei } of run.contracts) {
      expect(sizeBytes).to.be.within(1, 24_576);
      expect(BigInt(costWei)).to.equal(BigInt(gas) * 100_000_000n);
    }
    const rows = run.roles.map(({ role, holder, delaySeconds }) => [`${role} ${holder}`, delaySeconds] as const);
    const held: Record<string, number> = Object.fromEntries(rows);
    expect(held["admin roles.admin"]).to.equal(1_814_400);
    expect(held["policy roles.policy"]).to.equal(86_400);
    expect(held["audit roles.auditor"]).to.equal(0);
    expect(Object.keys(held)).to.have.length(13);
    const what = run.checks.map((check) => check.what);
    expect(what).to.include.members(["the pauser lets quotes go on", "owner of seedSource", "who holds admin"]);
    // One second of a reference machine: 1,000 CU × 1,000 ms × 100,000 ÷ 10⁹.
    expect(run.task).to.include({ billUsd6: "100", escrowedUsd6: "125", refundUsd6: "25" });
    expect(run.openSteps.map(({ call }) => call.split("(")[0])).to.deep.equal(["addConsumer"]);
  });
});

describe("A deployment", () => {
  let scene: DeployScene;
  let world: DeployWorld;
  let chain: LocalChain;
  before(async () => {
    scene = await createDeployScene();
    ({ world, chain } = scene);
  });
  after(() => scene?.close());

  const sent = () => scene.sent();

  it("sends nothing to a chain of another id", async () => {
    const other = await startLocalChain({ chainId: 84_533 });
    try {
      await other.fund(world.deployer.address);
      const block = await other.client.getBlockNumber();
      const { code, said } = await world.run(["--rpc", other.rpcUrl]);
      expect(code).to.equal(1);
      expect(said).to.match(/CHAIN_WRONG chainId: found an RPC of chain 84533/);
      expect(await other.client.getBlockNumber()).to.equal(block);
    } finally {
      await other.close();
    }
  });

  it("sends nothing with a key that everybody knows", async () => {
    const block = await chain.client.getBlockNumber();
    for (const flags of [["--rpc", chain.rpcUrl], ["--dry-run"]]) {
      const { code, said } = await world.run(flags, { key: developmentKey });
      expect(code).to.equal(1);
      expect(said).to.contain("KEY_UNSAFE").and.not.to.contain(developmentKey.slice(2));
    }
    expect(await chain.client.getBlockNumber()).to.equal(block);
  });

  it("takes no key from the command line", async () => {
    const { code, said } = await world.run(["--key", developmentKey]);
    expect(code).to.equal(1);
    expect(said).to.contain("Unknown option '--key'");
    expect(await sent()).to.equal(0);
  });

  describe("examines what is there before", () => {
    const external = () => world.configuration.external;
    const codes = async (): Promise<string[][]> =>
      (await examineChain(chain.client, world.configuration)).map(({ code, path }) => [code, path]);
    const unharmed = async (act: () => Promise<void>): Promise<void> => {
      const id = await chain.control.snapshot();
      await act();
      await chain.control.revert({ id });
    };
    /** Puts one contract of this repository where another one is expected. */
    const replace = async (field: "paymentToken" | "stakeToken" | "priceFeed", code: Hex): Promise<void> =>
      chain.control.setCode({ address: external()[field], bytecode: code });

    it("finds nothing wrong with the stand-ins", async () => {
      expect(await codes()).to.deep.equal([]);
    });

    it("misses contracts that are not there", () =>
      unharmed(async () => {
        for (const field of ["paymentToken", "priceFeed"] as const) await replace(field, "0x");
        expect(await codes()).to.deep.equal([
          ["CODE_MISSING", "external.paymentToken"],
          ["CODE_MISSING", "external.priceFeed"],
        ]);
      }));

    it("refuses a stake token as payment token, and the other way round", () =>
      unharmed(async () => {
        const [payment, stake] = [external().paymentToken, external().stakeToken];
        const [paymentCode, stakeCode] = [
          await chain.client.getCode({ address: payment }),
          await chain.client.getCode({ address: stake }),
        ];
        await replace("paymentToken", stakeCode ?? "0x");
        await replace("stakeToken", paymentCode ?? "0x");
        expect(await codes()).to.deep.equal([
          ["TOKEN_DECIMALS", "external.paymentToken"],
          ["TOKEN_DECIMALS", "external.stakeToken"],
          ["TOKEN_NO_BURN", "external.stakeToken"],
        ]);
      }));

    it("refuses a payment token without permit", () =>
      unharmed(async () => {
        const { deployedBytecode } = await chain.hre.artifacts.readArtifact("NoReturnToken");
        await replace("paymentToken", deployedBytecode as Hex);
        expect(await codes()).to.deep.include(["TOKEN_NO_PERMIT", "external.paymentToken"]);
      }));

    it("refuses a price that is old", () =>
      unharmed(async () => {
        await chain.increaseTime(world.configuration.price.feedMaxAgeSeconds + 1);
        expect(await codes()).to.deep.equal([["FEED_STALE", "external.priceFeed"]]);
      }));
  });

  it("asks for a balance that lasts, before the first transaction", async () => {
    await chain.control.setBalance({ address: world.deployer.address, value: 1n });
    const { code, said } = await world.run(["--rpc", chain.rpcUrl]);
    expect(code).to.equal(1);
    expect(said).to.contain("BALANCE_SHORT");
    expect(await sent()).to.equal(0);
  });
});
