/** Tasks that a node accepted and let expire: what a keeper reports, by table, and what comes of it on a real chain. */
import { createTaskFollower, type TaskFollower } from "@ngpu/keeper/chain/taskFollower";
import { createMissReader } from "@ngpu/keeper/faults/missReader";
import { finishGas } from "@ngpu/keeper/faults/planFaults";
import { missesOf, planMissed, reportGas, type EndedTask } from "@ngpu/keeper/faults/planMissed";
import { classifyRevert } from "@ngpu/keeper/keeper/classifyRevert";
import type { Keeper } from "@ngpu/keeper/keeper/keeper";
import { readUpkeepSettings } from "@ngpu/keeper/upkeep/upkeepSettings";
import { availabilityAbi } from "@ngpu/protocol/generated/abi/availability";
import { ngpuTokenAbi } from "@ngpu/protocol/generated/abi/ngpuToken";
import { paymentVaultAbi } from "@ngpu/protocol/generated/abi/paymentVault";
import { stakeVaultAbi } from "@ngpu/protocol/generated/abi/stakeVault";
import { taskEscrowAbi } from "@ngpu/protocol/generated/abi/taskEscrow";
import { limits } from "@ngpu/protocol/limits";
import { createTelemetry } from "@ngpu/protocol/service/telemetry";
import { signMessage } from "@ngpu/protocol/signed";
import { taskStatus } from "@ngpu/protocol/taskStatus";
import { assignedOf } from "@ngpu/protocol/taskWords";
import { maxAmountUsd6 } from "@ngpu/protocol/units";
import { expect } from "chai";
import { after, before, describe, it } from "node:test";
import { keccak256, zeroAddress, type Address } from "viem";
import { startTestChain, type TestChain } from "../harness/chain.ts";
import { registerNode, type TestNode } from "../harness/nodes.ts";
import { startTestKeeper } from "../harness/services.ts";
import { stateOf, taskOf } from "../harness/taskOf.ts";
import { assignTask, postTask, type TestTask } from "../harness/tasks.ts";
import { until } from "../harness/until.ts";
import { aTask, chainTimeS } from "./world.ts";

const reportWindowS = 120;

/** Nodes 1, 2 and 3 sat in this order, all had accepted, and the time is over since a moment ago. */
function ended(change: Partial<EndedTask> & { deadline?: number } = {}): EndedTask {
  const { deadline = chainTimeS - limits.settleGraceS - 1, ...rest } = change;
  const { taskId, terms, standing } = aTask({ terms: { deadline }, nodes: [1, 2, 3] });
  const masks = { status: taskStatus.refunded, acceptedMask: 0b111, failedMask: 0 };
  return { taskId, terms, standing, ...masks, reported: [], ...rest };
}

function planned(tasks: EndedTask[], options: { atS?: number; gasLeft?: bigint } = {}) {
  const { atS = chainTimeS, gasLeft = 10n ** 9n } = options;
  return planMissed({ facts: { chainTimeS: atS, reportWindowS, tasks }, gasLeft });
}

describe("plan of missed tasks", () => {
  it("reports each seat whose accept stands and that signed no failure, each once", () => {
    const rows: [why: string, change: Partial<EndedTask>, nodes: number[]][] = [
      ["all had accepted", {}, [1, 2, 3]],
      ["one had not", { acceptedMask: 0b101 }, [1, 3]],
      ["one signed its failure", { failedMask: 0b001 }, [2, 3]],
      ["a failure without an accept", { acceptedMask: 0b010, failedMask: 0b001 }, [2]],
      ["nobody had accepted", { acceptedMask: 0 }, []],
      ["all signed their failures", { failedMask: 0b111 }, []],
      ["one is reported", { reported: [2] }, [1, 3]],
      ["all are reported", { reported: [3, 2, 1] }, []],
      ["settled after all", { status: taskStatus.settled }, []],
      ["still open", { status: taskStatus.accepted }, []],
      ["taken back by its payer", { status: taskStatus.cancelled }, []],
    ];
    for (const [why, change, nodes] of rows) expect(missesOf(ended(change)), why).to.deep.equal(nodes);
    const { taskId, terms, standing } = ended();
    const words = { kind: "reportMissedTask", taskId, terms, standing };
    expect(planned([ended({ acceptedMask: 0b011 })])).to.deep.equal([
      { ...words, nodeId: 1 },
      { ...words, nodeId: 2 },
    ]);
  });

  it("reports to the last second of the contract's window and within its budget of gas, the earliest ended before the rest", () => {
    const lastS = ended().terms.deadline + limits.settleGraceS + reportWindowS;
    expect(planned([ended()], { atS: lastS })).to.have.length(3);
    expect(planned([ended()], { atS: lastS + 1 })).to.deep.equal([]);
    const older = ended({ taskId: keccak256("0x02"), deadline: ended().terms.deadline - 1, acceptedMask: 1 });
    const both = [ended(), older];
    const subjects = planned(both, { gasLeft: 2n * reportGas }).map((act) => act.kind === "reportMissedTask" && act.taskId);
    expect(subjects).to.deep.equal([older.taskId, ended().taskId]);
    expect(planned(both, { gasLeft: reportGas - 1n })).to.deep.equal([]);
  });

  it("is on unless it is turned off", () => {
    expect(readUpkeepSettings({}).faults.missed).to.equal(true);
    expect(readUpkeepSettings({ NGPU_KEEP_MISSED: "0" }).faults.missed).to.equal(false);
  });
});

describe("a missed task on a chain", () => {
  const ngpu = 10n ** 18n;
  const quiet = { NGPU_KEEP_EPOCHS: "0", NGPU_KEEP_RATE: "0" };
  let chain: TestChain;
  let primary: TestNode;
  let backup: TestNode;
  let keepers: Keeper[] = [];
  before(async () => {
    chain = await startTestChain();
    primary = await registerNode(chain);
    backup = await registerNode(chain);
    // While more than a fifth of all stake is silent, nobody is punished.
    await registerNode(chain, { stakeWei: 1_000n * ngpu });
  });
  after(async () => {
    await Promise.all(keepers.map((keeper) => keeper.stop()));
    await chain?.close();
  });

  const availability = () => ({ address: chain.deployment.availability, abi: availabilityAbi }) as const;
  const vault = () => ({ address: chain.deployment.stakeVault, abi: stakeVaultAbi }) as const;
  const stakeOf = async ({ nodeId }: TestNode): Promise<bigint> =>
    (await chain.client.readContract({ ...vault(), functionName: "stakeOf", args: [nodeId] })).stakedWei;
  const creditOf = (account: Address) => chain.client.readContract({ ...vault(), functionName: "creditOf", args: [account] });
  const payer = () => chain.account(2);
  const accountOfPayer = () => {
    const payments = { address: chain.deployment.paymentVault, abi: paymentVaultAbi } as const;
    return chain.client.readContract({ ...payments, functionName: "accountOf", args: [payer().address] });
  };
  const all = { fromBlock: 0n, strict: true } as const;
  const faults = () => chain.client.getContractEvents({ ...availability(), ...all, eventName: "FaultRecorded" });

  /** The node's accept is on chain. */
  async function accept({ taskId, inputCommitment }: TestTask, { nodeId, operator }: TestNode): Promise<void> {
    const { terms, standing } = await taskOf(chain, taskId);
    const { message, signature } = await signMessage({
      kind: "accept",
      message: { taskId, assignment: 1, nodeId, inputCommitment, timeMs: 1n },
      context: { chainId: chain.chainId, verifyingContract: chain.deployment.taskEscrow },
      signer: operator,
    });
    const escrow = { address: chain.deployment.taskEscrow, abi: taskEscrowAbi };
    await chain.write({
      ...{ account: chain.account(3), ...escrow },
      ...{ functionName: "accept", args: [terms, standing, message, signature] },
    });
  }

  it("is reported once by two keepers: its node loses 2 %, of which the payer gets the task's maximum in stake tokens, the reporter a tenth, and the rest burns; the payer's escrow is free again", async () => {
    const { client, deployment } = chain;
    const task = await postTask(chain);
    const { taskId, deadlineS } = task;
    await assignTask(chain, { taskId, nodeIds: [primary.nodeId, backup.nodeId] });
    await accept(task, primary);
    const { terms } = await taskOf(chain, taskId);
    const maxUsd6 = maxAmountUsd6(terms);
    expect(await accountOfPayer()).to.include({ reservedUsd6: maxUsd6 });
    await chain.increaseTime(deadlineS + limits.settleGraceS - (await chain.nowS()));

    const telemetries = [createTelemetry({ service: "keeper" }), createTelemetry({ service: "keeper" })];
    const accounts = [chain.account(1), chain.account(4)];
    keepers = accounts.map((account, index) => {
      const telemetry = telemetries[index];
      if (telemetry === undefined) throw new RangeError("a telemetry for each keeper");
      return startTestKeeper(chain, [], { account, telemetry, upkeep: readUpkeepSettings(quiet) });
    });
    const [fault] = await until("the miss is reported", async () => {
      const found = await faults();
      return found.length > 0 && found;
    }, 20_000);
    const done = async (): Promise<number> => {
      const texts = await Promise.all(telemetries.map((telemetry) => telemetry.text()));
      const counts = texts.map((text) => /actions_total{[^}]*reportMissedTask[^}]*done[^}]*} (\d+)/.exec(text)?.[1] ?? "0");
      return counts.reduce((sum, count) => sum + Number(count), 0);
    };
    await until("one of them knows that it did", async () => (await done()) === 1);
    const { gasUsed } = await client.getTransactionReceipt({ hash: fault?.transactionHash ?? "0x" });
    expect(gasUsed < reportGas, `a report takes ${gasUsed} gas`).to.equal(true);

    expect((await stateOf(chain, taskId)).status).to.equal(taskStatus.refunded);
    const { reservedUsd6, availableUsd6 } = await accountOfPayer();
    expect({ reservedUsd6, availableUsd6 }).to.deep.equal({ reservedUsd6: 0n, availableUsd6: maxUsd6 });
    expect(fault?.args).to.include({ nodeId: primary.nodeId, strikes: 1, excused: false });
    expect(await stakeOf(primary)).to.equal(98n * ngpu);
    expect(await stakeOf(backup), "it had not accepted").to.equal(100n * ngpu);
    const [slashed] = await client.getContractEvents({ ...vault(), ...all, eventName: "StakeSlashed" });
    if (slashed === undefined) throw new Error("a slash leaves an event");
    const { slashId } = slashed.args;
    const held = await client.readContract({ ...vault(), functionName: "slashOf", args: [slashId] });
    const compensationWei = maxUsd6 * terms.stakeWeiPerUsd6;
    expect(held).to.include({ slashedWei: 2n * ngpu, challengerWei: ngpu / 5n });
    expect(held).to.include({ compensated: payer().address, compensationWei });
    expect(accounts.map(({ address }) => address)).to.include(held.challenger);

    const follower = createTaskFollower({ chain: client, deployment });
    const head = await follower.poll();
    const facts = await createMissReader({ chain: client, deployment, follower }).read(head);
    expect(facts.tasks.map(({ reported }) => reported)).to.deep.equal([[primary.nodeId]]);
    expect(planned(facts.tasks, { atS: facts.chainTimeS }), "what the chain knows").to.deep.equal([]);
    expect(facts.reportWindowS).to.equal(reportWindowS);

    const token = { address: deployment.ngpuToken, abi: ngpuTokenAbi } as const;
    const walletOf = (of: Address) => client.readContract({ ...token, functionName: "balanceOf", args: [of] });
    const beforeWei = await walletOf(held.challenger);
    await chain.increaseTime(held.payableAt - (await chain.nowS()));
    // Neither the payer nor anybody else has to know of it: a keeper finishes it, and takes out what is its own.
    await until("the slash is finished", async () => (await creditOf(payer().address)) === compensationWei, 20_000);
    await until("the reporter has its tenth", async () => (await walletOf(held.challenger)) === beforeWei + ngpu / 5n, 20_000);
    const finished = await client.getContractEvents({ ...vault(), ...all, eventName: "SlashFinished" });
    expect(finished.map(({ args }) => args.burnedWei)).to.deep.equal([2n * ngpu - compensationWei - ngpu / 5n]);
    const { gasUsed: finishedGas } = await client.getTransactionReceipt({ hash: finished[0]?.transactionHash ?? "0x" });
    expect(finishedGas < finishGas, `finishing takes ${finishedGas} gas`).to.equal(true);
    expect((await faults()).length).to.equal(1);
  });

  it("is not reported by words that are not the chain's, and a report that is there already was done by others", async () => {
    const { client, deployment } = chain;
    const follower = createTaskFollower({ chain: client, deployment });
    const head = await follower.poll();
    const [told] = follower.refunded();
    if (told?.assigned === undefined) throw new Error("one task was refunded after its assignment");
    const lie = { ...told, terms: { ...told.terms, payer: zeroAddress } };
    const lying: Pick<TaskFollower, "refunded"> = { refunded: () => [lie] };
    const reader = createMissReader({ chain: client, deployment, follower: lying });
    expect((await reader.read(head)).tasks).to.deep.equal([]);
    expect(reader.misfits()).to.deep.equal([told.taskId]);

    const { taskId, terms, assigned } = told;
    const report = { taskId, nodeId: primary.nodeId, terms, standing: assignedOf(assigned) };
    const refusal: unknown = await client
      .simulateContract({ ...availability(), functionName: "reportMissedTask", args: [report], account: chain.account(6) })
      .catch((error: unknown) => error);
    expect(classifyRevert("reportMissedTask", refusal)).to.deep.equal({ name: "AvailabilityNoMiss", isBenign: true });
  });
});
