/**
 * The line is given what it cannot or must not take: wrong chains, empty wallets, files that are none, models that
 * kill, receipts that lie, prices and clocks that stand still. Each is answered with its code, and every test ends in
 * where the money is, in base units.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { after, before, beforeEach, describe, it, type TestContext } from "node:test";
import { permitParams, permitTypedData } from "@ngpu/client/permit";
import { localUsdAbi } from "@ngpu/protocol/generated/abi/localUsd";
import { paymentVaultAbi } from "@ngpu/protocol/generated/abi/paymentVault";
import { taskEscrowAbi } from "@ngpu/protocol/generated/abi/taskEscrow";
import { signMessage } from "@ngpu/protocol/signed";
import { taskStatus } from "@ngpu/protocol/taskStatus";
import { receiptStatus, type Receipt } from "@ngpu/protocol/typedData";
import { capMs } from "@ngpu/protocol/units";
import { expect } from "chai";
import {
  createTestClient,
  decodeFunctionData,
  http,
  isAddressEqual,
  keccak256,
  parseEther,
  toHex,
  zeroHash,
  type Address,
  type Hex,
  type PublicClient,
  type Transaction,
} from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { hardhat } from "viem/chains";
import { localAccounts } from "../../scripts/stack/accounts.ts";
import { registerNode } from "../../scripts/stack/nodes.ts";
import { paths } from "../../scripts/stack/paths.ts";
import { localDeployment } from "../../scripts/stack/sampleTask.ts";
import { untilOnline } from "../../scripts/stack/untilOnline.ts";
import { getBlob, putBlob } from "../harness/blobs.ts";
import { codeRejectedBy } from "../harness/codeRejectedBy.ts";
import { startBadInputsLine, type BadInputsLine, type Purse } from "./support/badInputsLine.ts";
import { createParties, darkPages, whitePages, type Parties } from "./support/badInputsParties.ts";
import { partOf, pictureOf } from "./support/badInputsPictures.ts";
import { codeOfRefusal } from "./support/badInputsRefusal.ts";
import { faceModel, prepareRaw, type RawTask } from "./support/badInputsTask.ts";
import { offerUpload } from "./support/badInputsUpload.ts";
import { passTime } from "./support/chainHistory.ts";
import { settlementOf, wealthOf } from "./support/ledger.ts";
import { until } from "./support/until.ts";

const deployment = localDeployment();
const escrow = { address: deployment.taskEscrow, abi: taskEscrowAbi } as const;
const vault = { address: deployment.paymentVault, abi: paymentVaultAbi } as const;
const token = { address: deployment.localUsd, abi: localUsdAbi } as const;
const context = { chainId: hardhat.id, verifyingContract: deployment.taskEscrow };
const payer = localAccounts.payer.account;
const stranger = localAccounts.newcomer.account;
const withinMs = 45_000;
const hourS = 3_600;

describe("the line that is given bad things", () => {
  let line: BadInputsLine;
  let they: Parties;
  let money: Purse;
  before(async () => {
    // A rate that the keeper notes would stand in for a feed that has gone stale.
    process.env.NGPU_KEEP_RATE = "0";
    line = await startBadInputsLine();
    they = createParties(line);
  });
  after(() => line?.stop());
  beforeEach(async () => {
    money = await line.purse();
  });

  describe("before anything is posted", () => {
    for (const [part, file, settings] of [
      ["gateway", "keeper/bin/gateway.ts", { NGPU_GATEWAY_PORT: "0" }],
      ["keeper", "keeper/bin/keeper.ts", { NGPU_KEEPER_KEY: generatePrivateKey() }],
      ["agent", "node-agent/bin/agent.ts", { NGPU_OPERATOR_KEY: generatePrivateKey(), NGPU_OWNER: payer.address }],
    ] as const) {
      it(`starts no ${part} for another chain than the one that answers`, async (test) => {
        const child = spawn(process.execPath, [join(paths.root, file)], {
          env: {
            ...process.env,
            NGPU_CHAIN_ID: "1",
            NGPU_RPC_URL: line.stack.urls.rpc,
            NGPU_GATEWAY_URL: line.stack.urls.gateway,
            NGPU_DATA_DIR: join(line.folder, `wrong-${part}`),
            ...settings,
          },
          stdio: ["ignore", "pipe", "pipe"],
        });
        let said = "";
        for (const output of [child.stdout, child.stderr])
          output.on("data", (chunk: Buffer) => (said += chunk.toString()));
        const [exitCode] = (await once(child, "close")) as [number | null];
        expect(exitCode).to.be.above(0);
        expect(said).to.contain("CHAIN_WRONG").and.to.not.contain("READY");
        await line.expectMoney(test, money, {});
      });
    }

    it("takes nothing from a payer who declines the permit", async (test) => {
      const account = await they.somebody({ usd6: 5_000_000n, wei: parseEther("1") });
      const declines = (): never => {
        throw Object.assign(new Error("declined"), { code: 4001 });
      };
      expect(await codeOfRefusal(they.run({ ...account, signTypedData: declines }))).to.equal("4001");
      expect(await wealthOf(line.chain, account.address)).to.equal(5_000_000n);
      await line.expectMoney(test, money, { wallet: -5_000_000n });
    });

    for (const [what, change] of [
      ["has expired", { deadline: 1n }],
      ["was signed for another chain", { chainId: 1 }],
    ] as const) {
      it(`takes nothing with a permit that ${what}`, async (test) => {
        const account = await they.somebody({ usd6: 5_000_000n, wei: parseEther("1") });
        const { urls } = line.stack;
        const raw = { chain: line.chain, urls, payer: account, model: faceModel(), parts: whitePages, withinS: 120 };
        const { params, maxAmountUsd6 } = await prepareRaw(raw);
        const permit = {
          token: token.address,
          tokenName: await line.chain.readContract({ ...token, functionName: "name" }),
          tokenVersion: "1",
          chainId: hardhat.id,
          owner: account.address,
          spender: vault.address,
          value: maxAmountUsd6,
          nonce: 0n,
          deadline: BigInt(params.deadline),
          ...change,
        };
        const signature = await account.signTypedData(permitTypedData(permit));
        const signed = permitParams({ value: permit.value, deadline: permit.deadline, signature });
        const call = { abi: taskEscrowAbi, functionName: "post", args: [params, signed] } as const;
        expect(await they.refusalOf(account, call)).to.equal("ERC20InsufficientAllowance");
        expect(await wealthOf(line.chain, account.address)).to.equal(5_000_000n);
        await line.expectMoney(test, money, { wallet: -5_000_000n });
      });
    }

    it("takes nothing from a payer with too little money", async (test) => {
      const account = await they.somebody({ usd6: 1n, wei: parseEther("1") });
      expect(await codeOfRefusal(they.run(account))).to.equal("ERC20InsufficientBalance");
      expect(await wealthOf(line.chain, account.address)).to.equal(1n);
      await line.expectMoney(test, money, { wallet: -1n });
    });

    it("takes nothing from a payer with too little gas money", async (test) => {
      const account = await they.somebody({ usd6: 5_000_000n, wei: 1_000n });
      expect(await codeOfRefusal(they.run(account))).to.equal("GAS_SHORT");
      expect(await line.chain.getTransactionCount({ address: account.address })).to.equal(0);
      expect(await wealthOf(line.chain, account.address)).to.equal(5_000_000n);
      await line.expectMoney(test, money, { wallet: -5_000_000n });
    });

    for (const [what, bytes, code] of [
      ["no image", new TextEncoder().encode("%PDF-1.7 not an image"), "INPUT_NOT_IMAGE"],
      ["of 100 MB", new Uint8Array(100_000_000), "INPUT_TOO_LARGE"],
    ] as const) {
      it(`lets the client post no file that is ${what}`, async (test) => {
        expect(await codeRejectedBy(they.run(payer, faceModel(), [partOf(bytes)]))).to.equal(code);
        await line.expectMoney(test, money, {});
      });
    }
  });

  describe("posted by a client that checks nothing", () => {
    it("refunds at once a file that is no image, which the node refuses", async (test) => {
      const page = new TextEncoder().encode("<html>not an image</html>");
      const { taskId, follow } = await they.post({ parts: [partOf(page)] });
      const following = new AbortController();
      const failures: string[] = [];
      const followed = follow({
        signal: following.signal,
        onEvent: (event) => {
          if (event.kind === "receipt") failures.push(`${event.receipt.message.status} ${event.detail}`);
        },
      });
      expect(await they.ended(taskId)).to.equal(taskStatus.refunded);
      await until("the node's reason", withinMs, () => failures.length > 0 || undefined);
      following.abort();
      await followed;
      expect(failures[0]).to.match(new RegExp(`^${receiptStatus.inputRefused} INPUT_NOT_IMAGE`));
      await line.expectMoney(test, money, {});
    });

    it("stores no input of 100 MB, and gives everything back at the deadline", async (test) => {
      const { taskId, prepared, maxAmountUsd6 } = await they.post({ withinS: 60 });
      const { secrets, params } = prepared;
      const answer = await offerUpload({
        gatewayUrl: line.stack.urls.gateway,
        context,
        signer: privateKeyToAccount(secrets.clientPrivateKey),
        taskId,
        hash: params.inputCiphertext,
        bytes: 100_000_000,
      });
      expect(answer).to.deep.equal({ status: 413, code: "BLOB_TOO_LARGE" });
      await line.expectMoney(test, money, { available: -maxAmountUsd6, reserved: maxAmountUsd6 });
      await passTime({ rpcUrl: line.stack.urls.rpc, untilS: params.deadline });
      expect(await they.ended(taskId)).to.equal(taskStatus.refunded);
      await line.expectMoney(test, money, {});
    });

    it("assigns nobody to a model that nobody serves, and lets the payer take everything back", async (test) => {
      const modelId = keccak256(toHex("a model of another network"));
      expect(await they.modelsServed()).to.not.include(modelId);
      const { taskId, maxAmountUsd6 } = await they.post({ model: { ...faceModel(), modelId } });
      await they.untilBlocksPass(3n);
      expect((await they.stateOf(taskId)).status).to.equal(taskStatus.posted);
      await line.expectMoney(test, money, { available: -maxAmountUsd6, reserved: maxAmountUsd6 });
      const { terms } = await they.taskOf(taskId);
      await line.write({ account: payer, ...escrow, functionName: "cancel", args: [taskId, terms] });
      await line.expectMoney(test, money, {});
    });

    it("serves no model whose bytes are not those of its manifest, and gives everything back", async (test) => {
      const { forged, sleeper } = line.models;
      expect(await they.modelsServed()).to.include(sleeper.modelId).and.to.not.include(forged.modelId);
      const refusals = line.logOf("careless").split("\n").filter((entry) => entry.includes(forged.modelId));
      expect(refusals.join("\n")).to.contain("MODEL_MISMATCH");
      const { taskId, prepared } = await they.post({ model: forged, withinS: 60 });
      await passTime({ rpcUrl: line.stack.urls.rpc, untilS: prepared.params.deadline });
      expect(await they.ended(taskId)).to.equal(taskStatus.refunded);
      expect((await they.stateOf(taskId)).assignment).to.equal(0);
      await line.expectMoney(test, money, {});
    });

    it("refunds what a hostile model kills its runner with, and the agent executes the next tasks", async (test) => {
      const { careless, models, plain } = line;
      await line.drain(plain, true);
      try {
        const executed = await they.post({ model: models.sleeper, parts: darkPages });
        const paid = await they.paidFor(executed);
        await they.expectPaid(test, money, paid);
        const between = await line.purse();
        expect(await codeRejectedBy(they.run(payer, models.sleeper, whitePages))).to.equal("TASK_REFUNDED");
        await line.expectMoney(test, between, {});
        expect(line.logOf("careless")).to.match(/SIGFPE|RUNNER_CRASHED/);
        const { bill } = await they.run(payer);
        expect(bill.nodeId).to.equal(careless.nodeId);
        await they.expectPaid(test, between, bill.amountUsd6);
        expect(line.lost).to.deep.equal([]);
      } finally {
        await line.drain(plain, false);
      }
    });
  });

  describe("while a task stands", () => {
    let task: RawTask;
    let posted: Purse;
    let receipt: Receipt;
    before(async () => {
      posted = await line.purse();
      task = await they.post({ withinS: 600 });
      const { state, standing } = await they.assigned(task.taskId);
      const { nodeId, powerCu } = standing.seats[0] ?? { nodeId: 0, powerCu: 0 };
      const { modelId, inputCommitment } = task.prepared.params;
      receipt = {
        taskId: task.taskId,
        assignment: state.assignment,
        attempt: 0,
        nodeId,
        modelId,
        inputCommitment,
        outputCommitment: keccak256("0x01"),
        outputCiphertext: keccak256("0x02"),
        slot: 0,
        powerCu,
        startMs: 1n,
        durationMs: 1,
        status: receiptStatus.succeeded,
      };
    });
    const settle = async (message: Receipt, key: Hex): Promise<string> => {
      const signer = privateKeyToAccount(key);
      const { signature } = await signMessage({ kind: "receipt", message, context, signer });
      const { terms, standing } = await they.taskOf(message.taskId);
      const args = [terms, standing, message, signature] as const;
      return they.refusalOf(stranger, { abi: taskEscrowAbi, functionName: "settle", args });
    };
    const expectLocked = (test: TestContext) =>
      line.expectMoney(test, posted, { available: -task.maxAmountUsd6, reserved: task.maxAmountUsd6 });

    it("gives a stranger none of its data and takes none from him", async (test) => {
      const { secrets, sealedInput } = task.prepared;
      const blob = { gatewayUrl: line.stack.urls.gateway, context, taskId: task.taskId, hash: secrets.inputCiphertext };
      const client = privateKeyToAccount(secrets.clientPrivateKey);
      const refused = await putBlob({ ...blob, signer: stranger, body: sealedInput });
      expect([refused.status, refused.code]).to.deep.equal([403, "AUTH_FORBIDDEN"]);
      expect((await putBlob({ ...blob, signer: client, body: sealedInput })).code).to.equal(undefined);
      const answer = await getBlob({ ...blob, signer: stranger });
      expect([answer.status, answer.code]).to.deep.equal([403, "AUTH_FORBIDDEN"]);
      expect(keccak256((await getBlob({ ...blob, signer: client })).bytes)).to.equal(secrets.inputCiphertext);
      await expectLocked(test);
    });

    it("pays nothing for a receipt that another key signed", async (test) => {
      expect(await settle(receipt, generatePrivateKey())).to.equal("TaskSignerInvalid");
      await expectLocked(test);
    });

    it("pays nothing for a duration above the work cap", async (test) => {
      const { powerCu, nodeId } = receipt;
      const { operatorKey } = they.nodeOf(nodeId);
      const durationMs = capMs({ workCums: task.prepared.params.workCums, powerCu }) + 1;
      expect(await settle({ ...receipt, durationMs }, operatorKey)).to.equal("TaskDurationAboveCap");
      await expectLocked(test);
    });

    it("pays nothing for a receipt of an assignment that has been replaced", async (test) => {
      const acceptWindowS = 30;
      const untilS = (await they.nowS()) + acceptWindowS + 1;
      await passTime({ rpcUrl: line.stack.urls.rpc, untilS });
      await they.assigned(task.taskId, 2);
      expect(await settle(receipt, they.nodeOf(receipt.nodeId).operatorKey)).to.equal("TaskAssignmentStale");
      await expectLocked(test);
    });

    it("pays once, and nothing for the same receipt a second time", async (test) => {
      const paid = await they.paidFor(task);
      await they.expectPaid(test, posted, paid);
      const settled = await settlementOf(line.chain, task.taskId);
      const { input } = await line.chain.getTransaction({ hash: settled?.transactionHash ?? zeroHash });
      const call = decodeFunctionData({ abi: taskEscrowAbi, data: input });
      expect(await they.refusalOf(stranger, { abi: taskEscrowAbi, ...call })).to.equal("TaskWrongStatus");
      await they.expectPaid(test, posted, paid);
    });
  });

  describe("when time passes and nothing else does", () => {
    before(async () => {
      // Nobody keeps the price fresh from here on.
      await line.killForGood("feed");
    });

    it("settles the task that runs while the price goes stale, and takes no new post", async (test) => {
      const { urls } = line.stack;
      await line.refreshPrice();
      await passTime({ rpcUrl: urls.rpc, untilS: (await they.nowS()) + hourS / 2 });
      const pages = Array.from({ length: 24 }, () => pictureOf({ sidePx: 1_200, grey: 90 }));
      const task = await they.post({ parts: pages, withinS: hourS });
      const following = new AbortController();
      let stale: Promise<void> | undefined;
      const followed = task.follow({
        signal: following.signal,
        onEvent: ({ kind }) => {
          if (kind === "progress")
            stale ??= line.chain
              .getBlock()
              .then(({ timestamp }) => passTime({ rpcUrl: urls.rpc, untilS: Number(timestamp) + hourS / 2 + 60 }));
        },
      });
      const { args } = await until("the bill", withinMs, () => settlementOf(line.chain, task.taskId));
      await followed;
      following.abort();
      if (stale === undefined) throw new Error("the task ended before any progress was seen");
      await stale;
      expect(await codeOfRefusal(they.post({}))).to.equal("FeedStale");
      expect(await codeOfRefusal(they.run(payer))).to.equal("FeedStale");
      await they.expectPaid(test, money, args.amountUsd6);
    });

    it("refunds the task that was open through an idle hour, stays healthy, and is paid for the next", async (test) => {
      const { urls } = line.stack;
      await line.refreshPrice();
      const { taskId } = await they.post({ withinS: 60 });
      const time = createTestClient({ mode: "hardhat", chain: hardhat, transport: http(urls.rpc) });
      await time.increaseTime({ seconds: hourS });
      await time.mine({ blocks: 1 });
      expect(await they.ended(taskId)).to.equal(taskStatus.refunded);
      await line.expectMoney(test, money, {});

      const health = (await (await fetch(`${urls.gateway}/v1/health`)).json()) as { ok: boolean; nodes: number };
      expect([health.ok, health.nodes]).to.deep.equal([true, 2]);
      await untilOnline({ gatewayUrl: urls.gateway, nodeIds: [line.plain.nodeId, line.careless.nodeId] });
      expect(line.lost).to.deep.equal(["feed"]);
      await line.refreshPrice();
      const { bill } = await they.run(payer);
      await they.expectPaid(test, money, bill.amountUsd6);
    });
  });

  describe("when the local chain begins anew under running services", () => {
    it("acts on nothing of the old chain, and on the new one assigns only who has registered there", async (test) => {
      const { careless, plain, stack } = line;
      const ghost = await they.post({ withinS: 600 });
      await they.assigned(ghost.taskId);
      await line.beginAnew();
      const fresh = await line.purse();
      expect((await they.stateOf(ghost.taskId)).status).to.equal(taskStatus.none);
      const services = ["gateway", "keeper", ...stack.nodes.map(({ name }) => name), "careless"];
      await until("everybody says so", withinMs, () =>
        services.every((service) => line.logOf(service).includes("CHAIN_RESET")) ? true : undefined,
      );
      expect(await they.operatorsListed()).to.deep.equal({});
      const ready = await fetch(`${line.carelessOpsUrl}/ready`);
      const { reasons, notices } = (await ready.json()) as { reasons: string[]; notices: string[] };
      expect([ready.status, reasons]).to.deep.equal([503, ["the node is not registered yet"]]);
      expect(notices.filter((notice) => notice.startsWith("CHAIN_RESET"))).to.have.length(1);

      const task = await they.post({ withinS: 600 });
      await they.untilBlocksPass(3n);
      expect((await they.stateOf(task.taskId)).status).to.equal(taskStatus.posted);
      // What the new chain is due, as a turn of its epoch, the keeper may have sent; to a task nothing.
      const sent = await transactionsFrom(line.chain, localAccounts.keeper.account.address);
      expect(sent.filter(({ to }) => to !== null && isAddressEqual(to, localDeployment().taskEscrow))).to.deep.equal([]);
      await line.expectMoney(test, fresh, { available: -task.maxAmountUsd6, reserved: task.maxAmountUsd6 });

      // In the other order: each gets the number that the other one had.
      for (const [{ owner, registration }, { nodeId }] of [
        [careless, plain],
        [plain, careless],
      ] as const)
        expect(await registerNode({ rpcUrl: stack.urls.rpc, owner: owner.account, registration })).to.equal(nodeId);
      await untilOnline({ gatewayUrl: stack.urls.gateway, nodeIds: [plain.nodeId, careless.nodeId] });
      expect(await they.operatorsListed()).to.deep.equal({
        [plain.nodeId]: privateKeyToAccount(careless.operatorKey).address,
        [careless.nodeId]: privateKeyToAccount(plain.operatorKey).address,
      });
      await they.expectPaid(test, fresh, await they.paidFor(task));
      expect(line.lost.filter((part) => part !== "feed")).to.deep.equal(["chain"]);
    });
  });
});

/** All that an account has sent since the chain began. */
async function transactionsFrom(chain: PublicClient, from: Address): Promise<Transaction[]> {
  const newest = Number(await chain.getBlockNumber());
  const numbers = Array.from({ length: newest + 1 }, (_, number) => BigInt(number));
  const blocks = await Promise.all(
    numbers.map((blockNumber) => chain.getBlock({ blockNumber, includeTransactions: true })),
  );
  return blocks.flatMap(({ transactions }) => transactions.filter((sent) => isAddressEqual(sent.from, from)));
}
