/**
 * What fields of a configuration must be to each other: the rules by which constructors refuse, told before a single
 * transaction, and those that no constructor can know. Pure.
 */
import { isAddressEqual } from "viem";
import type { Problem, ProblemCode } from "../problem.ts";
import { namedAccounts, roleAccounts, type Configuration } from "./configuration.ts";
import { isDevelopmentAccount, localChainId } from "./developmentAccounts.ts";

interface Rule {
  readonly holds: boolean;
  readonly code: ProblemCode;
  readonly path: string;
  readonly found: string | number | bigint;
  readonly allowed: string;
}

const WEI_PER_USD6_AT_ONE_USD = 10n ** 12n;
const TWO_DAYS_S = 2 * 86_400;

export function relationProblems(configuration: Configuration): Problem[] {
  return [
    ...timeRules(configuration),
    ...amountRules(configuration),
    ...keyRules(configuration),
    ...roleRules(configuration),
  ]
    .filter(({ holds }) => !holds)
    .map(({ code, path, found, allowed }) => ({ code, path, found: String(found), allowed }));
}

function ruleOf(code: ProblemCode) {
  return (path: string, found: Rule["found"], holds: boolean, allowed: string): Rule => ({ holds, code, path, found, allowed });
}

function timeRules({ chainId, roles, stake, payment, selection, faults }: Configuration): Rule[] {
  const thaw = stake.thawPeriodSeconds;
  const locked = 2 * stake.disputeWindowSeconds + stake.appealWindowSeconds;
  const longestDispute =
    faults.disputeOpenSeconds + 5 * faults.disputeStageSeconds + faults.faultAppealSeconds + faults.arbitrationSeconds;
  const longestExit = Math.max(thaw, selection.keeperExitSeconds, payment.withdrawalThawSeconds);
  const window = ruleOf("WINDOW_MISFIT");
  return [
    window(
      "stake.thawPeriodSeconds",
      thaw,
      locked <= thaw,
      `it must be at least 2 × stake.disputeWindowSeconds + stake.appealWindowSeconds = ${locked}`,
    ),
    window(
      "stake.thawPeriodSeconds",
      thaw,
      longestDispute <= thaw,
      "it must be at least the longest dispute, faults.disputeOpenSeconds + 5 × faults.disputeStageSeconds + " +
        `faults.faultAppealSeconds + faults.arbitrationSeconds = ${longestDispute}`,
    ),
    window(
      "faults.availabilityEpochSeconds",
      faults.availabilityEpochSeconds,
      faults.availabilityEpochSeconds >= 2 * faults.replyWindowSeconds,
      `it must be at least 2 × faults.replyWindowSeconds = ${2 * faults.replyWindowSeconds}`,
    ),
    window(
      "faults.replyWindowSeconds",
      faults.replyWindowSeconds,
      2 * faults.replyWindowSeconds <= thaw,
      `twice of it must fit stake.thawPeriodSeconds = ${thaw}`,
    ),
    window(
      "faults.reportWindowSeconds",
      faults.reportWindowSeconds,
      faults.reportWindowSeconds <= thaw,
      `it must fit stake.thawPeriodSeconds = ${thaw}`,
    ),
    window(
      "faults.faultAppealSeconds",
      faults.faultAppealSeconds,
      faults.faultAppealSeconds <= stake.appealWindowSeconds,
      `a slash is held for stake.appealWindowSeconds = ${stake.appealWindowSeconds}: no appeal may come later`,
    ),
    window(
      "selection.challengeSeconds",
      selection.challengeSeconds,
      selection.challengeSeconds < selection.openSeconds,
      `it must be less than selection.openSeconds = ${selection.openSeconds}`,
    ),
    window(
      "selection.keeperExitSeconds",
      selection.keeperExitSeconds,
      selection.keeperExitSeconds >= 2 * selection.challengeSeconds,
      `it must be at least 2 × selection.challengeSeconds = ${2 * selection.challengeSeconds}`,
    ),
    window(
      "roles.adminDelaySeconds",
      roles.adminDelaySeconds,
      roles.adminDelaySeconds > longestExit,
      "it must be longer than every way out (stake.thawPeriodSeconds, selection.keeperExitSeconds, " +
        `payment.withdrawalThawSeconds), so more than ${longestExit}`,
    ),
    window(
      "payment.settleWindowSeconds",
      payment.settleWindowSeconds,
      chainId === localChainId || payment.settleWindowSeconds >= TWO_DAYS_S,
      `on a public chain it must be at least ${TWO_DAYS_S}, so that an outage is survived`,
    ),
  ];
}

function amountRules({ external, price, selection, faults }: Configuration): Rule[] {
  const rateAt = (answer: bigint): bigint =>
    (WEI_PER_USD6_AT_ONE_USD * 10n ** BigInt(external.priceFeedDecimals)) / answer;
  const bond = 2n * BigInt(faults.committeeSize) * faults.judgeFeeWei;
  const amount = ruleOf("AMOUNT_MISFIT");
  return [
    amount(
      "price.priceUsd6PerGcums",
      price.priceUsd6PerGcums,
      price.priceUsd6PerGcums >= price.minPriceUsd6PerGcums && price.priceUsd6PerGcums <= price.maxPriceUsd6PerGcums,
      "it must lie from price.minPriceUsd6PerGcums to price.maxPriceUsd6PerGcums, " +
        `${price.minPriceUsd6PerGcums} to ${price.maxPriceUsd6PerGcums}`,
    ),
    amount(
      "price.maxFeedAnswer",
      price.maxFeedAnswer,
      price.maxFeedAnswer >= price.minFeedAnswer,
      `it must be at least price.minFeedAnswer = ${price.minFeedAnswer}`,
    ),
    amount(
      "price.minFeedAnswer",
      price.minFeedAnswer,
      price.minFeedAnswer === 0n || rateAt(price.minFeedAnswer) < 2n ** 64n,
      "so cheap a stake token gives a rate that no 64 bits hold; raise it",
    ),
    amount(
      "price.maxFeedAnswer",
      price.maxFeedAnswer,
      price.maxFeedAnswer === 0n || rateAt(price.maxFeedAnswer) > 0n,
      "so dear a stake token gives a rate of zero; lower it",
    ),
    amount(
      "selection.postBondWei",
      selection.postBondWei,
      selection.postBondWei <= selection.keeperBondWei,
      `it must be at most selection.keeperBondWei = ${selection.keeperBondWei}`,
    ),
    amount(
      "faults.quorum",
      faults.quorum,
      faults.quorum <= faults.committeeSize,
      `it must be at most faults.committeeSize = ${faults.committeeSize}`,
    ),
    amount(
      "faults.disputeBondWei",
      faults.disputeBondWei,
      faults.disputeBondWei >= bond,
      `it must be at least 2 × faults.committeeSize × faults.judgeFeeWei = ${bond}`,
    ),
  ];
}

function keyRules({ deployerKey, isRollup, external }: Configuration): Rule[] {
  const sources = [deployerKey.file, deployerKey.environmentVariable].filter((source) => source !== undefined);
  return [
    {
      holds: sources.length === 1,
      code: "KEY_MISSING",
      path: "deployerKey",
      found: sources.length === 0 ? "neither" : "both",
      allowed: "exactly one of file and environmentVariable must say where the key is",
    },
    {
      holds: !isRollup || external.sequencerFeed !== null,
      code: "SEQUENCER_FEED_MISSING",
      path: "external.sequencerFeed",
      found: "null",
      allowed: "on a rollup it must be the uptime feed of its sequencer",
    },
  ];
}

function roleRules({ chainId, roles }: Configuration): Rule[] {
  const accounts = roleAccounts.map((name) => roles[name]);
  const [first] = accounts;
  const isOne = first !== undefined && accounts.every((account) => isAddressEqual(account, first));
  return [
    {
      holds: roles.allowSingleOperator || !isOne,
      code: "ROLES_ONE_ACCOUNT",
      path: "roles",
      found: `${String(first)} for every role`,
      allowed: "who may stop, judge and administer must not be one account, or set allowSingleOperator to true",
    },
    {
      holds: roles.allowSingleOperator || !isAddressEqual(roles.pauser, roles.unpauser),
      code: "ROLES_ONE_ACCOUNT",
      path: "roles.unpauser",
      found: roles.unpauser,
      allowed: "who stops quotes must not be who lets them go on, or set allowSingleOperator to true",
    },
    ...namedAccounts(roles).map(
      ([name, account]): Rule => ({
        holds: chainId === localChainId || !isDevelopmentAccount(account),
        code: "ROLE_UNSAFE",
        path: `roles.${name}`,
        found: account,
        allowed: `its key is publicly known: on a chain other than ${localChainId} anyone could act with it`,
      }),
    ),
  ];
}
