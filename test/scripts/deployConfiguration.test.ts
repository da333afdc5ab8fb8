/** What a deployment's configuration may say: every mistake is told, with a code, its path, what was found and why. */
import { describe, it } from "node:test";
import { expect } from "chai";
import { readConfiguration } from "../../scripts/deploy/configuration/readConfiguration.ts";
import { findDeployerKey } from "../../scripts/deploy/deployerKey.ts";
import { moduleParameters } from "../../scripts/deploy/moduleParameters.ts";
import { DeployError, type Problem } from "../../scripts/deploy/problem.ts";
import { developmentKey, draftOf, type Draft } from "./support/deployWorld.ts";

const DAY_S = 86_400;
/** Account #0 of the mnemonic that development chains ship, and its key. */
const developmentAccount = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
const ownKey = `0x${"42".repeat(32)}`;

function problemsOf(act: () => unknown): readonly Problem[] {
  try {
    act();
  } catch (error) {
    if (error instanceof DeployError) return error.problems;
    throw error;
  }
  return [];
}

const problems = async (change: (draft: Draft) => void): Promise<readonly Problem[]> => {
  const text = await draftOf(change);
  return problemsOf(() => readConfiguration(text));
};

/** `path` is of the example; what is put there must be refused with `code`, at that path unless `at` says another. */
interface Row {
  path: string;
  value: unknown;
  code: string;
  at?: string;
}

const rows: readonly Row[] = [
  { path: "chainId", value: "84532", code: "FIELD_TYPE" },
  { path: "chainId", value: 0, code: "FIELD_RANGE" },
  { path: "chainName", value: "Base Sepolia", code: "FIELD_RANGE" },
  { path: "rpcUrl", value: "ftp://rpc.example.org", code: "FIELD_RANGE" },
  { path: "isRollup", value: "yes", code: "FIELD_TYPE" },
  { path: "gasPriceWei", value: 100_000_000, code: "FIELD_TYPE" },
  { path: "stake", value: 14, code: "FIELD_TYPE" },
  { path: "roles.admin", value: undefined, code: "FIELD_MISSING" },
  { path: "roles.owner", value: developmentAccount, code: "FIELD_UNKNOWN" },
  { path: "external.paymentToken", value: `0x${"0".repeat(40)}`, code: "FIELD_ADDRESS" },
  { path: "external.stakeToken", value: "0xF39Fd6e51aad88F6F4ce6aB8827279cffFb92266", code: "FIELD_ADDRESS" },
  { path: "vrf.keyHash", value: "0x20", code: "FIELD_TYPE" },
  { path: "vrf.subscriptionId", value: "-1", code: "FIELD_TYPE" },
  { path: "vrf.callbackGasLimit", value: 21_000, code: "FIELD_RANGE" },
  { path: "payment.feeBps", value: 501, code: "FIELD_RANGE" },
  { path: "payment.withdrawalThawSeconds", value: 15 * DAY_S, code: "FIELD_RANGE" },
  { path: "nodeClasses.cpu.minimumPowerCu", value: 0, code: "FIELD_RANGE" },
  { path: "deployerKey", value: {}, code: "KEY_MISSING" },
  { path: "deployerKey", value: { file: "key", environmentVariable: "KEY" }, code: "KEY_MISSING" },
  { path: "external.sequencerFeed", value: null, code: "SEQUENCER_FEED_MISSING" },
  { path: "stake.disputeWindowSeconds", value: 7 * DAY_S, code: "WINDOW_MISFIT", at: "stake.thawPeriodSeconds" },
  { path: "faults.disputeStageSeconds", value: 2 * DAY_S, code: "WINDOW_MISFIT", at: "stake.thawPeriodSeconds" },
  { path: "faults.replyWindowSeconds", value: 1_801, code: "WINDOW_MISFIT", at: "faults.availabilityEpochSeconds" },
  { path: "faults.reportWindowSeconds", value: 15 * DAY_S, code: "WINDOW_MISFIT" },
  { path: "faults.faultAppealSeconds", value: 3 * DAY_S, code: "WINDOW_MISFIT" },
  { path: "selection.challengeSeconds", value: 3_600, code: "WINDOW_MISFIT" },
  { path: "selection.keeperExitSeconds", value: 1_199, code: "WINDOW_MISFIT" },
  { path: "roles.adminDelaySeconds", value: 14 * DAY_S, code: "WINDOW_MISFIT" },
  { path: "payment.settleWindowSeconds", value: 60, code: "WINDOW_MISFIT" },
  { path: "price.priceUsd6PerGcums", value: "999", code: "AMOUNT_MISFIT" },
  { path: "price.maxFeedAnswer", value: "9999", code: "AMOUNT_MISFIT" },
  { path: "price.minFeedAnswer", value: "1", code: "AMOUNT_MISFIT" },
  { path: "price.maxFeedAnswer", value: `1${"0".repeat(21)}`, code: "AMOUNT_MISFIT" },
  { path: "selection.postBondWei", value: "100000000000000000001", code: "AMOUNT_MISFIT" },
  { path: "faults.quorum", value: 6, code: "AMOUNT_MISFIT" },
  { path: "faults.judgeFeeWei", value: "1000000000000001", code: "AMOUNT_MISFIT", at: "faults.disputeBondWei" },
  { path: "roles.keeper", value: developmentAccount, code: "ROLE_UNSAFE" },
  { path: "roles.auditor", value: developmentAccount, code: "ROLE_UNSAFE" },
  { path: "roles.unpauser", value: "0x3000000000000000000000000000000000000005", code: "ROLES_ONE_ACCOUNT" },
];

function put(draft: Draft, path: string, value: unknown): void {
  const names = path.split(".");
  const last = names.pop() ?? "";
  const holder = names.reduce<Record<string, unknown>>((at, name) => at[name] as Record<string, unknown>, draft);
  if (value === undefined) delete holder[last];
  else holder[last] = value;
}

const roleNames = ["admin", "policy", "appeal", "keeper", "pauser", "unpauser", "guardian", "treasury"];
const onlyOne = (draft: Draft): void => {
  for (const name of roleNames) draft.roles[name] = "0x3000000000000000000000000000000000000001";
};

describe("A deployment's configuration", () => {
  it("is right as the example has it, with every amount as an integer", async () => {
    const configuration = readConfiguration(await draftOf());
    expect(configuration.stake.minimumBucketWei).to.equal(1_000n * 10n ** 18n);
    expect(configuration.roles.allowSingleOperator).to.equal(false);
  });

  it("may name no auditor, and then gives the module none", async () => {
    const text = await draftOf((draft) => put(draft, "roles.auditor", undefined));
    expect(moduleParameters(readConfiguration(text))).not.to.have.property("auditor");
    const named = moduleParameters(readConfiguration(await draftOf()));
    expect(named.auditor).to.equal("0x3000000000000000000000000000000000000004");
  });

  for (const { path, value, code, at = path } of rows) {
    it(`is refused with ${code} when ${path} is ${JSON.stringify(value) ?? "missing"}`, async () => {
      const found = await problems((draft) => put(draft, path, value));
      expect(found.map((problem) => [problem.code, problem.path])).to.deep.include([code, at]);
      for (const problem of found) expect(problem.allowed).to.match(/\S/);
    });
  }

  it("tells every wrong field at once, and says what was there", async () => {
    const wrong = rows.filter(({ code }) => code.startsWith("FIELD_") && code !== "FIELD_UNKNOWN").slice(3);
    const found = await problems((draft) => wrong.forEach(({ path, value }) => put(draft, path, value)));
    const paths = found.map(({ path }) => path);
    expect(paths).to.include.members(["isRollup", "gasPriceWei", "stake", "roles.admin", "vrf.keyHash", "payment.feeBps"]);
    expect(found.find(({ path }) => path === "payment.feeBps")?.found).to.equal("501");
  });

  it("tells every misfit at once when each field is right by itself", async () => {
    const misfits = ["selection.challengeSeconds", "faults.quorum", "payment.settleWindowSeconds"];
    const found = await problems((draft) => {
      for (const { path, value } of rows.filter((row) => misfits.includes(row.path))) put(draft, path, value);
    });
    expect(found.map(({ path }) => path)).to.include.members(misfits);
  });

  it("needs more than one account for its roles, unless it says that one is meant", async () => {
    expect((await problems(onlyOne)).map(({ code }) => code)).to.include("ROLES_ONE_ACCOUNT");
    const meant = await problems((draft) => {
      onlyOne(draft);
      draft.roles.allowSingleOperator = true;
    });
    expect(meant).to.deep.equal([]);
  });

  it("is refused when it is no JSON", () => {
    const [found] = problemsOf(() => readConfiguration("chainId = 1"));
    expect(found?.code).to.equal("CONFIG_UNREADABLE");
  });
});

describe("The deployer's key", () => {
  const codes = async (key: string, change: (draft: Draft) => void = () => undefined): Promise<string[]> => {
    const configuration = readConfiguration(await draftOf(change));
    const found = problemsOf(() => findDeployerKey(configuration, { NGPU_DEPLOYER_KEY: key }));
    for (const { found: words, allowed } of found) expect(`${words} ${allowed}`).not.to.contain(key.slice(2, 20));
    return found.map(({ code }) => code);
  };

  it("is taken from the environment variable that the configuration names", async () => {
    const configuration = readConfiguration(await draftOf());
    expect(findDeployerKey(configuration, { NGPU_DEPLOYER_KEY: ownKey })?.privateKey).to.equal(ownKey);
    expect(findDeployerKey(configuration, { OTHER: ownKey })).to.equal(undefined);
  });

  it("may be a development key on the local chain and nowhere else", async () => {
    expect(await codes(developmentKey)).to.deep.equal(["KEY_UNSAFE"]);
    expect(await codes(developmentKey, (draft) => Object.assign(draft, { chainId: 31_337 }))).to.deep.equal([]);
  });

  it("is refused, and never shown, when it is no key", async () => {
    expect(await codes(`${ownKey}42`)).to.deep.equal(["KEY_MALFORMED"]);
    expect(await codes(`0x${"f".repeat(64)}`)).to.deep.equal(["KEY_MALFORMED"]);
  });

  it("may not be of an account that is to hold a role", async () => {
    const configuration = readConfiguration(await draftOf());
    const { account } = findDeployerKey(configuration, { NGPU_DEPLOYER_KEY: ownKey }) ?? {};
    expect(await codes(ownKey, (draft) => put(draft, "roles.admin", account?.address))).to.deep.equal([
      "ROLE_UNSAFE",
    ]);
  });
});
