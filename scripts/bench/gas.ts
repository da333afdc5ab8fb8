/**
 * Gas of every path of the direct rail, and of a bill on the session rail, measured on an in-process chain: whole
 * transactions, warm (the payer, the nodes and the payouts have been through it before). `baseline` is the floor of the
 * same transaction: what it pays for existing, for storage and for logs alone, refunds deducted. `--json` prints one
 * object, otherwise a table.
 */
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { TransactionReceipt } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import type { Sample } from "./gasSample.ts";

process.chdir(path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../.."));
const { default: hre } = await import("hardhat");
await hre.tasks.getTask("build").run({ quiet: true, noTests: true });
const { createWorld, NGPU_WEI } = await import("../../test/contracts/support/world.ts");
const { moneyOf } = await import("../../test/contracts/support/money.ts");
const { devKey } = await import("../../test/contracts/support/devKey.ts");
const { noPermit, signPermit } = await import("../../test/contracts/support/permit.ts");
const tasks = await import("../../test/contracts/support/tasks.ts");
const { sampleOf: sampleIn } = await import("./gasSample.ts");
const { sessionPaths } = await import("./gasSession.ts");

interface Row {
  readonly name: string;
  readonly value: number;
  readonly unit: "gas";
  readonly min: number;
  readonly max: number;
  readonly n: number;
  readonly baseline: number;
  readonly ratio: number;
}

const RUNS = 7;
/** What the default task escrows, in payment-token base units. */
const ESCROWED = 137n;

const world = await createWorld();
const samples = new Map<string, Sample[]>();
try {
  for (let run = 0; run <= RUNS; run++) {
    const paths = { ...(await direct(run)), ...(await others(run)) };
    // The first run only warms up.
    if (run === 0) continue;
    for (const [name, sample] of Object.entries(paths)) samples.set(name, [...(samples.get(name) ?? []), sample]);
  }
} finally {
  await world.close();
}
for (const [name, taken] of await sessionPaths(RUNS)) samples.set(name, taken);
print([...samples].map(([name, taken]) => rowOf(name, taken)));

/** One task paid with a permit, from post to bill, and the post of another that is paid from the balance. */
async function direct(run: number): Promise<Record<string, Sample>> {
  const { alpha } = world.nodes;
  const { payer, otherPayer } = world.actors;
  const { availableUsd6 } = await moneyOf(world, payer);
  const permit = await signPermit(world, {
    owner: privateKeyToAccount(devKey(2)),
    token: world.usd,
    spender: world.paymentVault.address,
    value: ESCROWED - availableUsd6,
  });
  const change = { clientNonce: tasks.hashOf(`permit ${run}`) };
  const posted = await tasks.postTask(world, { change, permit, approve: false });
  const post = await sampleOf(posted.receipt);
  const assign = await sampleOf(await tasks.assignTask(world, posted.taskId));
  const accept = await sampleOf(await tasks.acceptTask(world, posted.taskId, alpha));
  const settle = await sampleOf(await tasks.settleTask(world, posted.taskId, alpha));

  if (run === 0) {
    await world.send(otherPayer, world.usd, "approve", [world.paymentVault.address, 1_000_000n]);
    await world.send(otherPayer, world.paymentVault, "deposit", [otherPayer, 1_000_000n]);
  }
  const settleStandby = await settledWithStandby(run);
  const fromBalance = await tasks.postTask(world, {
    payer: otherPayer,
    change: { clientNonce: tasks.hashOf(`balance ${run}`) },
    permit: noPermit,
    approve: false,
  });
  const postBalance = await sampleOf(fromBalance.receipt);
  return {
    direct_post: post,
    direct_post_balance: postBalance,
    direct_assign: assign,
    direct_accept: accept,
    direct_settle: settle,
    direct_settle_standby: settleStandby,
    direct_total: sum(post, assign, settle),
    direct_total_balance: sum(postBalance, assign, settle),
  };
}

/** The settlement of a task whose backup had accepted too and is paid for it. */
async function settledWithStandby(run: number): Promise<Sample> {
  const { alpha, beta } = world.nodes;
  const change = { clientNonce: tasks.hashOf(`standby ${run}`) };
  const { taskId } = await tasks.postTask(world, { payer: world.actors.otherPayer, change, approve: false });
  await tasks.assignTask(world, taskId);
  for (const node of [alpha, beta]) await tasks.acceptTask(world, taskId, node);
  return sampleOf(await tasks.settleTask(world, taskId, alpha));
}

async function others(run: number): Promise<Record<string, Sample>> {
  const { owner, otherPayer } = world.actors;
  const change = { clientNonce: tasks.hashOf(`expire ${run}`), deadline: (await world.now()) + 30 };
  const { taskId } = await tasks.postTask(world, { payer: otherPayer, change, approve: false });
  await world.increase(40);
  const expire = await tasks.expireTask(world, taskId);
  const { nodeId, receipt: register } = await registered(run);
  await world.send(owner, world.stakeVault, "stake", [nodeId, NGPU_WEI]);
  const stake = await world.send(owner, world.stakeVault, "stake", [nodeId, NGPU_WEI]);
  return { register: await sampleOf(register), stake: await sampleOf(stake), expire: await sampleOf(expire) };
}

async function registered(run: number): Promise<{ nodeId: number; receipt: TransactionReceipt }> {
  const { nodeId } = await world.registerNode(`bench ${run}`, 0);
  const block = await world.publicClient.getBlock();
  const [hash] = block.transactions;
  if (hash === undefined) throw new Error("the newest block holds the registration");
  return { nodeId, receipt: await world.publicClient.getTransactionReceipt({ hash }) };
}

function sampleOf(receipt: TransactionReceipt): Promise<Sample> {
  return sampleIn(world, receipt);
}

function sum(...parts: readonly Sample[]): Sample {
  return {
    gas: parts.reduce((total, { gas }) => total + gas, 0),
    floor: parts.reduce((total, { floor }) => total + floor, 0),
  };
}

function rowOf(name: string, taken: readonly Sample[]): Row {
  const gas = taken.map((sample) => sample.gas).sort((a, b) => a - b);
  const value = median(gas);
  const baseline = median(taken.map(({ floor }) => floor).sort((a, b) => a - b));
  const ratio = Math.round((value / baseline) * 1_000) / 1_000;
  return { name, value, unit: "gas", min: gas[0] ?? 0, max: gas.at(-1) ?? 0, n: taken.length, baseline, ratio };
}

function median(sorted: readonly number[]): number {
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

function print(rows: readonly Row[]): void {
  const cpus = os.cpus();
  const machine = { cpu: cpus[0]?.model ?? "unknown", cores: cpus.length, node: process.version };
  if (process.argv.includes("--json")) console.log(JSON.stringify({ bench: "gas", machine, rows }, undefined, 2));
  else console.table(Object.fromEntries(rows.map(({ name, unit, ...figures }) => [name, figures])));
}
