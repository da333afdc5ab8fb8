/** Acts on tasks: post, assign, accept and settle with believable defaults that a test overrides where it matters. */
import { signMessage } from "@ngpu/protocol/signed";
import { receiptStatus, type Accept, type Receipt } from "@ngpu/protocol/typedData";
import { keccak256, toHex, type Address, type Hex } from "viem";
import type { PrivateKeyAccount } from "viem/accounts";
import { wordsOf } from "./taskWords.ts";
import { noPermit, type Permit } from "./permit.ts";
import { CHAIN_ID, keyOf, type NodeKeys, type World } from "./world.ts";

export interface Post {
  clientNonce: Hex;
  modelId: Hex;
  inputCommitment: Hex;
  inputCiphertext: Hex;
  clientKey: Address;
  workCums: bigint;
  maxPriceUsd6PerGcums: bigint;
  deadline: number;
  backups: number;
}

/** What a test says differently than the node would, with which key, and in a block of which time. */
interface Relay<Message> {
  change?: Partial<Message>;
  signer?: PrivateKeyAccount;
  at?: number;
}

export const hashOf = (label: string): Hex => keccak256(toHex(label));

/**
 * One second of the reference machine, ten minutes to do it. At the local price: 137 base units are escrowed (125 for
 * the bill and 12 of standby), 100 billed.
 */
export async function aPost(world: World, change: Partial<Post> = {}): Promise<Post> {
  return {
    clientNonce: hashOf("nonce"),
    modelId: hashOf("model"),
    inputCommitment: hashOf("input commitment"),
    inputCiphertext: hashOf("input ciphertext"),
    clientKey: keyOf("client").address,
    workCums: 1_000_000n,
    maxPriceUsd6PerGcums: 100_000n,
    deadline: (await world.now()) + 600,
    backups: 1,
    ...change,
  };
}

/** Posts a task; the payer's allowance pays for it unless a permit is given. */
export async function postTask(
  world: World,
  { change = {}, payer = world.actors.payer, permit = noPermit, approve = true }: {
    change?: Partial<Post>;
    payer?: Address;
    permit?: Permit;
    approve?: boolean;
  } = {},
) {
  const post = await aPost(world, change);
  if (approve) await world.send(payer, world.usd, "approve", [world.paymentVault.address, 2n ** 256n - 1n]);
  const receipt = await world.send(payer, world.escrow, "post", [post, permit]);
  const taskId = await world.publicClient.readContract({
    ...world.escrow,
    functionName: "taskIdOf",
    args: [payer, post.clientNonce],
  });
  return { taskId, post, receipt };
}

export function readTask(world: World, taskId: Hex) {
  return world.publicClient.readContract({ ...world.escrow, functionName: "stateOf", args: [taskId] });
}

/** Assigns alpha, with beta as its backup, unless told otherwise. */
export async function assignTask(
  world: World,
  taskId: Hex,
  { at, from = world.actors.keeper, nodes = [world.nodes.alpha, world.nodes.beta] }: {
    at?: number;
    from?: Address;
    nodes?: readonly { readonly nodeId: number }[];
  } = {},
) {
  const { terms, standing } = await wordsOf(world, taskId);
  const args = [taskId, terms, standing, nodes.map(({ nodeId }) => nodeId)] as const;
  return world.send(from, world.escrow, "assign", args, at === undefined ? {} : { at });
}

/** A task that was posted and assigned to alpha (primary) and beta (backup). */
export async function anAssignedTask(world: World, change: Partial<Post> = {}) {
  const posted = await postTask(world, { change });
  await assignTask(world, posted.taskId);
  return posted;
}

export function aReceipt(taskId: Hex, node: NodeKeys, change: Partial<Receipt> = {}): Receipt {
  return {
    taskId,
    assignment: 1,
    attempt: 0,
    nodeId: node.nodeId,
    modelId: hashOf("model"),
    inputCommitment: hashOf("input commitment"),
    outputCommitment: hashOf("output commitment"),
    outputCiphertext: hashOf("output ciphertext"),
    slot: 0,
    powerCu: node.powerCu,
    startMs: 1_800_000_000_000n,
    durationMs: 1_000,
    status: receiptStatus.succeeded,
    ...change,
  };
}

export function anAccept(taskId: Hex, node: NodeKeys, change: Partial<Accept> = {}): Accept {
  const inputCommitment = hashOf("input commitment");
  return { taskId, assignment: 1, nodeId: node.nodeId, inputCommitment, timeMs: 1_800_000_000_000n, ...change };
}

export function signReceipt(world: World, message: Receipt, signer: PrivateKeyAccount) {
  const context = { chainId: CHAIN_ID, verifyingContract: world.escrow.address };
  return signMessage({ kind: "receipt", message, context, signer });
}

/** Signs `node`'s receipt and relays it as a stranger. */
export async function settleTask(
  world: World,
  taskId: Hex,
  node: NodeKeys,
  { change = {}, signer = node.operator, at }: Relay<Receipt> = {},
) {
  const { message, signature } = await signReceipt(world, aReceipt(taskId, node, change), signer);
  const { terms, standing } = await wordsOf(world, taskId);
  const args = [terms, standing, message, signature] as const;
  return world.send(world.actors.stranger, world.escrow, "settle", args, at === undefined ? {} : { at });
}

/** Signs `node`'s accept and relays it as a stranger. */
export async function acceptTask(
  world: World,
  taskId: Hex,
  node: NodeKeys,
  { change = {}, signer = node.operator, at }: Relay<Accept> = {},
) {
  const context = { chainId: CHAIN_ID, verifyingContract: world.escrow.address };
  const { message, signature } = await signMessage({
    kind: "accept",
    message: anAccept(taskId, node, change),
    context,
    signer,
  });
  const { terms, standing } = await wordsOf(world, taskId);
  const args = [terms, standing, message, signature] as const;
  return world.send(world.actors.stranger, world.escrow, "accept", args, at === undefined ? {} : { at });
}

/** Expires a task as a stranger. */
export async function expireTask(world: World, taskId: Hex, { at }: { at?: number } = {}) {
  const { terms, standing } = await wordsOf(world, taskId);
  const args = [taskId, terms, standing] as const;
  return world.send(world.actors.stranger, world.escrow, "expire", args, at === undefined ? {} : { at });
}

type DemandAct = "demandOutput" | "attestOutput" | "closeDemand";

/** One act of a demand, with the task's own words. */
export async function onDemand(
  world: World,
  act: DemandAct,
  taskId: Hex,
  { from, at }: { from: Address; at?: number },
) {
  const { terms, settlement } = await wordsOf(world, taskId);
  return world.send(from, world.escrow, act, [taskId, terms, settlement], at === undefined ? {} : { at });
}
