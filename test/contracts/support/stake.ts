/** A stake vault of its own in a deployed world, with one account for each party that may touch it, and its acts. */
import { parseAbi, zeroAddress, zeroHash, type Address, type Hex } from "viem";
import type { ContractRef } from "./chain.ts";
import { createWorld, NGPU_WEI, type World } from "./world.ts";

export const THAW_S = 300;
export const DISPUTE_S = 60;
export const APPEAL_S = 60;
export const DAY_S = 24 * 3_600;
export const SLASHER_ROLE = 3n;
export const APPEAL_ROLE = 4n;
export const BURN_ADDRESS = "0x000000000000000000000000000000000000dEaD";

export const tokenAbi = parseAbi([
  "function approve(address spender, uint256 value) returns (bool)",
  "function transfer(address to, uint256 value) returns (bool)",
  "function balanceOf(address account) view returns (uint256)",
  "function totalSupply() view returns (uint256)",
  "function setBlocked(address account, bool blocked)",
  "function arm(address target, bytes call_)",
]);

export interface StakeTerms {
  thawPeriodSeconds: number;
  disputeWindowSeconds: number;
  appealWindowSeconds: number;
  minimumBucketWei: bigint;
}

export interface SlashOrder {
  amountWei: bigint;
  reason: Hex;
  evidence: Hex;
  compensated: Address;
  compensationWei: bigint;
  challenger: Address;
  challengerWei: bigint;
}

type Vault = World["stakeVault"];
export type StakeWorld = Awaited<ReturnType<typeof createStakeWorld>>;

export const terms: StakeTerms = {
  thawPeriodSeconds: THAW_S,
  disputeWindowSeconds: DISPUTE_S,
  appealWindowSeconds: APPEAL_S,
  minimumBucketWei: 1_000n * NGPU_WEI,
};

/** Deploys a vault that nobody has used; the caller of the world's `deploy` may fix its rails. */
export function deployVault(world: World, token: { address: Address }, change: Partial<StakeTerms> = {}): Promise<Vault> {
  const { registry, accessManager, stakeVault } = world;
  const args = [token.address, registry.address, accessManager.address, { ...terms, ...change }];
  return world.deploy("StakeVault", stakeVault.abi, args);
}

/** A world in which alpha and beta have 1,000 NGPU each in a vault with a rail, two slashers and an appeal. */
export async function createStakeWorld() {
  const world = await createWorld();
  const { owner, deployer, stranger } = world.actors;
  const parties = {
    rail: world.accountAt(6),
    slasher: world.accountAt(8),
    otherSlasher: world.accountAt(9),
    appeal: world.accountAt(10),
    harmed: world.accountAt(11),
    finder: world.accountAt(12),
  };
  const alpha = world.nodes.alpha.nodeId;
  const beta = world.nodes.beta.nodeId;
  const vault = await deployVault(world, world.ngpu);
  await world.send(deployer, vault, "fixRails", [[parties.rail]]);
  for (const [role, account] of [
    [SLASHER_ROLE, parties.slasher],
    [SLASHER_ROLE, parties.otherSlasher],
    [APPEAL_ROLE, parties.appeal],
  ] as const) {
    await world.send(deployer, world.accessManager, "grantRole", [role, account, 0]);
  }
  await world.send(owner, world.ngpu, "approve", [vault.address, 2n ** 256n - 1n]);
  for (const nodeId of [alpha, beta]) await world.send(owner, vault, "stake", [nodeId, 1_000n * NGPU_WEI]);
  await world.remember();

  const anOrder = (change: Partial<SlashOrder> = {}): SlashOrder => ({
    amountWei: 100n * NGPU_WEI,
    reason: `0x${"0a".repeat(32)}`,
    evidence: zeroHash,
    compensated: parties.harmed,
    compensationWei: 0n,
    challenger: parties.finder,
    challengerWei: 0n,
    ...change,
  });
  const timed = (at: number | undefined) => (at === undefined ? {} : { at });

  /** The acts and views of one vault; by default the one with the real token. */
  const actsOn = (of: Vault, token: { address: Address } = world.ngpu) => ({
    stake: (amountWei: bigint, nodeId = alpha) => world.send(owner, of, "stake", [nodeId, amountWei]),
    beginExit: (amountWei: bigint, at?: number, nodeId = alpha) =>
      world.send(owner, of, "beginExit", [nodeId, amountWei], timed(at)),
    cancelExit: (nodeId = alpha) => world.send(owner, of, "cancelExit", [nodeId]),
    withdraw: (at?: number, nodeId = alpha) => world.send(stranger, of, "withdraw", [nodeId], timed(at)),
    lock: (amountWei: bigint, at?: number, nodeId = alpha) =>
      world.send(parties.rail, of, "lock", [nodeId, amountWei], timed(at)),
    slash: (change: Partial<SlashOrder> = {}, { from = parties.slasher, nodeId = alpha, at }: SlashCall = {}) =>
      world.send(from, of, "slash", [nodeId, anOrder(change)], timed(at)),
    finish: (slashId: bigint, at?: number) => world.send(stranger, of, "finishSlash", [slashId], timed(at)),
    reverse: (slashId: bigint, at?: number) => world.send(parties.appeal, of, "reverseSlash", [slashId], timed(at)),
    payCredit: (account: Address) => world.send(stranger, of, "payCredit", [account]),
    stakeOf: (nodeId = alpha) => world.publicClient.readContract({ ...of, functionName: "stakeOf", args: [nodeId] }),
    activeOf: (nodeId = alpha) =>
      world.publicClient.readContract({ ...of, functionName: "activeStakeOf", args: [nodeId] }),
    slashableOf: (nodeId = alpha) =>
      world.publicClient.readContract({ ...of, functionName: "slashableOf", args: [nodeId] }),
    lockedOf: (nodeId = alpha) => world.publicClient.readContract({ ...of, functionName: "lockedOf", args: [nodeId] }),
    exitsOf: (nodeId = alpha) => world.publicClient.readContract({ ...of, functionName: "exitsOf", args: [nodeId] }),
    slashOf: (slashId: bigint) => world.publicClient.readContract({ ...of, functionName: "slashOf", args: [slashId] }),
    creditOf: (account: Address) =>
      world.publicClient.readContract({ ...of, functionName: "creditOf", args: [account] }),
    bucketOf: (slasher: Address) =>
      world.publicClient.readContract({ ...of, functionName: "bucketOf", args: [slasher] }),
    totalStaked: () => world.publicClient.readContract({ ...of, functionName: "totalStakedWei" }),
    balanceOf: (account: Address) =>
      world.publicClient.readContract({ abi: tokenAbi, address: token.address, functionName: "balanceOf", args: [account] }),
  });

  /** A vault on another token, in which alpha has staked all of it. */
  async function vaultOn(tokenName: string, amountWei: bigint) {
    const token: ContractRef<typeof tokenAbi> = await world.deploy(tokenName, tokenAbi, [owner, amountWei]);
    const of = await deployVault(world, token);
    await world.send(owner, token, "approve", [of.address, 2n ** 256n - 1n]);
    return { token, vault: of, ...actsOn(of, token) };
  }

  return { ...world, ...parties, alpha, beta, vault, anOrder, actsOn, vaultOn, ...actsOn(vault) };
}

interface SlashCall {
  from?: Address;
  nodeId?: number;
  at?: number;
}

/** No compensated and no challenger: everything is burned. */
export const nobody = { compensated: zeroAddress, challenger: zeroAddress } as const;
