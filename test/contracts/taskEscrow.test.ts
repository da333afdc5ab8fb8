/** The direct rail from post to bill: contracts/TaskEscrow.sol. Every test on money says where the money ended. */
import { after, before, beforeEach, describe, it } from "node:test";
import { limits } from "@ngpu/protocol/limits";
import { taskIdOf } from "@ngpu/protocol/ids";
import { receiptStatus, type Receipt } from "@ngpu/protocol/typedData";
import { expect } from "chai";
import { encodeAbiParameters, keccak256, size, slice, zeroAddress, zeroHash, type Hex } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { eventsOf } from "./support/chain.ts";
import { devKey } from "./support/devKey.ts";
import { highS } from "./support/highS.ts";
import { moneyOf, moved, vaultBalance } from "./support/money.ts";
import { noPermit, signPermit } from "./support/permit.ts";
import { codeOf, revertOf } from "./support/revert.ts";
import {
  acceptTask,
  aPost,
  aReceipt,
  anAssignedTask,
  assignTask,
  hashOf,
  postTask,
  readTask,
  settleTask,
  signReceipt,
  type Post,
} from "./support/tasks.ts";
import { CHAIN_ID, createWorld, FAR_EXPIRY, keyOf, type NodeKeys, type World } from "./support/world.ts";

const status = { none: 0, posted: 1, assigned: 2, accepted: 3, settled: 4, refunded: 5, cancelled: 6 } as const;
const reason = { expired: 0, failed: 1 } as const;
/** What the default post escrows and what the default receipt bills. */
const ESCROWED = 125n;
const BILLED = 100n;

describe("TaskEscrow", () => {
  let world: World;
  let alpha: NodeKeys;
  let beta: NodeKeys;
  let gamma: NodeKeys;

  before(async () => {
    world = await createWorld();
    ({ alpha, beta, gamma } = world.nodes);
  });
  beforeEach(() => world.restore());
  after(() => world.close());

  const payerMoney = () => moneyOf(world, world.actors.payer);
  const payoutMoney = (node: NodeKeys) => moneyOf(world, node.payout);
  const statusOf = async (taskId: Hex) => (await readTask(world, taskId)).status;
  const expirableAt = (taskId: Hex) =>
    world.publicClient.readContract({ ...world.escrow, functionName: "expirableAt", args: [taskId] });
  const expire = (taskId: Hex, at: number) =>
    world.send(world.actors.stranger, world.escrow, "expire", [taskId], { at });
  const cancel = (taskId: Hex, from = world.actors.payer) => world.send(from, world.escrow, "cancel", [taskId]);
  const assignPair = (taskId: Hex, primary: number, backup: number, options: { from?: Hex; at?: number } = {}) =>
    world.send(
      options.from ?? world.actors.keeper,
      world.escrow,
      "assign",
      [taskId, primary, backup],
      options.at === undefined ? {} : { at: options.at },
    );
  const tryPost = async (change: Partial<Post>) =>
    world.send(world.actors.payer, world.escrow, "post", [await aPost(world, change), noPermit]);

  describe("post", () => {
    it("moves the work's maximum from the wallet into the reservation, and freezes the quote", async () => {
      const before = await payerMoney();
      const { taskId, post, receipt } = await postTask(world);
      expect(eventsOf(receipt, world.escrow, "TaskPosted")).to.deep.equal([
        {
          taskId,
          payer: world.actors.payer,
          modelId: post.modelId,
          inputCommitment: post.inputCommitment,
          inputCiphertext: post.inputCiphertext,
          clientKey: post.clientKey,
          workCums: 1_000_000n,
          priceUsd6PerGcums: 100_000n,
          stakeWeiPerUsd6: 2_000_000_000_000n,
          maxAmountUsd6: ESCROWED,
          deadline: post.deadline,
          backups: 1,
        },
      ]);
      expect(moved(before, await payerMoney())).to.deep.equal({ walletUsd6: -ESCROWED, reservedUsd6: ESCROWED });
      expect(await vaultBalance(world)).to.equal(ESCROWED);
      expect(await readTask(world, taskId)).to.deep.equal({
        payer: world.actors.payer,
        postedAt: await world.now(),
        deadline: post.deadline,
        status: status.posted,
        backups: 1,
        priceUsd6PerGcums: 100_000n,
        workCums: 1_000_000n,
        maxAmountUsd6: ESCROWED,
        stakeWeiPerUsd6: 2_000_000_000_000n,
        contentHash: keccak256(
          encodeAbiParameters([{ type: "bytes32" }, { type: "bytes32" }], [post.modelId, post.inputCommitment]),
        ),
        primary: 0,
        backup: 0,
        primaryPowerCu: 0,
        backupPowerCu: 0,
        assignment: 0,
        acceptedMask: 0,
        failedMask: 0,
        assignedAt: 0,
      });
    });

    it("gives the id that protocol/src/ids.ts computes before posting", async () => {
      const { taskId, post } = await postTask(world);
      const { payer } = world.actors;
      const { clientNonce } = post;
      expect(taskId).to.equal(taskIdOf({ chainId: CHAIN_ID, escrow: world.escrow.address, payer, clientNonce }));
    });

    it("needs one transaction with a permit, and survives somebody using that permit first", async () => {
      const { payer, stranger } = world.actors;
      const before = await payerMoney();
      const owner = privateKeyToAccount(devKey(2));
      for (const frontRun of [false, true]) {
        const request = { owner, token: world.usd, spender: world.paymentVault.address, value: ESCROWED };
        const permit = await signPermit(world, request);
        const { value, deadline, v, r, s } = permit;
        const used = [payer, world.paymentVault.address, value, deadline, v, r, s] as const;
        if (frontRun) await world.send(stranger, world.usd, "permit", used);
        const change = { clientNonce: hashOf(`front run ${frontRun}`) };
        await postTask(world, { permit, approve: false, change });
      }
      expect(moved(before, await payerMoney())).to.deep.equal({ walletUsd6: -250n, reservedUsd6: 250n });
    });

    it("spends money that is already available before it touches the wallet", async () => {
      const { payer } = world.actors;
      await world.send(payer, world.usd, "approve", [world.paymentVault.address, 10_000n]);
      await world.send(payer, world.paymentVault, "deposit", [payer, 100n]);
      const before = await payerMoney();
      await postTask(world, { approve: false });
      expect(moved(before, await payerMoney())).to.deep.equal({
        walletUsd6: -25n,
        availableUsd6: -100n,
        reservedUsd6: ESCROWED,
      });
    });

    it("keeps the quote that was frozen when the price changes later", async () => {
      const { taskId } = await anAssignedTask(world);
      await world.send(world.actors.deployer, world.oracle, "setPrice", [10_000_000n]);
      await world.send(world.actors.deployer, world.registry, "setNodeClass", [
        0,
        "cpu",
        { minimumPowerCu: 2_000, minimumStakeWei: 1n, enabled: true },
      ]);
      const before = await payoutMoney(alpha);
      await settleTask(world, taskId, alpha);
      expect(moved(before, await payoutMoney(alpha))).to.deep.equal({ creditUsd6: BILLED });
    });

    it("refuses a post that lacks a field or wants more backups than there can be", async () => {
      const incomplete: Partial<Post>[] = [
        { modelId: zeroHash },
        { inputCommitment: zeroHash },
        { inputCiphertext: zeroHash },
        { clientKey: zeroAddress },
        { workCums: 0n },
        { backups: 2 },
      ];
      for (const change of incomplete) expect(await codeOf(tryPost(change))).to.equal("TaskInvalidPost");
    });

    it("takes a deadline from 10 seconds to an hour ahead and no other", async () => {
      const { payer } = world.actors;
      const at = (await world.now()) + 100;
      const { minDeadlineS, maxDeadlineS } = limits;
      await world.send(payer, world.usd, "approve", [world.paymentVault.address, 10_000n]);
      for (const [ahead, fits] of [
        [minDeadlineS - 1, false],
        [minDeadlineS, true],
        [maxDeadlineS, true],
        [maxDeadlineS + 1, false],
      ] as const) {
        const post = await aPost(world, { deadline: at + ahead });
        const snapshot = await world.connection.networkHelpers.takeSnapshot();
        const act = world.send(payer, world.escrow, "post", [post, noPermit], { at });
        if (fits) await act;
        else {
          expect(await revertOf(act)).to.deep.equal({
            name: "TaskDeadlineOutOfRange",
            args: [at + ahead, at + minDeadlineS, at + maxDeadlineS],
          });
        }
        await snapshot.restore();
      }
    });

    it("never takes a price above the payer's", async () => {
      const act = tryPost({ maxPriceUsd6PerGcums: 99_999n });
      expect(await revertOf(act)).to.deep.equal({ name: "TaskPriceAboveMax", args: [100_000n, 99_999n] });
    });

    it("takes a payer's nonce once, in whatever state the task is", async () => {
      const { taskId } = await postTask(world);
      expect(await revertOf(tryPost({}))).to.deep.equal({ name: "TaskExists", args: [taskId] });
      await cancel(taskId);
      expect(await codeOf(tryPost({}))).to.equal("TaskExists");
      const { otherPayer } = world.actors;
      const other = await postTask(world, { payer: otherPayer });
      expect(other.taskId).to.not.equal(taskId);
    });

    it("refuses work whose maximum is nothing, and a payer without money or allowance", async () => {
      expect(await codeOf(tryPost({ workCums: 1n }))).to.equal("PaymentZeroAmount");
      expect(await codeOf(tryPost({}))).to.equal("ERC20InsufficientAllowance");
      const poor = postTask(world, { payer: world.actors.stranger });
      expect(await codeOf(poor)).to.equal("ERC20InsufficientBalance");
    });

    it("refuses work whose maximum does not fit its slot instead of cutting it", async () => {
      const largest = 2n ** 64n - 1n;
      const { accessManager, registry, paymentVault, feed } = world;
      const bounds = [3_600n, 10_000n, 10n ** 12n, 1n, largest, largest];
      const args = [accessManager.address, feed.address, ...bounds];
      const oracle = await world.deploy("PriceOracle", world.oracle.abi, args);
      const parts = [accessManager, registry, paymentVault, oracle].map(({ address }) => address);
      const escrow = await world.deploy("TaskEscrow", world.escrow.abi, parts);
      const post = await aPost(world, { workCums: largest, maxPriceUsd6PerGcums: largest });
      const act = world.send(world.actors.payer, escrow, "post", [post, noPermit]);
      expect(await codeOf(act)).to.equal("SafeCastOverflowedUintDowncast");
    });
  });

  describe("assign", () => {
    it("fixes the pair and freezes each node's power", async () => {
      const { taskId } = await postTask(world);
      const receipt = await assignPair(taskId, gamma.nodeId, alpha.nodeId);
      expect(eventsOf(receipt, world.escrow, "TaskAssigned")).to.deep.equal([
        {
          taskId,
          primary: gamma.nodeId,
          backup: alpha.nodeId,
          assignment: 1,
          primaryPowerCu: 4_000,
          backupPowerCu: 1_000,
        },
      ]);
      expect(await readTask(world, taskId)).to.deep.include({
        status: status.assigned,
        assignment: 1,
        assignedAt: await world.now(),
      });
    });

    it("belongs to keepers for a minute and to anyone afterwards", async () => {
      const { taskId } = await postTask(world);
      const { postedAt } = await readTask(world, taskId);
      const { stranger } = world.actors;
      const opens = postedAt + limits.keeperWindowS;
      expect(await revertOf(assignTask(world, taskId, { from: stranger, at: opens - 1 }))).to.deep.equal({
        name: "TaskKeeperWindow",
        args: [taskId, opens],
      });
      await assignTask(world, taskId, { from: stranger, at: opens });
      expect(await statusOf(taskId)).to.equal(status.assigned);
    });

    it("is closed to a keeper whose role was revoked", async () => {
      const { taskId } = await postTask(world);
      const { deployer, keeper } = world.actors;
      await world.send(deployer, world.accessManager, "revokeRole", [1n, keeper]);
      expect(await codeOf(assignTask(world, taskId))).to.equal("TaskKeeperWindow");
    });

    it("refuses a pair that does not fit the task", async () => {
      const { taskId } = await postTask(world);
      const single = await postTask(world, { change: { backups: 0, clientNonce: hashOf("single") } });
      const pairs = [
        [taskId, 0, beta.nodeId],
        [taskId, alpha.nodeId, 0],
        [taskId, alpha.nodeId, alpha.nodeId],
        [single.taskId, alpha.nodeId, beta.nodeId],
        [single.taskId, 0, 0],
      ] as const;
      for (const [id, primary, backup] of pairs) {
        expect(await revertOf(assignPair(id, primary, backup))).to.deep.equal({
          name: "TaskInvalidPair",
          args: [primary, backup],
        });
      }
      await assignPair(single.taskId, alpha.nodeId, 0);
    });

    it("refuses nodes that are unknown, draining or exiting", async () => {
      const { taskId } = await postTask(world);
      const { owner } = world.actors;
      const refused = async (nodeId: number) => {
        const revert = await revertOf(assignTask(world, taskId));
        expect(revert).to.deep.equal({ name: "TaskNodeNotEligible", args: [nodeId] });
      };
      expect(await codeOf(assignPair(taskId, alpha.nodeId, 99))).to.equal("TaskNodeNotEligible");
      await world.send(owner, world.registry, "setDraining", [alpha.nodeId, true]);
      await refused(alpha.nodeId);
      await world.send(owner, world.registry, "setDraining", [alpha.nodeId, false]);
      await world.send(owner, world.stakeVault, "beginExit", [beta.nodeId, 950n * 10n ** 18n]);
      await refused(beta.nodeId);
    });

    it("ends with the deadline", async () => {
      const { taskId, post } = await postTask(world);
      const late = assignTask(world, taskId, { at: post.deadline });
      expect(await revertOf(late)).to.deep.equal({ name: "TaskPastDeadline", args: [taskId, post.deadline] });
      await world.restore();
      const again = await postTask(world);
      await assignTask(world, again.taskId, { at: again.post.deadline - 1 });
    });

    it("stands for 30 seconds; then, if nobody accepted, a new one replaces it and its messages", async () => {
      const { taskId } = await anAssignedTask(world);
      const { assignedAt } = await readTask(world, taskId);
      const until = assignedAt + limits.acceptWindowS;
      expect(await revertOf(assignTask(world, taskId, { at: until - 1 }))).to.deep.equal({
        name: "TaskAssignmentStanding",
        args: [taskId, until],
      });
      await settleTask(world, taskId, beta, { change: { status: receiptStatus.runnerCrashed } });
      await assignPair(taskId, beta.nodeId, gamma.nodeId);
      expect(await readTask(world, taskId)).to.deep.include({ assignment: 2, failedMask: 0, acceptedMask: 0 });
      for (const act of [() => settleTask(world, taskId, beta), () => acceptTask(world, taskId, beta)]) {
        expect(await revertOf(act())).to.deep.equal({ name: "TaskAssignmentStale", args: [taskId, 1, 2] });
      }
      const outgoing = settleTask(world, taskId, alpha, { change: { assignment: 2 } });
      expect(await codeOf(outgoing)).to.equal("TaskNodeNotAssigned");
      const before = await payoutMoney(beta);
      await settleTask(world, taskId, beta, { change: { assignment: 2 } });
      expect(moved(before, await payoutMoney(beta))).to.deep.equal({ creditUsd6: BILLED });
    });

    it("may be replaced in the very second in which it no longer stands", async () => {
      const { taskId } = await anAssignedTask(world);
      const { assignedAt } = await readTask(world, taskId);
      await assignTask(world, taskId, { at: assignedAt + limits.acceptWindowS });
      expect(await readTask(world, taskId)).to.deep.include({ status: status.assigned, assignment: 2 });
    });

    it("is final once a node accepted", async () => {
      const { taskId, post } = await anAssignedTask(world);
      await acceptTask(world, taskId, beta);
      await world.increase(100);
      expect(await revertOf(assignTask(world, taskId))).to.deep.equal({
        name: "TaskAssignmentStanding",
        args: [taskId, post.deadline + limits.settleGraceS],
      });
    });

    it("happens eight times at most", async () => {
      const { taskId } = await anAssignedTask(world, { deadline: (await world.now()) + 3_600 });
      for (let assignment = 2; assignment <= limits.maxAssignments; assignment++) {
        await world.increase(limits.acceptWindowS);
        await assignTask(world, taskId);
      }
      await world.increase(limits.acceptWindowS);
      expect(await codeOf(assignTask(world, taskId))).to.equal("TaskTooManyAssignments");
      const before = await payerMoney();
      await settleTask(world, taskId, alpha, { change: { assignment: 8 } });
      expect(moved(before, await payerMoney())).to.deep.equal({ availableUsd6: 25n, reservedUsd6: -ESCROWED });
    });

    it("is refused for tasks that do not exist or have ended", async () => {
      expect(await revertOf(assignTask(world, hashOf("no task")))).to.deep.equal({
        name: "TaskWrongStatus",
        args: [hashOf("no task"), status.none],
      });
      const { taskId } = await anAssignedTask(world);
      await settleTask(world, taskId, alpha);
      expect(await codeOf(assignTask(world, taskId))).to.equal("TaskWrongStatus");
    });
  });

  describe("accept", () => {
    it("records each assigned node's accept once, whoever relays it", async () => {
      const { taskId } = await anAssignedTask(world);
      const receipt = await acceptTask(world, taskId, alpha);
      expect(eventsOf(receipt, world.escrow, "TaskAccepted")).to.deep.equal([
        { taskId, nodeId: alpha.nodeId, assignment: 1, timeMs: 1_800_000_000_000n },
      ]);
      expect(await readTask(world, taskId)).to.deep.include({ status: status.accepted, acceptedMask: 1 });
      await acceptTask(world, taskId, beta);
      expect(await readTask(world, taskId)).to.deep.include({ status: status.accepted, acceptedMask: 3 });
      for (const node of [alpha, beta]) {
        expect(await codeOf(acceptTask(world, taskId, node))).to.equal("TaskWrongStatus");
      }
    });

    it("counts from an assigned node's operator alone, and for its own assignment", async () => {
      const { taskId } = await anAssignedTask(world);
      expect(await revertOf(acceptTask(world, taskId, alpha, { signer: beta.operator }))).to.deep.equal({
        name: "TaskSignerInvalid",
        args: [taskId, alpha.nodeId, beta.operator.address],
      });
      expect(await codeOf(acceptTask(world, taskId, gamma))).to.equal("TaskNodeNotAssigned");
      const stale = acceptTask(world, taskId, alpha, { change: { assignment: 2 } });
      expect(await codeOf(stale)).to.equal("TaskAssignmentStale");
      const unassigned = await postTask(world, { change: { clientNonce: hashOf("unassigned") } });
      expect(await codeOf(acceptTask(world, unassigned.taskId, alpha))).to.equal("TaskWrongStatus");
    });

    it("ends with the deadline, and with the node's own failure", async () => {
      const { taskId, post } = await anAssignedTask(world);
      await settleTask(world, taskId, alpha, { change: { status: receiptStatus.inputRefused } });
      expect(await codeOf(acceptTask(world, taskId, alpha))).to.equal("TaskWrongStatus");
      expect(await revertOf(acceptTask(world, taskId, beta, { at: post.deadline }))).to.deep.equal({
        name: "TaskPastDeadline",
        args: [taskId, post.deadline],
      });
    });
  });

  describe("settle", () => {
    it("credits the bill to the node's payout and gives the payer the rest", async () => {
      const { taskId } = await anAssignedTask(world);
      const before = { payer: await payerMoney(), payout: await payoutMoney(alpha) };
      const receipt = await settleTask(world, taskId, alpha, { change: { durationMs: 999 } });
      expect(eventsOf(receipt, world.escrow, "TaskSettled")).to.deep.equal([
        {
          taskId,
          payer: world.actors.payer,
          nodeId: alpha.nodeId,
          payout: alpha.payout,
          assignment: 1,
          attempt: 0,
          powerCu: 1_000,
          durationMs: 999,
          startMs: 1_800_000_000_000n,
          priceUsd6PerGcums: 100_000n,
          amountUsd6: 99n,
          refundUsd6: 26n,
          outputCommitment: hashOf("output commitment"),
          outputCiphertext: hashOf("output ciphertext"),
        },
      ]);
      expect(moved(before.payer, await payerMoney())).to.deep.equal({ reservedUsd6: -ESCROWED, availableUsd6: 26n });
      expect(moved(before.payout, await payoutMoney(alpha))).to.deep.equal({ creditUsd6: 99n });
      expect(await vaultBalance(world)).to.equal(ESCROWED);
      expect(await statusOf(taskId)).to.equal(status.settled);
    });

    it("pays the backup just as well, with or without an accept, and at its own power", async () => {
      const { taskId } = await postTask(world);
      await assignPair(taskId, alpha.nodeId, gamma.nodeId);
      await acceptTask(world, taskId, alpha);
      await settleTask(world, taskId, gamma, { change: { attempt: 1, durationMs: 250 } });
      expect((await payoutMoney(gamma)).creditUsd6).to.equal(BILLED);
      expect((await payoutMoney(alpha)).creditUsd6).to.equal(0n);
    });

    it("pays once, whichever node comes second or replays (INV-13)", async () => {
      const { taskId } = await anAssignedTask(world);
      await settleTask(world, taskId, beta);
      for (const node of [alpha, beta]) {
        const again = settleTask(world, taskId, node);
        expect(await revertOf(again)).to.deep.equal({ name: "TaskWrongStatus", args: [taskId, status.settled] });
      }
      expect((await payoutMoney(beta)).creditUsd6).to.equal(BILLED);
      expect((await payoutMoney(alpha)).creditUsd6).to.equal(0n);
      expect((await payerMoney()).reservedUsd6).to.equal(0n);
    });

    it("takes a duration up to the work cap and not a millisecond more", async () => {
      const { taskId } = await anAssignedTask(world);
      const above = settleTask(world, taskId, alpha, { change: { durationMs: 1_251 } });
      expect(await revertOf(above)).to.deep.equal({ name: "TaskDurationAboveCap", args: [taskId, 1_251, 1_250] });
      await settleTask(world, taskId, alpha, { change: { durationMs: 1_250 } });
      expect((await payoutMoney(alpha)).creditUsd6).to.equal(ESCROWED);
      expect(await payerMoney()).to.deep.include({ reservedUsd6: 0n, availableUsd6: 0n });
    });

    it("bills nothing for a duration that rounds to nothing, and gives everything back", async () => {
      const { taskId } = await anAssignedTask(world);
      await settleTask(world, taskId, alpha, { change: { durationMs: 0 } });
      expect((await payoutMoney(alpha)).creditUsd6).to.equal(0n);
      expect(await payerMoney()).to.deep.include({ reservedUsd6: 0n, availableUsd6: ESCROWED });
    });

    it("pays to the payout address of the moment", async () => {
      const { taskId } = await anAssignedTask(world);
      const payout = keyOf("moved payout").address;
      await world.send(alpha.owner, world.registry, "setPayout", [alpha.nodeId, payout]);
      await settleTask(world, taskId, alpha);
      expect((await moneyOf(world, payout)).creditUsd6).to.equal(BILLED);
      expect((await payoutMoney(alpha)).creditUsd6).to.equal(0n);
    });

    it("takes what a retired operator key signed", async () => {
      const { taskId } = await anAssignedTask(world);
      const operator = keyOf("successor");
      const consent = await world.bind(alpha.owner, operator);
      const rotate = [alpha.nodeId, operator.address, FAR_EXPIRY, consent] as const;
      await world.send(alpha.owner, world.registry, "rotateOperator", rotate);
      await settleTask(world, taskId, alpha, { signer: alpha.operator });
      expect((await payoutMoney(alpha)).creditUsd6).to.equal(BILLED);
    });

    it("pays a node that drains or exits after it was assigned", async () => {
      const { taskId } = await anAssignedTask(world);
      await world.send(alpha.owner, world.registry, "setDraining", [alpha.nodeId, true]);
      await world.send(alpha.owner, world.stakeVault, "beginExit", [alpha.nodeId, 1_000n * 10n ** 18n]);
      await settleTask(world, taskId, alpha);
      expect((await payoutMoney(alpha)).creditUsd6).to.equal(BILLED);
    });

    it("breaks its signature with any flipped field", async () => {
      const { taskId } = await anAssignedTask(world);
      const { message, signature } = await signReceipt(world, aReceipt(taskId, alpha), alpha.operator);
      const flips: [Partial<Receipt>, string][] = [
        [{ taskId: hashOf("other task") }, "TaskWrongStatus"],
        [{ assignment: 2 }, "TaskAssignmentStale"],
        [{ attempt: 1 }, "TaskSignerInvalid"],
        [{ nodeId: beta.nodeId }, "TaskSignerInvalid"],
        [{ modelId: hashOf("other model") }, "TaskContentMismatch"],
        [{ inputCommitment: hashOf("other input") }, "TaskContentMismatch"],
        [{ outputCommitment: hashOf("other output") }, "TaskSignerInvalid"],
        [{ outputCiphertext: hashOf("other output") }, "TaskSignerInvalid"],
        [{ slot: 1 }, "TaskSignerInvalid"],
        [{ powerCu: 1_001 }, "TaskPowerMismatch"],
        [{ startMs: 1n }, "TaskSignerInvalid"],
        [{ durationMs: 1_001 }, "TaskSignerInvalid"],
        [{ status: receiptStatus.timedOut }, "TaskSignerInvalid"],
      ];
      expect(flips.length).to.equal(Object.keys(message).length);
      for (const [flip, code] of flips) {
        const act = world.send(world.actors.stranger, world.escrow, "settle", [{ ...message, ...flip }, signature]);
        expect(await codeOf(act), Object.keys(flip).join()).to.equal(code);
      }
      await world.send(world.actors.stranger, world.escrow, "settle", [message, signature]);
      expect((await payoutMoney(alpha)).creditUsd6).to.equal(BILLED);
    });

    it("refuses content and power that differ from what was posted and frozen, even signed", async () => {
      const { taskId } = await anAssignedTask(world);
      const signed: [Partial<Receipt>, string][] = [
        [{ modelId: hashOf("other model") }, "TaskContentMismatch"],
        [{ inputCommitment: hashOf("other input") }, "TaskContentMismatch"],
        [{ powerCu: 1_001 }, "TaskPowerMismatch"],
        [{ status: 5 }, "TaskReceiptStatusInvalid"],
      ];
      for (const [change, code] of signed) {
        expect(await codeOf(settleTask(world, taskId, alpha, { change }))).to.equal(code);
      }
    });

    it("refuses strangers' signatures, other domains, cut ones, and the high-s twin of a good one", async () => {
      const { taskId } = await anAssignedTask(world);
      const receipt = aReceipt(taskId, alpha);
      const good = await signReceipt(world, receipt, alpha.operator);
      const elsewhere = { ...world, escrow: { ...world.escrow, address: world.registry.address } };
      const bad = [
        (await signReceipt(world, receipt, keyOf("stranger"))).signature,
        (await signReceipt(world, receipt, beta.operator)).signature,
        (await signReceipt(elsewhere, receipt, alpha.operator)).signature,
        slice(good.signature, 0, size(good.signature) - 1),
        highS(good.signature),
        "0x" as const,
      ];
      for (const signature of bad) {
        const act = world.send(world.actors.stranger, world.escrow, "settle", [receipt, signature]);
        expect(await codeOf(act), signature).to.equal("TaskSignerInvalid");
      }
      expect((await payerMoney()).reservedUsd6).to.equal(ESCROWED);
    });

    it("knows no node 0, though a task without a backup has one in its seat", async () => {
      const { taskId } = await postTask(world, { change: { backups: 0 } });
      await assignPair(taskId, alpha.nodeId, 0);
      const nobody = { ...alpha, nodeId: 0, powerCu: 0 };
      const act = settleTask(world, taskId, nobody, { signer: keyOf("nobody"), change: { durationMs: 0 } });
      expect(await codeOf(act)).to.equal("TaskNodeNotAssigned");
    });
  });

  describe("failure", () => {
    it("is recorded for one node and leaves the task to the other", async () => {
      const { taskId } = await anAssignedTask(world);
      const failed = { status: receiptStatus.modelFailed, durationMs: 4_000_000 };
      const receipt = await settleTask(world, taskId, alpha, { change: failed });
      expect(eventsOf(receipt, world.escrow, "TaskAttemptFailed")).to.deep.equal([
        { taskId, nodeId: alpha.nodeId, assignment: 1, attempt: 0, status: 2 },
      ]);
      expect(await readTask(world, taskId)).to.deep.include({ status: status.assigned, failedMask: 1 });
      expect((await payerMoney()).reservedUsd6).to.equal(ESCROWED);
      await settleTask(world, taskId, beta, { change: { attempt: 1 } });
      expect((await payoutMoney(beta)).creditUsd6).to.equal(BILLED);
    });

    it("is a node's last word under an assignment", async () => {
      const { taskId } = await anAssignedTask(world);
      await settleTask(world, taskId, alpha, { change: { status: receiptStatus.timedOut } });
      for (const said of [receiptStatus.timedOut, receiptStatus.succeeded]) {
        const act = settleTask(world, taskId, alpha, { change: { status: said, attempt: 1 } });
        expect(await revertOf(act)).to.deep.equal({ name: "TaskReceiptStatusInvalid", args: [taskId, said] });
      }
      expect((await payoutMoney(alpha)).creditUsd6).to.equal(0n);
    });

    it("of every assigned node gives the payer everything back at once", async () => {
      for (const backups of [0, 1]) {
        const before = await payerMoney();
        const { taskId } = await postTask(world, { change: { backups, clientNonce: hashOf(`failed ${backups}`) } });
        await assignPair(taskId, alpha.nodeId, backups === 0 ? 0 : beta.nodeId);
        const change = { status: receiptStatus.inputRefused };
        if (backups === 1) await settleTask(world, taskId, beta, { change });
        const receipt = await settleTask(world, taskId, alpha, { change });
        expect(eventsOf(receipt, world.escrow, "TaskRefunded")).to.deep.equal([
          { taskId, payer: world.actors.payer, refundUsd6: ESCROWED, reason: reason.failed },
        ]);
        expect(await statusOf(taskId)).to.equal(status.refunded);
        const sum = (money: typeof before) => money.walletUsd6 + money.availableUsd6;
        expect(sum(await payerMoney())).to.equal(sum(before));
        expect((await payerMoney()).reservedUsd6).to.equal(0n);
        expect(await codeOf(settleTask(world, taskId, alpha))).to.equal("TaskWrongStatus");
      }
    });
  });

  describe("cancel", () => {
    it("gives the payer of an unassigned task everything back", async () => {
      const { taskId } = await postTask(world);
      const before = await payerMoney();
      const receipt = await cancel(taskId);
      expect(eventsOf(receipt, world.escrow, "TaskCancelled")).to.deep.equal([
        { taskId, payer: world.actors.payer, refundUsd6: ESCROWED },
      ]);
      expect(moved(before, await payerMoney())).to.deep.equal({ availableUsd6: ESCROWED, reservedUsd6: -ESCROWED });
      expect(await statusOf(taskId)).to.equal(status.cancelled);
    });

    it("is the payer's alone, once, and only before the assignment", async () => {
      const { taskId } = await postTask(world);
      const { stranger } = world.actors;
      const byStranger = cancel(taskId, stranger);
      expect(await revertOf(byStranger)).to.deep.equal({ name: "TaskNotPayer", args: [taskId, stranger] });
      await cancel(taskId);
      expect(await codeOf(cancel(taskId))).to.equal("TaskWrongStatus");
      const assigned = await anAssignedTask(world, { clientNonce: hashOf("assigned") });
      expect(await codeOf(cancel(assigned.taskId))).to.equal("TaskWrongStatus");
      expect(await codeOf(cancel(hashOf("no task")))).to.equal("TaskWrongStatus");
    });
  });

  describe("expire", () => {
    const stages = [
      { stage: "posted", grace: 0, reach: () => postTask(world) },
      { stage: "assigned", grace: 0, reach: () => anAssignedTask(world) },
      {
        stage: "accepted",
        grace: limits.settleGraceS,
        reach: async () => {
          const posted = await anAssignedTask(world);
          await acceptTask(world, posted.taskId, alpha);
          return posted;
        },
      },
    ];
    for (const { stage, grace, reach } of stages) {
      it(`refunds a task that is only ${stage} from ${grace} seconds after its deadline, whoever asks`, async () => {
        const { taskId, post } = await reach();
        const before = await payerMoney();
        const from = post.deadline + grace;
        expect(await expirableAt(taskId)).to.equal(from);
        const early = expire(taskId, from - 1);
        expect(await revertOf(early)).to.deep.equal({ name: "TaskNotExpired", args: [taskId, from] });
        const receipt = await expire(taskId, from);
        expect(eventsOf(receipt, world.escrow, "TaskRefunded")).to.deep.equal([
          { taskId, payer: world.actors.payer, refundUsd6: ESCROWED, reason: reason.expired },
        ]);
        expect(moved(before, await payerMoney())).to.deep.equal({ availableUsd6: ESCROWED, reservedUsd6: -ESCROWED });
        expect(await expirableAt(taskId)).to.equal(0);
        expect(await codeOf(expire(taskId, from + 10))).to.equal("TaskWrongStatus");
      });
    }

    it("comes too late once the receipt is in, and the receipt too late once it has expired", async () => {
      const first = await anAssignedTask(world);
      const { deadline } = first.post;
      const second = await anAssignedTask(world, { clientNonce: hashOf("second"), deadline });
      await settleTask(world, first.taskId, alpha, { at: deadline + 1_000 });
      expect(await codeOf(expire(first.taskId, deadline + 1_001))).to.equal("TaskWrongStatus");
      await expire(second.taskId, deadline + 1_002);
      expect(await codeOf(settleTask(world, second.taskId, alpha))).to.equal("TaskWrongStatus");
      expect((await payoutMoney(alpha)).creditUsd6).to.equal(BILLED);
      expect(await payerMoney()).to.deep.include({ reservedUsd6: 0n, availableUsd6: 25n + ESCROWED });
    });

    it("is refused for tasks that do not exist", async () => {
      expect(await codeOf(expire(hashOf("no task"), (await world.now()) + 10))).to.equal("TaskWrongStatus");
      expect(await expirableAt(hashOf("no task"))).to.equal(0);
    });
  });

  it("cannot be deployed without its parts", async () => {
    const parts = [world.accessManager, world.registry, world.paymentVault, world.oracle].map(({ address }) => address);
    for (const [missing] of parts.entries()) {
      const args = parts.map((address, index) => (index === missing ? zeroAddress : address));
      expect(await codeOf(world.deploy("TaskEscrow", world.escrow.abi, args))).to.equal("TaskZeroAddress");
    }
  });
});
