/**
 * One task on the deployment of a dry run, from post to bill: a node registers and stakes, a payer posts with a permit,
 * the configured keeper assigns, anyone settles the node's receipt. The bill is compared with the arithmetic by hand.
 */
import { randomBytes } from "node:crypto";
import { permitParams, permitTypedData } from "@ngpu/client/permit";
import { localUsdAbi } from "@ngpu/protocol/generated/abi/localUsd";
import { ngpuTokenAbi } from "@ngpu/protocol/generated/abi/ngpuToken";
import { nodeRegistryAbi } from "@ngpu/protocol/generated/abi/nodeRegistry";
import { paymentVaultAbi } from "@ngpu/protocol/generated/abi/paymentVault";
import { priceOracleAbi } from "@ngpu/protocol/generated/abi/priceOracle";
import { stakeVaultAbi } from "@ngpu/protocol/generated/abi/stakeVault";
import { taskEscrowAbi } from "@ngpu/protocol/generated/abi/taskEscrow";
import { limits } from "@ngpu/protocol/limits";
import { signMessage } from "@ngpu/protocol/signed";
import { receiptStatus } from "@ngpu/protocol/typedData";
import { unassigned } from "@ngpu/protocol/taskDigest";
import { assignedOf, termsOf } from "@ngpu/protocol/taskWords";
import { amountUsd6, maxAmountUsd6 } from "@ngpu/protocol/units";
import { parseEventLogs, toHex, type Abi, type Address, type Hex, type TransactionReceipt } from "viem";
import { generatePrivateKey, privateKeyToAccount, type PrivateKeyAccount } from "viem/accounts";
import { checkEqual, type Check } from "../checklist/check.ts";
import type { Configuration } from "../configuration/configuration.ts";
import type { Addresses } from "../deployModule.ts";
import type { LocalChain } from "./localChain.ts";
import { standInOwner } from "./standIns.ts";

export interface SmokeTask {
  readonly taskId: Hex;
  readonly powerCu: number;
  readonly durationMs: number;
  readonly priceUsd6PerGcums: bigint;
  readonly escrowedUsd6: bigint;
  readonly billUsd6: bigint;
  readonly refundUsd6: bigint;
  readonly gas: { readonly post: bigint; readonly assign: bigint; readonly settle: bigint };
  readonly checks: readonly Check[];
}

interface Scene {
  readonly chain: LocalChain;
  readonly configuration: Configuration;
  readonly addresses: Addresses;
}

const cpuClass = 0;
const deadlineS = 600;
const durationMs = 1_000;
const farExpiry = 2n ** 40n;
const random32 = (): Hex => toHex(randomBytes(32));
const someone = (): PrivateKeyAccount => privateKeyToAccount(generatePrivateKey());

export async function smokeTask(scene: Scene): Promise<SmokeTask> {
  const { chain, configuration, addresses } = scene;
  const oracle = { address: addresses.priceOracle, abi: priceOracleAbi } as const;
  const [priceUsd6PerGcums, stakeWeiPerUsd6] = await chain.client.readContract({ ...oracle, functionName: "quote" });
  const powerCu = configuration.nodeClasses.cpu.minimumPowerCu;
  const workCums = BigInt(powerCu) * BigInt(durationMs);
  const escrowedUsd6 = maxAmountUsd6({ workCums, priceUsd6PerGcums, backups: 0 });
  const neededWei = escrowedUsd6 * limits.stakePerTask * stakeWeiPerUsd6;
  const node = await registerNode(scene, { neededWei });
  const { payer, taskId, post, posted, terms } = await postTask(scene, { workCums, priceUsd6PerGcums, escrowedUsd6 });
  const escrow = { to: addresses.taskEscrow, abi: taskEscrowAbi as Abi } as const;
  const assigned = await chain.send({
    from: configuration.roles.keeper,
    ...escrow,
    functionName: "assign",
    args: [taskId, terms, unassigned, [node.nodeId]],
  });
  const [assignment] = parseEventLogs({ abi: taskEscrowAbi, eventName: "TaskAssigned", logs: assigned.logs });
  if (assignment === undefined) throw new Error("the task was not assigned");
  const standing = assignedOf(assignment.args);
  const { timestamp } = await chain.client.getBlock();
  const { message, signature } = await signMessage({
    kind: "receipt",
    message: {
      taskId,
      assignment: 1,
      attempt: 0,
      nodeId: node.nodeId,
      modelId: post.modelId,
      inputCommitment: post.inputCommitment,
      outputCommitment: random32(),
      outputCiphertext: random32(),
      slot: 0,
      powerCu,
      startMs: timestamp * 1_000n,
      durationMs,
      status: receiptStatus.succeeded,
    },
    context: { chainId: chain.chainId, verifyingContract: addresses.taskEscrow },
    signer: node.operator,
  });
  const settled = await chain.send({ from: someone(), ...escrow, functionName: "settle", args: [terms, standing, message, signature] });
  const [event] = parseEventLogs({ abi: taskEscrowAbi, eventName: "TaskSettled", logs: settled.logs });
  if (event === undefined) throw new Error("the receipt was settled without a bill");
  const billUsd6 = amountUsd6({ powerCu, durationMs, priceUsd6PerGcums });
  const vault = { address: addresses.paymentVault, abi: paymentVaultAbi } as const;
  const accountOf = (account: Address) =>
    chain.client.readContract({ ...vault, functionName: "accountOf", args: [account] });
  const [ofNode, ofPayer] = [await accountOf(node.payout), await accountOf(payer)];
  return {
    taskId,
    powerCu,
    durationMs,
    priceUsd6PerGcums,
    escrowedUsd6,
    billUsd6: event.args.amountUsd6,
    refundUsd6: event.args.refundUsd6,
    gas: { post: posted.gasUsed, assign: assigned.gasUsed, settle: settled.gasUsed },
    checks: [
      checkEqual("smoke", "the bill, by the contract and by hand", event.args.amountUsd6, billUsd6),
      checkEqual("smoke", "bill and refund are what was escrowed", billUsd6 + event.args.refundUsd6, escrowedUsd6),
      checkEqual("smoke", "credit of the node", ofNode.creditUsd6, billUsd6),
      checkEqual("smoke", "balance of the payer", ofPayer.availableUsd6, escrowedUsd6 - billUsd6),
    ],
  };
}

async function registerNode({ chain, configuration, addresses }: Scene, { neededWei }: { neededWei: bigint }) {
  const [owner, operator, payout] = [someone(), someone(), someone().address];
  const registry = { to: addresses.nodeRegistry, abi: nodeRegistryAbi as Abi } as const;
  const { signature } = await signMessage({
    kind: "operatorBinding",
    message: { owner: owner.address, operator: operator.address, expiry: farExpiry },
    context: { chainId: chain.chainId, verifyingContract: addresses.nodeRegistry },
    signer: operator,
  });
  const args = [operator.address, payout, cpuClass, farExpiry, signature];
  await chain.send({ from: owner, ...registry, functionName: "register", args });
  const read = { address: addresses.nodeRegistry, abi: nodeRegistryAbi } as const;
  const nodeId = await chain.client.readContract({
    ...read,
    functionName: "nodeOfOperator",
    args: [operator.address],
  });
  const { minimumStakeWei } = configuration.nodeClasses.cpu;
  const stakeWei = neededWei > minimumStakeWei ? neededWei : minimumStakeWei;
  const token = { to: configuration.external.stakeToken, abi: ngpuTokenAbi as Abi } as const;
  await chain.send({ from: standInOwner, ...token, functionName: "transfer", args: [owner.address, stakeWei] });
  await chain.send({ from: owner, ...token, functionName: "approve", args: [addresses.stakeVault, stakeWei] });
  const vault = { to: addresses.stakeVault, abi: stakeVaultAbi as Abi } as const;
  await chain.send({ from: owner, ...vault, functionName: "stake", args: [nodeId, stakeWei] });
  return { nodeId, operator, payout };
}

async function postTask(
  { chain, configuration, addresses }: Scene,
  task: { workCums: bigint; priceUsd6PerGcums: bigint; escrowedUsd6: bigint },
) {
  const payer = someone();
  const { paymentToken } = configuration.external;
  const token = { to: paymentToken, abi: localUsdAbi as Abi } as const;
  const transfer = [payer.address, task.escrowedUsd6];
  await chain.send({ from: standInOwner, ...token, functionName: "transfer", args: transfer });
  const { timestamp } = await chain.client.getBlock();
  const deadline = timestamp + BigInt(deadlineS);
  const tokenName = await chain.client.readContract({ address: paymentToken, abi: localUsdAbi, functionName: "name" });
  const terms = { value: task.escrowedUsd6, deadline };
  const signature = await payer.signTypedData(
    permitTypedData({
      ...terms,
      token: paymentToken,
      tokenName,
      tokenVersion: "1",
      chainId: chain.chainId,
      owner: payer.address,
      spender: addresses.paymentVault,
      nonce: 0n,
    }),
  );
  const post = {
    clientNonce: random32(),
    modelId: random32(),
    inputCommitment: random32(),
    inputCiphertext: random32(),
    clientKey: payer.address,
    workCums: task.workCums,
    maxPriceUsd6PerGcums: task.priceUsd6PerGcums,
    deadline: Number(deadline),
    backups: 0,
  };
  const posted: TransactionReceipt = await chain.send({
    from: payer,
    to: addresses.taskEscrow,
    abi: taskEscrowAbi as Abi,
    functionName: "post",
    args: [post, permitParams({ ...terms, signature })],
  });
  const [event] = parseEventLogs({ abi: taskEscrowAbi, eventName: "TaskPosted", logs: posted.logs });
  if (event === undefined) throw new Error("the task was not posted");
  return { payer: payer.address, taskId: event.args.taskId, post, posted, terms: termsOf(event.args) };
}
