/**
 * The deployed world with Availability and Disputes over a stake vault whose stakes the test writes, so that shares,
 * buckets and refusals can be arranged; registry, escrow, keys and signatures are the real ones.
 */
import { availabilityAbi } from "@ngpu/protocol/generated/abi/availability";
import { disputesAbi } from "@ngpu/protocol/generated/abi/disputes";
import { signMessage } from "@ngpu/protocol/signed";
import { parseAbi, toFunctionSelector, type Address, type Hex } from "viem";
import type { PrivateKeyAccount } from "viem/accounts";
import { eventsOf } from "./chain.ts";
import { CHAIN_ID, createWorld, NGPU_WEI, type NodeKeys, type World } from "./world.ts";

export const APPEAL_ROLE = 4n;
export const BURN: Address = "0x000000000000000000000000000000000000dEaD";

export const availabilityTerms = {
  epochSeconds: 3_600,
  replyWindowSeconds: 600,
  reportWindowSeconds: 86_400,
  decaySeconds: 7 * 86_400,
  banSeconds: 86_400,
  appealWindowSeconds: 2 * 86_400,
  minimumBondWei: 10n ** 15n,
};

export const disputeTerms = {
  openSeconds: 86_400,
  nodeSeconds: 3_600,
  drawSeconds: 3_600,
  wrapSeconds: 3_600,
  commitSeconds: 3_600,
  revealSeconds: 3_600,
  appealSeconds: 2 * 86_400,
  arbitrationSeconds: 3 * 86_400,
  committeeSize: 3,
  quorum: 2,
  sampleBps: 2_000,
  judgeFeeWei: 10n ** 15n,
  bondWei: 10n ** 16n,
  minimumSlashableWei: 100n * NGPU_WEI,
};

/** Who may judge, as the test says. */
const listedCommitteeAbi = parseAbi([
  "function addMember(address keeper)",
  "function removeMember(address keeper)",
]);

const vaultAbi = parseAbi([
  "struct SlashOrder { uint256 amountWei; bytes32 reason; bytes32 evidence; address compensated; uint256 compensationWei; address challenger; uint256 challengerWei; }",
  "struct Held { uint32 nodeId; address slasher; uint256 slashedWei; uint256 compensationWei; uint256 challengerWei; address compensated; address challenger; uint40 payableAt; bool over; }",
  "function setStake(uint32 nodeId, uint256 stakeWei)",
  "function setSlasher(address slasher, bool is_)",
  "function setBucket(uint256 bucketWei)",
  "function setMood(bool refuses, bool wastes)",
  "function slashableOf(uint32 nodeId) view returns (uint256)",
  "function totalStakedWei() view returns (uint256)",
  "function held(uint256 slashId) view returns (Held)",
  "function heldCount() view returns (uint256)",
  "function finishSlash(uint256 slashId)",
  "function creditOf(address account) view returns (uint256)",
  "function burnedWei() view returns (uint256)",
]);

export type FaultWorld = Awaited<ReturnType<typeof createFaultWorld>>;

export async function createFaultWorld({ keeperJudges = 5 }: { keeperJudges?: number } = {}) {
  const world = await createWorld();
  const { deployer } = world.actors;
  const authority = world.accessManager.address;
  const vault = await world.deploy("ScriptedStakeVault", vaultAbi, [14 * 86_400, 2 * 86_400]);
  const seeds = await world.deploy(
    "ScriptedSeeds",
    parseAbi(["function reveal(uint64 epoch, bytes32 seed)"]),
    [],
  );
  const parts = [authority, world.registry.address, world.escrow.address, vault.address];
  const availability = await world.deploy("Availability", availabilityAbi, [...parts, availabilityTerms]);
  const listed = await world.deploy("ListedCommittee", listedCommitteeAbi, []);
  const disputes = await world.deploy("Disputes", disputesAbi, [
    ...parts,
    listed.address,
    seeds.address,
    disputeTerms,
  ]);
  const judges = Array.from({ length: keeperJudges }, (_, i) => world.accountAt(10 + i));
  for (const slasher of [availability, disputes]) {
    await world.send(deployer, vault, "setSlasher", [slasher.address, true]);
  }
  for (const judge of judges) await world.send(deployer, listed, "addMember", [judge]);

  const admin = {
    abi: parseAbi([
      "function grantRole(uint64 roleId, address account, uint32 executionDelay)",
      "function setTargetFunctionRole(address target, bytes4[] selectors, uint64 roleId)",
    ]),
    address: authority,
  };
  const arbitrator = world.accountAt(8);
  await world.send(deployer, admin, "grantRole", [APPEAL_ROLE, arbitrator, 0]);
  for (const [target, signature] of [
    [availability.address, "overturn(bytes32)"],
    [disputes.address, "arbitrate(bytes32,uint8)"],
  ] as const) {
    await world.send(deployer, admin, "setTargetFunctionRole", [
      target,
      [toFunctionSelector(signature)],
      APPEAL_ROLE,
    ]);
  }

  /** Writes a node's stake into the scripted vault, in whole tokens. */
  const setStake = (nodeId: number, tokens: bigint) =>
    world.send(deployer, vault, "setStake", [nodeId, tokens * NGPU_WEI]);
  for (const { nodeId } of Object.values(world.nodes)) await setStake(nodeId, 1_000n);
  // The rest of the network, so that one node is not a fifth of it.
  await setStake(99, 100_000n);
  await world.remember();
  return { ...world, vault, seeds, availability, listed, disputes, judges, arbitrator, setStake };
}

export async function stakeOf(world: FaultWorld, { nodeId }: { nodeId: number }): Promise<bigint> {
  return world.publicClient.readContract({ ...world.vault, functionName: "slashableOf", args: [nodeId] });
}

export async function bondCreditOf(
  world: FaultWorld,
  account: Address,
  at: { readonly address: Address } = world.availability,
): Promise<bigint> {
  const read = { abi: availabilityAbi, address: at.address, functionName: "bondCreditOf", args: [account] } as const;
  return world.publicClient.readContract(read);
}

/** The first second of the next epoch. */
export async function nextEpochStart(world: FaultWorld): Promise<number> {
  const { epochSeconds } = availabilityTerms;
  return (Math.floor((await world.now()) / epochSeconds) + 1) * epochSeconds;
}

/** Challenges `node` at `at`; the bond is a hundred times the smallest unless told otherwise. */
export async function challengeNode(
  world: Pick<World, "send" | "actors" | "availability">,
  node: { nodeId: number },
  { at, bondWei, from = world.actors.stranger }: { at?: number; bondWei?: bigint; from?: Address } = {},
) {
  const value = bondWei ?? 10n ** 17n;
  const options = at === undefined ? { value } : { at, value };
  const receipt = await world.send(from, world.availability, "challengeLiveness", [node.nodeId], options);
  const [challenge] = eventsOf(receipt, world.availability, "LivenessChallenged");
  if (challenge === undefined) throw new Error("nothing was challenged");
  return { ...challenge, block: receipt.blockNumber };
}

export interface AnswerOptions {
  signer?: PrivateKeyAccount;
  blockNumber?: bigint;
  blockHash?: Hex;
  nodeId?: number;
  at?: number;
  from?: Address;
}

/** Signs the node's answer over the challenge's own block and relays it. */
export async function answerChallenge(
  world: FaultWorld,
  node: NodeKeys,
  challenge: { challengeId: Hex; block: bigint },
  options: AnswerOptions = {},
) {
  const { signer = node.operator, blockNumber = challenge.block, nodeId = node.nodeId, at, from } = options;
  const blockHash = options.blockHash ?? (await world.publicClient.getBlock({ blockNumber })).hash;
  const { message, signature } = await signMessage({
    kind: "livenessReply",
    message: { challengeId: challenge.challengeId, nodeId, blockHash },
    context: { chainId: CHAIN_ID, verifyingContract: world.escrow.address },
    signer,
  });
  const relayer = from ?? world.actors.otherPayer;
  const time = at === undefined ? {} : { at };
  return world.send(relayer, world.availability, "answer", [message, blockNumber, signature], time);
}
