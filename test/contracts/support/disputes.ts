/** Results with commitments that can be opened, and the acts of a dispute about them. */
import type { Receipt } from "@ngpu/protocol/typedData";
import {
  concat,
  encodeAbiParameters,
  keccak256,
  parseAbiParameters,
  zeroHash,
  type Address,
  type Hex,
} from "viem";
import { eventsOf } from "./chain.ts";
import { disputeTerms, type FaultWorld } from "./faults.ts";
import { aReceipt, anAssignedTask, hashOf, settleTask, signReceipt } from "./tasks.ts";
import { harmOf } from "./taskWords.ts";
import type { NodeKeys, World } from "./world.ts";

export const determinism = { none: 0, exact: 1, tolerance: 2, topK: 3 } as const;
export const stages = {
  none: 0,
  opened: 1,
  drawing: 2,
  wrapping: 3,
  committing: 4,
  revealing: 5,
  ruled: 6,
  arbitrating: 7,
  closed: 8,
} as const;
export const outcomes = { none: 0, nodeLoses: 1, openerLoses: 2, lapsed: 3 } as const;
export const verdicts = { none: 0, nodeRight: 1, nodeWrong: 2, unreadable: 3 } as const;

const salt = hashOf("salt");
export const inputBody = hashOf("input body");
export const outputBody = hashOf("output body");
export const rightBody = hashOf("what the model really gives");

/** keccak256(salt ‖ hash of the body), as docs/PROTOCOL.md §2 says. */
const commit = (body: Hex): Hex => keccak256(concat([salt, body]));

/** What `node` signed about the task: commitments of the bodies above. */
export function aResult(taskId: Hex, node: NodeKeys, change: Partial<Receipt> = {}): Receipt {
  return aReceipt(taskId, node, {
    inputCommitment: commit(inputBody),
    outputCommitment: commit(outputBody),
    ...change,
  });
}

/** A task that `node` was paid for, and its receipt. */
export async function aSettledTask(world: World, node: NodeKeys, label = "task") {
  const change = { clientNonce: hashOf(label), inputCommitment: commit(inputBody), deadline: (await world.now()) + 600 };
  const { taskId, post } = await anAssignedTask(world, change);
  const message = aResult(taskId, node);
  await settleTask(world, taskId, node, { change: message });
  const { signature } = await signReceipt(world, message, node.operator);
  return { taskId, post, receipt: message, signature };
}

export type Settled = Awaited<ReturnType<typeof aSettledTask>>;

export const openOf = (settled: Pick<Settled, "receipt" | "signature">, claimedBodyHash: Hex = rightBody) => ({
  receipt: settled.receipt,
  signature: settled.signature,
  inputSalt: salt,
  inputBodyHash: inputBody,
  claimedBodyHash,
});

/** Opens as the payer; returns the id. */
export async function openDispute(
  world: World,
  settled: Settled,
  { claimed = rightBody, from = world.actors.payer, value = disputeTerms.bondWei, at }: {
    claimed?: Hex;
    from?: Address;
    value?: bigint;
    at?: number;
  } = {},
): Promise<Hex> {
  const time = at === undefined ? {} : { at };
  const args = [openOf(settled, claimed), await harmOf(world, settled.taskId)] as const;
  const receipt = await world.send(from, world.disputes, "openByPayer", args, { value, ...time });
  const [opened] = eventsOf(receipt, world.disputes, "DisputeOpened");
  if (opened === undefined) throw new Error("nothing was opened");
  return opened.disputeId;
}

export const readDispute = (world: World, disputeId: Hex) =>
  world.publicClient.readContract({ ...world.disputes, functionName: "dispute", args: [disputeId] });

export const revealOutput = (world: World, disputeId: Hex, body = outputBody) =>
  world.send(world.actors.stranger, world.disputes, "revealOutput", [disputeId, salt, body]);

/** Mines up to the block that draws, and draws. Returns the judges. */
export async function draw(world: World, disputeId: Hex): Promise<readonly Address[]> {
  for (let i = 0; i < 3; i += 1) await world.increase(1);
  const receipt = await world.send(world.actors.stranger, world.disputes, "drawCommittee", [disputeId]);
  return eventsOf(receipt, world.disputes, "CommitteeDrawn")[0]?.judges ?? [];
}

export interface Vote {
  judge: Address;
  verdict: number;
  body?: Hex;
}

const ballot = parseAbiParameters("bytes32 disputeId, address judge, uint8 verdict, bytes32 bodyHash, bytes32 salt");

export const commitmentOf = (disputeId: Hex, { judge, verdict, body = zeroHash }: Vote): Hex =>
  keccak256(encodeAbiParameters(ballot, [disputeId, judge, verdict, body, salt]));

export const commitVote = (world: World, disputeId: Hex, vote: Vote) =>
  world.send(vote.judge, world.disputes, "commitVerdict", [disputeId, commitmentOf(disputeId, vote)]);

export const revealVote = (world: World, disputeId: Hex, { judge, verdict, body = zeroHash }: Vote) =>
  world.send(judge, world.disputes, "revealVerdict", [disputeId, verdict, body, salt]);

/** From an opened dispute to a sitting committee with the keys. */
export async function seatCommittee(world: World, disputeId: Hex): Promise<readonly Address[]> {
  await revealOutput(world, disputeId);
  const judges = await draw(world, disputeId);
  await world.send(world.actors.payer, world.disputes, "publishKeys", [disputeId, hashOf("wraps")]);
  return judges;
}

/** From a sitting committee past its last reveal. */
export async function vote(world: World, disputeId: Hex, votes: readonly Vote[]): Promise<void> {
  for (const cast of votes) await commitVote(world, disputeId, cast);
  await passDeadline(world, disputeId);
  for (const cast of votes) await revealVote(world, disputeId, cast);
  await world.increase(disputeTerms.revealSeconds + 1);
}

export async function passDeadline(world: World, disputeId: Hex): Promise<void> {
  const { deadline } = await readDispute(world, disputeId);
  await world.increaseTo(deadline + 1);
}

export const advance = (world: World, disputeId: Hex) =>
  world.send(world.actors.stranger, world.disputes, "advance", [disputeId]);

/** Lets the standing ruling or arbitration run out. Returns what closing said. */
export async function runOut(world: World, disputeId: Hex) {
  await passDeadline(world, disputeId);
  const receipt = await advance(world, disputeId);
  return eventsOf(receipt, world.disputes, "DisputeClosed")[0];
}

export const committeeRef = ({ listed }: FaultWorld) => listed;
