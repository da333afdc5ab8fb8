/** Weights and phases at their edges, and parts whose neighbours are not there yet: who is drawn, and with what. */
import { after, before, beforeEach, describe, it } from "node:test";
import { signMessage } from "@ngpu/protocol/signed";
import { expect } from "chai";
import { zeroAddress, zeroHash } from "viem";
import { codeOf, revertOf } from "./support/revert.ts";
import {
  BOND,
  createSelectionWorld,
  KEEPER_POOL,
  NEWCOMER_QUALITY_BPS,
  phase,
  seconds,
  type SelectionWorld,
} from "./support/selection.ts";
import { CHAIN_ID, FAR_EXPIRY, keyOf } from "./support/world.ts";

/** A hundred times the weight of the smallest bond. */
const MAX_WEIGHT = 10_000;

describe("Selection and registry at their edges", () => {
  let world: SelectionWorld;
  before(async () => {
    world = await createSelectionWorld();
  });
  beforeEach(() => world.restore());
  after(() => world.close());

  const read = () => world.publicClient.readContract;

  it("an epoch without a seed ends by time alone, though nobody was ever asked for one (INV-8)", async () => {
    await world.increase(seconds.update + seconds.seedTimeout);
    await world.send(world.actors.stranger, world.selection, "openWithoutSeed", []);
    expect(await read()({ ...world.selection, functionName: "requestId" })).to.equal(0n);
    const until = (await world.now()) + seconds.open;
    expect(await revertOf(world.advance({ at: until - 1 }))).to.deep.equal({
      name: "SelectionPhaseNotOver",
      args: [phase.open, until],
    });
    expect(await read()({ ...world.selection, functionName: "seed" })).to.equal(zeroHash);
    await world.advance({ at: until });
    expect(await world.phaseNow()).to.equal(phase.update);
  });

  it("a bond beyond a hundred minimums weighs no more than a hundred, and all of it comes back", async () => {
    const [keeper] = world.keepers;
    if (keeper === undefined) throw new Error("there is no keeper");
    const { address } = keeper.account;
    await world.send(world.actors.deployer, world.ngpu, "transfer", [address, 200n * BOND]);
    const weightWith = async (amountWei: bigint) => {
      await world.send(address, world.keeperBonds, "bond", [amountWei]);
      await world.refresh(KEEPER_POOL, keeper.keeperId);
      return world.weightOf(KEEPER_POOL, keeper.keeperId);
    };
    expect(await weightWith(99n * BOND), "a hundred minimums").to.equal(MAX_WEIGHT);
    expect(await weightWith(BOND)).to.equal(MAX_WEIGHT);
    const before = await world.balanceOf(address);
    await world.send(address, world.keeperBonds, "beginExit", [101n * BOND]);
    await world.increase(seconds.keeperExit);
    await world.send(address, world.keeperBonds, "withdraw", [keeper.keeperId]);
    expect(await world.balanceOf(address)).to.equal(before + 101n * BOND);
  });

  it("a node's quality is what it has earned while no record of faults counts", async () => {
    const { alpha } = world.nodes;
    const { deployer } = world.actors;
    await world.send(deployer, world.accessManager, "grantRole", [0n, deployer, 0]);
    await world.send(deployer, world.scoreBoard, "setConduct", [zeroAddress]);
    const factors = { ...world.scoreBoard, functionName: "factorsOf", args: [alpha.nodeId] } as const;
    expect(await read()(factors)).to.deep.equal([0, NEWCOMER_QUALITY_BPS]);
  });

  it("a registry without vault and board knows its nodes, and finds none eligible", async () => {
    const { deployer, owner } = world.actors;
    const fresh = await world.deploy("NodeRegistry", world.registry.abi, [world.accessManager.address]);
    const nodeClass = { minimumPowerCu: 1_000, minimumStakeWei: 1n, enabled: true };
    await world.send(deployer, fresh, "setNodeClass", [0, "any", nodeClass]);
    const operator = keyOf("early operator");
    const payout = keyOf("early payout").address;
    const signature = await bindTo(fresh.address, operator);
    await world.send(owner, fresh, "register", [operator.address, payout, 0, FAR_EXPIRY, signature]);
    expect(await read()({ ...fresh, functionName: "powerOf", args: [1] }), "its class's").to.equal(1_000);
    expect(await read()({ ...fresh, functionName: "eligibilityOf", args: [1] })).to.deep.equal([0, 0n]);
    expect(await read()({ ...fresh, functionName: "payoutOf", args: [1] })).to.equal(payout);
    expect(await codeOf(read()({ ...fresh, functionName: "payoutOf", args: [2] }))).to.equal("NodeUnknown");
  });

  async function bindTo(registry: `0x${string}`, operator: ReturnType<typeof keyOf>) {
    const { signature } = await signMessage({
      kind: "operatorBinding",
      message: { owner: world.actors.owner, operator: operator.address, expiry: FAR_EXPIRY },
      context: { chainId: CHAIN_ID, verifyingContract: registry },
      signer: operator,
    });
    return signature;
  }
});
