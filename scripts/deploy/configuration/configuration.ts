/**
 * A deployment's configuration: every parameter of ignition/modules/Ngpu.ts with its unit in its name, the contracts
 * that exist already, who holds which role, and how the deployment itself is done. Bounds are those of constructors.
 */
import { address, boolean, bytes32, integer, nullable, object, optional, orElse, text, whole } from "./fields.ts";
import type { ValueOf } from "./fields.ts";
import type { Address } from "viem";

const DAY_S = 86_400;
const seconds = (minimum: number, maximum: number) => integer({ minimum, maximum });
const wei = (minimum: bigint, bits: number) => whole({ minimum, maximum: 2n ** BigInt(bits) - 1n });
const uint64 = () => wei(1n, 64);
const file = () => text({ pattern: /\S/, meaning: "the path of a file or folder" });
const url = () => text({ pattern: /^https?:\/\/\S+$/, meaning: "an http or https address" });
const variable = () => text({ pattern: /^[A-Z][A-Z0-9_]*$/, meaning: "the name of an environment variable" });
const nodeClass = () =>
  object({ minimumPowerCu: integer({ minimum: 1, maximum: 2 ** 32 - 1 }), minimumStakeWei: wei(1n, 128) });

export const configurationField = object({
  chainId: integer({ minimum: 1, maximum: 2 ** 48 }),
  /** As The Graph calls the network. */
  chainName: text({ pattern: /^[a-z][a-z0-9-]{1,40}$/, meaning: "lower-case words with hyphens, as base-sepolia" }),
  /** On a rollup prices count only while its sequencer is up, which a feed must say. */
  isRollup: boolean(),
  rpcUrl: url(),
  confirmations: integer({ minimum: 1, maximum: 200 }),
  pollIntervalMs: integer({ minimum: 10, maximum: 60_000 }),
  /** For the estimate of what the deployment costs; what is paid is the chain's own price. */
  gasPriceWei: wei(1n, 64),
  /** Ignition's journal is below it, in deployments/chain-<chainId>: keep it until the deployment is recorded. */
  journalFolder: file(),
  /** The record <chainId>.json goes here; `npm run generate` reads those of `deployments`. */
  recordFolder: file(),
  /** One of the two; the key itself is in neither this file nor the command line. */
  deployerKey: object({ file: optional(file()), environmentVariable: optional(variable()) }),
  /** Where sources are verified; null: nowhere. */
  explorer: nullable(
    object({
      kind: text({ pattern: /^(blockscout|etherscan)$/, meaning: "blockscout or etherscan" }),
      url: url(),
      apiUrl: url(),
      apiKeyEnvironmentVariable: optional(variable()),
    }),
  ),
  external: object({
    paymentToken: address(),
    stakeToken: address(),
    priceFeed: address(),
    priceFeedDecimals: integer({ minimum: 0, maximum: 18 }),
    sequencerFeed: nullable(address()),
    vrfCoordinator: address(),
  }),
  vrf: object({
    keyHash: bytes32(),
    subscriptionId: wei(1n, 256),
    requestConfirmations: integer({ minimum: 1, maximum: 200 }),
    callbackGasLimit: integer({ minimum: 60_000, maximum: 2_500_000 }),
    nativePayment: boolean(),
  }),
  roles: object({
    admin: address(),
    adminDelaySeconds: seconds(0, 2 ** 32 - 1),
    policy: address(),
    policyDelaySeconds: seconds(0, 2 ** 32 - 1),
    appeal: address(),
    keeper: address(),
    pauser: address(),
    unpauser: address(),
    guardian: address(),
    /** The keeper that posts canaries and sets qualities; left out, nobody does. */
    auditor: optional(address()),
    treasury: address(),
    /** Lets one account hold every role: for a trial of which nobody else depends. */
    allowSingleOperator: orElse(boolean(), false),
  }),
  price: object({
    priceUsd6PerGcums: uint64(),
    minPriceUsd6PerGcums: uint64(),
    maxPriceUsd6PerGcums: uint64(),
    /** In the feed's own unit: USD per stake token × 10^priceFeedDecimals. */
    minFeedAnswer: wei(1n, 127),
    maxFeedAnswer: wei(1n, 127),
    feedMaxAgeSeconds: seconds(1, 7 * DAY_S),
    lastGoodSeconds: seconds(0, 30 * DAY_S),
    sequencerGraceSeconds: seconds(0, DAY_S),
  }),
  payment: object({
    withdrawalThawSeconds: seconds(60, 14 * DAY_S),
    feeBps: integer({ minimum: 0, maximum: 500 }),
    settleWindowSeconds: seconds(60, 7 * DAY_S),
  }),
  /** Outputs that payers demand: for how long, for how long keepers may attest, how many must, and the least bet. */
  demands: object({
    payerWindowSeconds: seconds(10, 7 * DAY_S),
    answerWindowSeconds: seconds(10, DAY_S),
    demandQuorum: integer({ minimum: 1, maximum: 8 }),
    minimumDemandBondUsd6: uint64(),
  }),
  stake: object({
    thawPeriodSeconds: seconds(60, 28 * DAY_S),
    disputeWindowSeconds: seconds(1, 28 * DAY_S),
    appealWindowSeconds: seconds(1, 28 * DAY_S),
    minimumBucketWei: wei(1n, 128),
  }),
  nodeClasses: object({ cpu: nodeClass(), gpu: nodeClass(), datacenterGpu: nodeClass() }),
  selection: object({
    openSeconds: seconds(1, 7 * DAY_S),
    updateSeconds: seconds(1, DAY_S),
    seedTimeoutSeconds: seconds(1, DAY_S),
    challengeSeconds: seconds(1, 7 * DAY_S),
    keeperExitSeconds: seconds(2, 28 * DAY_S),
    keeperBondWei: wei(100n, 96),
    postBondWei: wei(2n, 96),
    maxStakeWei: wei(1n, 128),
    scoreFreshnessSeconds: seconds(1, 365 * DAY_S),
    ripeningSeconds: seconds(1, 365 * DAY_S),
  }),
  faults: object({
    availabilityEpochSeconds: seconds(2, 28 * DAY_S),
    replyWindowSeconds: seconds(1, 14 * DAY_S),
    reportWindowSeconds: seconds(1, 28 * DAY_S),
    decaySeconds: seconds(1, 365 * DAY_S),
    banSeconds: seconds(1, 365 * DAY_S),
    livenessBondWei: wei(1n, 96),
    faultAppealSeconds: seconds(1, 28 * DAY_S),
    disputeOpenSeconds: seconds(1, 28 * DAY_S),
    disputeStageSeconds: seconds(1, 28 * DAY_S),
    arbitrationSeconds: seconds(1, 28 * DAY_S),
    committeeSize: integer({ minimum: 1, maximum: 15 }),
    quorum: integer({ minimum: 1, maximum: 15 }),
    sampleBps: integer({ minimum: 0, maximum: 10_000 }),
    judgeFeeWei: wei(1n, 96),
    disputeBondWei: wei(1n, 96),
    minimumSlashableWei: wei(1n, 128),
  }),
});

export type Configuration = ValueOf<typeof configurationField>;

/** The accounts of `roles`, by what they hold. */
export const roleAccounts = [
  "admin",
  "policy",
  "appeal",
  "keeper",
  "pauser",
  "unpauser",
  "guardian",
  "treasury",
] as const satisfies readonly (keyof Configuration["roles"])[];

/** Whoever is named in `roles`, an auditor where there is one. */
export function namedAccounts(roles: Configuration["roles"]): (readonly [name: string, account: Address])[] {
  const { auditor } = roles;
  const named = roleAccounts.map((name) => [name, roles[name]] as const);
  return auditor === undefined ? named : [...named, ["auditor", auditor]];
}
