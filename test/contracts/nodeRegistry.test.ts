/** Identity, keys and classes of nodes: contracts/NodeRegistry.sol. */
import { after, before, beforeEach, describe, it } from "node:test";
import { expect } from "chai";
import { size, slice, toHex, zeroAddress, type Hex } from "viem";
import { eventsOf } from "./support/chain.ts";
import { highS } from "./support/highS.ts";
import { codeOf, revertOf } from "./support/revert.ts";
import { createWorld, FAR_EXPIRY, keyOf, NGPU_WEI, type World } from "./support/world.ts";

const nodeState = { active: 0, draining: 1, suspended: 2, exiting: 3 } as const;
const gpuClass = { minimumPowerCu: 5_000, minimumStakeWei: 500n * NGPU_WEI, enabled: true };

describe("NodeRegistry", () => {
  let world: World;
  const operator = keyOf("new operator");
  const payout = keyOf("new payout").address;

  before(async () => {
    world = await createWorld();
  });
  beforeEach(() => world.restore());
  after(() => world.close());

  const read = {
    node: (nodeId: number) =>
      world.publicClient.readContract({ ...world.registry, functionName: "node", args: [nodeId] }),
    powerOf: (nodeId: number) =>
      world.publicClient.readContract({ ...world.registry, functionName: "powerOf", args: [nodeId] }),
    eligible: (nodeId: number) =>
      world.publicClient.readContract({ ...world.registry, functionName: "isEligible", args: [nodeId] }),
    nodeOf: (key: `0x${string}`) =>
      world.publicClient.readContract({ ...world.registry, functionName: "nodeOfOperator", args: [key] }),
  };

  async function register({ classId = 0, expiry = FAR_EXPIRY, signature, from, to = payout, at }: {
    classId?: number;
    expiry?: bigint;
    signature?: Hex;
    from?: `0x${string}`;
    to?: `0x${string}`;
    at?: number;
  } = {}) {
    const consent = signature ?? (await world.bind(world.actors.owner, operator, expiry));
    const args = [operator.address, to, classId, expiry, consent] as const;
    return world.send(from ?? world.actors.owner, world.registry, "register", args, at === undefined ? {} : { at });
  }

  describe("behaviour", () => {
    it("gives the next id, the class's power and the record that was asked for", async () => {
      const receipt = await register({ classId: 1 });
      expect(eventsOf(receipt, world.registry, "NodeRegistered")).to.deep.equal([
        { nodeId: 4, owner: world.actors.owner, operator: operator.address, payout, classId: 1, powerCu: 4_000 },
      ]);
      const node = await read.node(4);
      expect(node).to.deep.include({ owner: world.actors.owner, operator: operator.address, payout, classId: 1 });
      expect(node.registeredAt).to.equal(await world.now());
      expect(await read.nodeOf(operator.address)).to.equal(4);
    });

    it("keeps a retired operator key bound to its node", async () => {
      const { alpha } = world.nodes;
      const consent = await world.bind(alpha.owner, operator);
      const args = [alpha.nodeId, operator.address, FAR_EXPIRY, consent] as const;
      const receipt = await world.send(alpha.owner, world.registry, "rotateOperator", args);
      expect(eventsOf(receipt, world.registry, "OperatorRotated")).to.deep.equal([
        { nodeId: alpha.nodeId, oldOperator: alpha.operator.address, newOperator: operator.address },
      ]);
      expect((await read.node(alpha.nodeId)).operator).to.equal(operator.address);
      expect(await read.nodeOf(alpha.operator.address)).to.equal(alpha.nodeId);
      expect(await read.nodeOf(operator.address)).to.equal(alpha.nodeId);
    });

    it("lets the owner move future earnings", async () => {
      const { alpha } = world.nodes;
      const receipt = await world.send(alpha.owner, world.registry, "setPayout", [alpha.nodeId, payout]);
      expect(eventsOf(receipt, world.registry, "PayoutChanged")).to.deep.equal([{ nodeId: alpha.nodeId, payout }]);
      const found = await world.publicClient.readContract({
        ...world.registry,
        functionName: "payoutOf",
        args: [alpha.nodeId],
      });
      expect(found).to.equal(payout);
    });

    it("takes a draining node out of eligibility and puts it back, by owner or operator", async () => {
      const { alpha } = world.nodes;
      await world.connection.networkHelpers.impersonateAccount(alpha.operator.address);
      await world.connection.networkHelpers.setBalance(alpha.operator.address, 10n ** 18n);
      await world.send(alpha.operator.address, world.registry, "setDraining", [alpha.nodeId, true]);
      expect(await read.eligible(alpha.nodeId)).to.equal(false);
      const receipt = await world.send(alpha.owner, world.registry, "setDraining", [alpha.nodeId, false]);
      expect(eventsOf(receipt, world.registry, "DrainingChanged")).to.deep.equal([
        { nodeId: alpha.nodeId, draining: false },
      ]);
      expect(await read.eligible(alpha.nodeId)).to.equal(true);
      const stranger = world.send(world.actors.stranger, world.registry, "setDraining", [alpha.nodeId, true]);
      expect(await codeOf(stranger)).to.equal("NodeNotOwner");
    });

    it("is eligible only with its class's stake, and not while exiting below it", async () => {
      await register({ classId: 1 });
      expect(await read.eligible(4)).to.equal(false);
      await world.send(world.actors.owner, world.stakeVault, "stake", [4, 400n * NGPU_WEI - 1n]);
      expect(await read.eligible(4)).to.equal(false);
      await world.send(world.actors.owner, world.stakeVault, "stake", [4, 1n]);
      expect(await read.eligible(4)).to.equal(true);
      await world.send(world.actors.owner, world.stakeVault, "beginExit", [4, 1n]);
      expect(await read.eligible(4)).to.equal(false);
      await world.send(world.actors.owner, world.stakeVault, "cancelExit", [4]);
      expect(await read.eligible(4)).to.equal(true);
    });

    it("changes the power of a class for all its nodes, and lets a disabled class keep them", async () => {
      const { deployer } = world.actors;
      const disabled = { ...gpuClass, enabled: false };
      const receipt = await world.send(deployer, world.registry, "setNodeClass", [1, "gpu", disabled]);
      expect(eventsOf(receipt, world.registry, "NodeClassChanged")).to.deep.equal([
        { classId: 1, name: "gpu", minimumPowerCu: 5_000, minimumStakeWei: 500n * NGPU_WEI, enabled: false },
      ]);
      const { gamma } = world.nodes;
      expect(await read.powerOf(gamma.nodeId)).to.equal(5_000);
      expect(await read.eligible(gamma.nodeId)).to.equal(true);
      expect(await codeOf(register({ classId: 1 }))).to.equal("NodeClassUnavailable");
    });

    it("names the gravest reason that keeps a node out, and each one ends by time or by its owner", async () => {
      const { alpha } = world.nodes;
      const { deployer, owner } = world.actors;
      await world.send(deployer, world.accessManager, "grantRole", [3n, deployer, 0]);
      const state = () =>
        world.publicClient.readContract({ ...world.registry, functionName: "stateOf", args: [alpha.nodeId] });
      expect(await state()).to.equal(nodeState.active);
      await world.send(owner, world.registry, "setDraining", [alpha.nodeId, true]);
      expect(await state()).to.equal(nodeState.draining);
      const until = (await world.now()) + 100;
      const receipt = await world.send(deployer, world.registry, "suspend", [alpha.nodeId, until]);
      expect(eventsOf(receipt, world.registry, "NodeSuspended")).to.deep.equal([{ nodeId: alpha.nodeId, until }]);
      expect(await state()).to.equal(nodeState.suspended);
      await world.send(owner, world.stakeVault, "beginExit", [alpha.nodeId, 901n * NGPU_WEI]);
      expect(await state()).to.equal(nodeState.exiting);
      expect(await read.eligible(alpha.nodeId)).to.equal(false);
      await world.send(owner, world.stakeVault, "cancelExit", [alpha.nodeId]);
      await world.send(owner, world.registry, "setDraining", [alpha.nodeId, false]);
      await world.increaseTo(until - 1);
      expect([await state(), await read.eligible(alpha.nodeId)]).to.deep.equal([nodeState.suspended, false]);
      await world.increaseTo(until);
      expect([await state(), await read.eligible(alpha.nodeId)]).to.deep.equal([nodeState.active, true]);
    });

    it("shortens a suspension to a week, and lets it be lifted", async () => {
      const { alpha } = world.nodes;
      const { deployer } = world.actors;
      await world.send(deployer, world.accessManager, "grantRole", [3n, deployer, 0]);
      await world.send(deployer, world.registry, "suspend", [alpha.nodeId, 2 ** 40 - 1]);
      expect((await read.node(alpha.nodeId)).suspendedUntil).to.equal((await world.now()) + 7 * 24 * 3_600);
      await world.send(deployer, world.registry, "suspend", [alpha.nodeId, 0]);
      expect(await read.eligible(alpha.nodeId)).to.equal(true);
    });

    it("records which models a node declares, said by owner or operator, up to 32 at a time", async () => {
      const { alpha } = world.nodes;
      const declare = (modelId: Hex, serves: boolean, from = alpha.owner) =>
        world.send(from, world.registry, "declareModel", [alpha.nodeId, modelId, serves]);
      const declares = (modelId: Hex) =>
        world.publicClient.readContract({ ...world.registry, functionName: "declares", args: [alpha.nodeId, modelId] });
      const models = Array.from({ length: 33 }, (_, index) => toHex(index + 1, { size: 32 }));
      const [first = "0x", second = "0x"] = models;
      for (const modelId of models.slice(0, 32)) await declare(modelId, true);
      expect(await revertOf(declare(models[32] ?? "0x", true))).to.deep.equal({
        name: "NodeTooManyModels",
        args: [alpha.nodeId, 32],
      });
      const again = await declare(first, true);
      expect(eventsOf(again, world.registry, "ModelDeclared"), "said twice").to.deep.equal([]);
      const receipt = await declare(first, false);
      expect(eventsOf(receipt, world.registry, "ModelDeclared")).to.deep.equal([
        { nodeId: alpha.nodeId, modelId: first, serves: false },
      ]);
      expect([await declares(first), await declares(second)]).to.deep.equal([false, true]);
      await declare(models[32] ?? "0x", true);
      expect(await codeOf(declare(toHex(0, { size: 32 }), true))).to.equal("NodeModelInvalid");
      expect(await codeOf(declare(first, true, world.actors.stranger))).to.equal("NodeNotOwner");
    });

    it("says that an unknown node is not eligible", async () => {
      expect(await read.eligible(99)).to.equal(false);
    });

    it("accepts a binding in the second of its expiry and not one later", async () => {
      const expiry = (await world.now()) + 100;
      expect(await codeOf(register({ expiry: BigInt(expiry), at: expiry + 1 }))).to.equal("OperatorBindingInvalid");
      await world.restore();
      await register({ expiry: BigInt(expiry), at: expiry });
      expect(await read.nodeOf(operator.address)).to.equal(4);
    });
  });

  describe("error", () => {
    it("refuses an operator's consent in anybody else's hands", async () => {
      const signature = await world.bind(world.actors.owner, operator);
      const { stranger } = world.actors;
      expect(await revertOf(register({ from: stranger, signature }))).to.deep.equal({
        name: "OperatorBindingInvalid",
        args: [operator.address, stranger],
      });
    });

    it("refuses a signature by another key, cut short, or in its high-s form", async () => {
      const byOther = await world.bind(world.actors.owner, keyOf("other"));
      const valid = await world.bind(world.actors.owner, operator);
      for (const signature of [byOther, slice(valid, 0, size(valid) - 1), highS(valid), "0x" as const]) {
        expect(await codeOf(register({ signature })), signature).to.equal("OperatorBindingInvalid");
      }
      await register({ signature: valid });
    });

    it("never binds an operator key twice, not even a retired one", async () => {
      const { alpha } = world.nodes;
      const consent = await world.bind(alpha.owner, operator);
      const rotate = [alpha.nodeId, operator.address, FAR_EXPIRY, consent] as const;
      await world.send(alpha.owner, world.registry, "rotateOperator", rotate);
      const back = await world.bind(alpha.owner, alpha.operator);
      const again = [alpha.nodeId, alpha.operator.address, FAR_EXPIRY, back] as const;
      expect(await revertOf(world.send(alpha.owner, world.registry, "rotateOperator", again))).to.deep.equal({
        name: "OperatorTaken",
        args: [alpha.operator.address, alpha.nodeId],
      });
      expect(await codeOf(register())).to.equal("OperatorTaken");
    });

    it("refuses zero addresses and classes that do not exist", async () => {
      const { owner } = world.actors;
      expect(await codeOf(register({ to: zeroAddress }))).to.equal("NodeZeroAddress");
      const noOperator = [zeroAddress, payout, 0, FAR_EXPIRY, "0x"] as const;
      expect(await codeOf(world.send(owner, world.registry, "register", noOperator))).to.equal("NodeZeroAddress");
      const { alpha } = world.nodes;
      const noPayout = world.send(owner, world.registry, "setPayout", [alpha.nodeId, zeroAddress]);
      expect(await codeOf(noPayout)).to.equal("NodeZeroAddress");
      expect(await codeOf(register({ classId: 9 }))).to.equal("NodeClassUnavailable");
    });

    it("lets nobody but the owner rotate keys or move earnings", async () => {
      const { alpha } = world.nodes;
      const { stranger } = world.actors;
      const consent = await world.bind(stranger, operator);
      const rotate = [alpha.nodeId, operator.address, FAR_EXPIRY, consent] as const;
      expect(await codeOf(world.send(stranger, world.registry, "rotateOperator", rotate))).to.equal("NodeNotOwner");
      expect(await codeOf(world.send(stranger, world.registry, "setPayout", [alpha.nodeId, stranger]))).to.equal(
        "NodeNotOwner",
      );
      expect(await codeOf(world.send(stranger, world.registry, "setPayout", [99, stranger]))).to.equal("NodeUnknown");
      expect(await codeOf(read.node(99))).to.equal("NodeUnknown");
      expect(await codeOf(read.powerOf(99))).to.equal("NodeUnknown");
    });

    it("leaves classes to the policy role, and refuses one without power or stake", async () => {
      const { deployer, keeper } = world.actors;
      const set = (from: `0x${string}`, nodeClass: typeof gpuClass) =>
        world.send(from, world.registry, "setNodeClass", [1, "gpu", nodeClass]);
      expect(await codeOf(set(keeper, gpuClass))).to.equal("AccessManagedUnauthorized");
      expect(await codeOf(set(deployer, { ...gpuClass, minimumPowerCu: 0 }))).to.equal("NodeClassInvalid");
      expect(await codeOf(set(deployer, { ...gpuClass, minimumStakeWei: 0n }))).to.equal("NodeClassInvalid");
    });

    it("leaves suspensions to the role of those who prove faults", async () => {
      const { keeper, deployer } = world.actors;
      const suspend = (from: `0x${string}`, nodeId: number) =>
        world.send(from, world.registry, "suspend", [nodeId, 2 ** 40 - 1]);
      for (const from of [keeper, deployer, world.actors.owner]) {
        expect(await codeOf(suspend(from, world.nodes.alpha.nodeId))).to.equal("AccessManagedUnauthorized");
      }
      await world.send(deployer, world.accessManager, "grantRole", [3n, deployer, 0]);
      expect(await codeOf(suspend(deployer, 99))).to.equal("NodeUnknown");
      const state = { ...world.registry, functionName: "stateOf", args: [99] } as const;
      expect(await codeOf(world.publicClient.readContract(state))).to.equal("NodeUnknown");
    });

    it("lets the score board be named once, by the deployer alone; until then a class's minimum counts", async () => {
      const { deployer, stranger } = world.actors;
      const again = world.send(deployer, world.registry, "fixScoreBoard", [stranger]);
      expect(await codeOf(again)).to.equal("RegistryScoreBoardFixed");
      const fresh = await world.deploy("NodeRegistry", world.registry.abi, [world.accessManager.address]);
      for (const [from, board] of [[stranger, stranger], [deployer, zeroAddress]] as const) {
        expect(await codeOf(world.send(from, fresh, "fixScoreBoard", [board]))).to.equal("RegistryScoreBoardFixed");
      }
      await world.send(deployer, fresh, "fixScoreBoard", [world.scoreBoard.address]);
    });

    it("lets the stake vault be named once, by the deployer alone", async () => {
      const { deployer, stranger } = world.actors;
      const again = world.send(deployer, world.registry, "fixStakeVault", [stranger]);
      expect(await codeOf(again)).to.equal("RegistryStakeVaultFixed");
      const fresh = await world.deploy("NodeRegistry", world.registry.abi, [world.accessManager.address]);
      const byStranger = world.send(stranger, fresh, "fixStakeVault", [stranger]);
      expect(await codeOf(byStranger)).to.equal("RegistryStakeVaultFixed");
      expect(await codeOf(world.send(deployer, fresh, "fixStakeVault", [zeroAddress]))).to.equal(
        "RegistryStakeVaultFixed",
      );
      await world.send(deployer, fresh, "fixStakeVault", [world.stakeVault.address]);
      const named = await world.publicClient.readContract({ ...fresh, functionName: "stakeVault" });
      expect(named).to.equal(world.stakeVault.address);
    });
  });
});
