/** The direct rail, post, and what it refuses: contracts/TaskEscrow.sol. Every test on money says where the money ended. */
import { after, beforeEach, describe, it } from "node:test";
import { limits } from "@ngpu/protocol/limits";
import { taskIdOf } from "@ngpu/protocol/ids";
import { termsDigest, type TaskTerms } from "@ngpu/protocol/taskDigest";
import { taskStatus as status } from "@ngpu/protocol/taskStatus";
import { expect } from "chai";
import { encodeAbiParameters, keccak256, zeroAddress, zeroHash } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { eventsOf } from "./support/chain.ts";
import { devKey } from "./support/devKey.ts";
import { moved, vaultBalance } from "./support/money.ts";
import { noPermit, signPermit } from "./support/permit.ts";
import { BILLED, createRail, ESCROWED, escrowParts } from "./support/rail.ts";
import { codeOf, revertOf } from "./support/revert.ts";
import {
  aPost,
  anAssignedTask,
  hashOf,
  postTask,
  readTask,
  settleTask,
  type Post,
} from "./support/tasks.ts";
import { wordsOf } from "./support/taskWords.ts";
import { CHAIN_ID } from "./support/world.ts";

const { world, alpha, payerMoney, payoutMoney, cancel, tryPost } = await createRail();

describe("TaskEscrow", () => {
  beforeEach(() => world.restore());
  after(() => world.close());

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
          postedAt: await world.now(),
          deadline: post.deadline,
          backups: 1,
        },
      ]);
      expect(moved(before, await payerMoney())).to.deep.equal({ walletUsd6: -ESCROWED, reservedUsd6: ESCROWED });
      expect(await vaultBalance(world)).to.equal(ESCROWED);
      const terms: TaskTerms = {
        payer: world.actors.payer,
        postedAt: await world.now(),
        deadline: post.deadline,
        backups: 1,
        workCums: 1_000_000n,
        priceUsd6PerGcums: 100_000n,
        stakeWeiPerUsd6: 2_000_000_000_000n,
        contentHash: keccak256(
          encodeAbiParameters([{ type: "bytes32" }, { type: "bytes32" }], [post.modelId, post.inputCommitment]),
        ),
      };
      expect(await readTask(world, taskId)).to.deep.equal({
        status: status.posted,
        assignment: 0,
        acceptedMask: 0,
        failedMask: 0,
        changedAt: await world.now(),
        digest: termsDigest(terms),
      });
    });

    it("escrows the standby of every backup that was asked for, so no settlement can be short of it", async () => {
      for (const [backups, standby] of [[0, 0n], [1, 12n], [2, 24n], [3, 36n]] as const) {
        const { taskId } = await postTask(world, { change: { backups, clientNonce: hashOf(`backups ${backups}`) } });
        const { terms } = await wordsOf(world, taskId);
        const most = { ...world.escrow, functionName: "maxAmountOf", args: [terms] } as const;
        expect(await world.publicClient.readContract(most)).to.equal(125n + standby);
      }
      expect((await payerMoney()).reservedUsd6).to.equal(4n * 125n + 12n + 24n + 36n);
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
      expect(moved(before, await payerMoney())).to.deep.equal({
        walletUsd6: -2n * ESCROWED,
        reservedUsd6: 2n * ESCROWED,
      });
    });

    it("spends money that is already available before it touches the wallet", async () => {
      const { payer } = world.actors;
      await world.send(payer, world.usd, "approve", [world.paymentVault.address, 10_000n]);
      await world.send(payer, world.paymentVault, "deposit", [payer, 100n]);
      const before = await payerMoney();
      await postTask(world, { approve: false });
      expect(moved(before, await payerMoney())).to.deep.equal({
        walletUsd6: 100n - ESCROWED,
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
        { backups: 4 },
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
      const { accessManager, feed } = world;
      const bounds = [3_600n, 10_000n, 10n ** 12n, 1n, largest, largest, zeroAddress, 0n, 0n];
      const args = [accessManager.address, feed.address, ...bounds];
      const oracle = await world.deploy("PriceOracle", world.oracle.abi, args);
      const parts = { ...escrowParts(world), priceOracle: oracle.address };
      const escrow = await world.deploy("TaskEscrow", world.escrow.abi, [parts]);
      const post = await aPost(world, { workCums: largest, maxPriceUsd6PerGcums: largest });
      const act = world.send(world.actors.payer, escrow, "post", [post, noPermit]);
      expect(await codeOf(act)).to.equal("SafeCastOverflowedUintDowncast");
    });
  });
});
