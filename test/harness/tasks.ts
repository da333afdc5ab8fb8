/** Posts tasks on a test chain, as a payer's client would. */
import { localUsdAbi } from "@ngpu/protocol/generated/abi/localUsd";
import { taskEscrowAbi } from "@ngpu/protocol/generated/abi/taskEscrow";
import { taskIdOf } from "@ngpu/protocol/ids";
import type { Signed } from "@ngpu/protocol/signed";
import { keccak256, maxUint256, stringToBytes, toHex, type Hex, type TransactionReceipt } from "viem";
import { generatePrivateKey, privateKeyToAccount, type PrivateKeyAccount } from "viem/accounts";
import type { TestChain } from "./chain.ts";
import { taskOf } from "./taskOf.ts";

export interface TestTask {
  taskId: Hex;
  modelId: Hex;
  inputCommitment: Hex;
  inputCiphertext: Hex;
  /** Any bytes whose hash is `inputCiphertext`. */
  sealedInput: Uint8Array;
  clientKey: PrivateKeyAccount;
  workCums: bigint;
  deadlineS: number;
}

let posted = 0;

export async function postTask(
  chain: TestChain,
  options: {
    payerIndex?: number;
    modelId?: Hex;
    inputCommitment?: Hex;
    sealedInput?: Uint8Array;
    clientKey?: PrivateKeyAccount;
    workCums?: bigint;
    deadlineInS?: number;
    backups?: number;
    clientNonce?: Hex;
  } = {},
): Promise<TestTask> {
  const {
    payerIndex = 2,
    modelId = keccak256(stringToBytes("model")),
    inputCommitment = keccak256(stringToBytes("input commitment")),
    sealedInput = stringToBytes(`sealed input ${posted++} ${generatePrivateKey()}`),
    clientKey = privateKeyToAccount(generatePrivateKey()),
    workCums = 2_000_000n,
    deadlineInS = 600,
    backups = 1,
    clientNonce = generatePrivateKey(),
  } = options;
  const { deployment, chainId } = chain;
  const { localUsd, paymentVault, taskEscrow } = deployment;
  if (localUsd === undefined) throw new Error("the test chain has no local payment token");
  const payer = chain.account(payerIndex);
  const usd = { address: localUsd, abi: localUsdAbi };
  await chain.write({
    account: chain.account(0),
    ...usd,
    functionName: "transfer",
    args: [payer.address, 10_000_000n],
  });
  await chain.write({ account: payer, ...usd, functionName: "approve", args: [paymentVault, maxUint256] });

  const inputCiphertext = keccak256(sealedInput);
  const deadlineS = (await chain.nowS()) + deadlineInS;
  const params = {
    clientNonce,
    modelId,
    inputCommitment,
    inputCiphertext,
    clientKey: clientKey.address,
    workCums,
    maxPriceUsd6PerGcums: 10_000_000n,
    deadline: deadlineS,
    backups,
  };
  const noPermit = { value: 0n, deadline: 0n, v: 0, r: toHex(0, { size: 32 }), s: toHex(0, { size: 32 }) };
  const escrow = { address: taskEscrow, abi: taskEscrowAbi };
  await chain.write({ account: payer, ...escrow, functionName: "post", args: [params, noPermit] });
  const taskId = taskIdOf({ chainId, escrow: taskEscrow, payer: payer.address, clientNonce });
  return { taskId, modelId, inputCommitment, inputCiphertext, sealedInput, clientKey, workCums, deadlineS };
}

/** Assigns nodes, the primary first, as the keeper. */
export async function assignTask(
  chain: TestChain,
  { taskId, nodeIds }: { taskId: Hex; nodeIds: number[] },
): Promise<void> {
  const { terms, standing } = await taskOf(chain, taskId);
  await chain.write({
    account: chain.account(1),
    address: chain.deployment.taskEscrow,
    abi: taskEscrowAbi,
    functionName: "assign",
    args: [taskId, terms, standing, nodeIds],
  });
}

/** Settles from a receipt, as anybody may. */
export async function settleTask(
  chain: TestChain,
  { message, signature }: Signed<"receipt">,
): Promise<TransactionReceipt> {
  const { terms, standing } = await taskOf(chain, message.taskId);
  return chain.write({
    account: chain.account(3),
    address: chain.deployment.taskEscrow,
    abi: taskEscrowAbi,
    functionName: "settle",
    args: [terms, standing, message, signature],
  });
}
