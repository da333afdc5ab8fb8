/**
 * Looks at the chain before anything is sent: that it is the right one, and that tokens, feeds and coordinator are
 * there and are what the contracts assume of them. Only reads.
 */
import { parseAbi, type Address, type PublicClient } from "viem";
import type { Configuration } from "./configuration/configuration.ts";
import { DeployError, type Problem } from "./problem.ts";

const tokenAbi = parseAbi([
  "function decimals() view returns (uint8)",
  "function nonces(address owner) view returns (uint256)",
  "function DOMAIN_SEPARATOR() view returns (bytes32)",
  "function burn(uint256 amount)",
]);
const feedAbi = parseAbi([
  "function decimals() view returns (uint8)",
  "function latestRoundData() view returns (uint80, int256 answer, uint256 startedAt, uint256 updatedAt, uint80)",
]);
const coordinatorAbi = parseAbi([
  "function getSubscription(uint256 subId) view returns (uint96, uint96, uint64, address subOwner, address[] consumers)",
]);

/** What a contract answers, or undefined when it does not. */
type Read = <T>(answer: Promise<T>) => Promise<T | undefined>;

/** Money and stake are counted in these everywhere. */
const PAYMENT_DECIMALS = 6;
const STAKE_DECIMALS = 18;
/** Of whom no balance is needed. */
const ANYONE: Address = "0x000000000000000000000000000000000000bEEF";

/** Throws DeployError unless the configured chain answers. Nothing else is asked of another one. */
export async function requireChain(chain: PublicClient, chainId: number): Promise<void> {
  const found = await chain.getChainId().catch(() => undefined);
  if (found === chainId) return;
  const code = found === undefined ? "CHAIN_UNREACHABLE" : "CHAIN_WRONG";
  const answer = found === undefined ? "no answer of the RPC" : `an RPC of chain ${found}`;
  throw new DeployError([{ code, path: "chainId", found: answer, allowed: `it must serve chain ${chainId}` }]);
}

export async function examineChain(chain: PublicClient, configuration: Configuration): Promise<Problem[]> {
  const { paymentToken, stakeToken, priceFeed, sequencerFeed, vrfCoordinator } = configuration.external;
  const contracts = { paymentToken, stakeToken, priceFeed, sequencerFeed, vrfCoordinator };
  const { timestamp } = await chain.getBlock();
  const missing = new Set<string>();
  for (const [name, at] of Object.entries(contracts)) {
    if (at !== null && (await chain.getCode({ address: at })) === undefined) missing.add(name);
  }
  const problems = [...missing].map(
    (name): Problem => ({
      code: "CODE_MISSING",
      path: `external.${name}`,
      found: String(contracts[name as keyof typeof contracts]),
      allowed: "no contract is there; it must be deployed before",
    }),
  );
  const look = async (name: string, act: () => Promise<Problem[]>): Promise<void> => {
    if (!missing.has(name)) problems.push(...(await act()));
  };
  const request = { chain, configuration, timestamp };
  await look("paymentToken", () => examinePaymentToken(request));
  await look("stakeToken", () => examineStakeToken(request));
  await look("priceFeed", () => examinePriceFeed(request));
  await look("sequencerFeed", () => examineSequencerFeed(request));
  await look("vrfCoordinator", () => examineSubscription(request));
  return problems;
}

interface Request {
  readonly chain: PublicClient;
  readonly configuration: Configuration;
  /** Of the newest block, in seconds. */
  readonly timestamp: bigint;
}

async function examinePaymentToken({ chain, configuration }: Request): Promise<Problem[]> {
  const token = { abi: tokenAbi, address: configuration.external.paymentToken };
  const path = "external.paymentToken";
  const problems: Problem[] = [];
  const decimals = await read(chain.readContract({ ...token, functionName: "decimals" }));
  if (decimals !== PAYMENT_DECIMALS) {
    const allowed = `payments are counted in millionths of a dollar, so it must have ${PAYMENT_DECIMALS}`;
    problems.push({ code: "TOKEN_DECIMALS", path, found: said(decimals, "decimals"), allowed });
  }
  const nonce = await read(chain.readContract({ ...token, functionName: "nonces", args: [ANYONE] }));
  const domain = await read(chain.readContract({ ...token, functionName: "DOMAIN_SEPARATOR" }));
  if (nonce === undefined || domain === undefined) {
    const allowed = "it must have EIP-2612's permit: payers post in one transaction";
    problems.push({ code: "TOKEN_NO_PERMIT", path, found: "a token without nonces or DOMAIN_SEPARATOR", allowed });
  }
  return problems;
}

async function examineStakeToken({ chain, configuration }: Request): Promise<Problem[]> {
  const token = { abi: tokenAbi, address: configuration.external.stakeToken };
  const path = "external.stakeToken";
  const problems: Problem[] = [];
  const decimals = await read(chain.readContract({ ...token, functionName: "decimals" }));
  if (decimals !== STAKE_DECIMALS) {
    const allowed = `stake is counted in wei, so it must have ${STAKE_DECIMALS}`;
    problems.push({ code: "TOKEN_DECIMALS", path, found: said(decimals, "decimals"), allowed });
  }
  const burn = chain.simulateContract({ ...token, functionName: "burn", args: [0n], account: ANYONE });
  if ((await read(burn)) === undefined) {
    const allowed = "half of a slash is burned, so holders must be able to burn their own";
    problems.push({ code: "TOKEN_NO_BURN", path, found: "a token that refuses burn(0)", allowed });
  }
  return problems;
}

async function examinePriceFeed({ chain, configuration, timestamp }: Request): Promise<Problem[]> {
  const { external, price } = configuration;
  const feed = { abi: feedAbi, address: external.priceFeed };
  const path = "external.priceFeed";
  const problems: Problem[] = [];
  const decimals = await read(chain.readContract({ ...feed, functionName: "decimals" }));
  if (decimals !== external.priceFeedDecimals) {
    const allowed = `external.priceFeedDecimals says ${external.priceFeedDecimals}, and the bounds are in that unit`;
    problems.push({ code: "FEED_DECIMALS", path, found: said(decimals, "decimals"), allowed });
  }
  const round = await read(chain.readContract({ ...feed, functionName: "latestRoundData" }));
  const [roundId, answer, , updatedAt, answeredInRound] = round ?? [0n, 0n, 0n, 0n, 0n];
  const ageSeconds = timestamp - updatedAt;
  const isFinished = roundId !== 0n && answeredInRound >= roundId && updatedAt !== 0n && ageSeconds >= 0n;
  if (!isFinished || ageSeconds > BigInt(price.feedMaxAgeSeconds)) {
    const found = isFinished ? `an answer ${ageSeconds} s old` : "no finished answer";
    const allowed = `it must be at most price.feedMaxAgeSeconds = ${price.feedMaxAgeSeconds} old`;
    problems.push({ code: "FEED_STALE", path, found, allowed });
  } else if (answer < price.minFeedAnswer || answer > price.maxFeedAnswer) {
    const allowed = `price.minFeedAnswer to price.maxFeedAnswer are ${price.minFeedAnswer} to ${price.maxFeedAnswer}`;
    problems.push({ code: "FEED_OUT_OF_BOUNDS", path, found: `the answer ${answer}`, allowed });
  }
  return problems;
}

async function examineSequencerFeed({ chain, configuration, timestamp }: Request): Promise<Problem[]> {
  const { sequencerFeed } = configuration.external;
  if (sequencerFeed === null) return [];
  const feed = { abi: feedAbi, address: sequencerFeed };
  const round = await read(chain.readContract({ ...feed, functionName: "latestRoundData" }));
  const [, down, startedAt] = round ?? [0n, 1n, 0n];
  const upSeconds = timestamp - startedAt;
  const grace = BigInt(configuration.price.sequencerGraceSeconds);
  if (down === 0n && startedAt !== 0n && upSeconds > grace) return [];
  const found = round === undefined ? "no answer" : down === 0n ? `up for ${upSeconds} s` : `the answer ${down}`;
  const allowed = `the sequencer must have been up for more than price.sequencerGraceSeconds = ${grace}`;
  return [{ code: "SEQUENCER_DOWN", path: "external.sequencerFeed", found, allowed }];
}

async function examineSubscription({ chain, configuration }: Request): Promise<Problem[]> {
  const coordinator = { abi: coordinatorAbi, address: configuration.external.vrfCoordinator };
  const { subscriptionId } = configuration.vrf;
  const args = [subscriptionId] as const;
  const subscription = await read(chain.readContract({ ...coordinator, functionName: "getSubscription", args }));
  if (subscription !== undefined) return [];
  const allowed = "it must exist: the coordinator at external.vrfCoordinator does not know it";
  return [{ code: "SUBSCRIPTION_UNKNOWN", path: "vrf.subscriptionId", found: String(subscriptionId), allowed }];
}

const read: Read = (answer) => answer.catch(() => undefined);

function said(value: number | undefined, what: string): string {
  return value === undefined ? `no answer to ${what}()` : `${value} ${what}`;
}
