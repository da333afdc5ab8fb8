/** What an auditor makes of canaries: when they are posted, what counts as right, and what they do to a node's quality. */
import { openAuditLog } from "@ngpu/keeper/audits/auditLog";
import { ageQuality } from "@ngpu/keeper/audits/ageQuality";
import { readCanaries } from "@ngpu/keeper/audits/canarySet";
import { readAuditSettings } from "@ngpu/keeper/audits/auditSettings";
import { evidenceOf } from "@ngpu/keeper/audits/evidence";
import { judgeCanaries, judging, type CanaryResult } from "@ngpu/keeper/audits/judgeCanaries";
import { judgeDrill, type DrillStep } from "@ngpu/keeper/audits/judgeDrill";
import { planAudit, type AuditRules, type Candidate } from "@ngpu/keeper/audits/planAudit";
import { sameResult } from "@ngpu/keeper/audits/sameResult";
import { catalogue } from "@ngpu/protocol/catalogue";
import { codeOf } from "@ngpu/protocol/errors";
import { deployments } from "@ngpu/protocol/generated/deployments";
import { nodeWeight } from "@ngpu/protocol/selection/nodeWeight";
import { systemClock } from "@ngpu/protocol/service/clock";
import type { TaskLog } from "@ngpu/protocol/taskLogs";
import { expect } from "chai";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { createPublicClient, custom, keccak256, stringToBytes, zeroAddress, type Hex } from "viem";
import { testLog } from "../harness/services.ts";
import { codeThrownBy } from "../harness/codeThrownBy.ts";

const honestCums = 1_000_000n;
let tasks = 0;

function aResult(nodeId: number, change: Partial<CanaryResult> = {}): CanaryResult {
  tasks += 1;
  return { taskId: keccak256(stringToBytes(`${tasks}`)), nodeId, size: "text", isRight: true, billedCums: honestCums, ...change };
}

/** Each of the nodes, so many times. */
function results(nodeIds: number[], times: number, change: Partial<CanaryResult> = {}): CanaryResult[] {
  return Array.from({ length: times }, () => nodeIds.map((nodeId) => aResult(nodeId, change))).flat();
}

const qualityOf = (history: CanaryResult[], nodeId: number, ageBps = 10_000): number =>
  judgeCanaries({ history, nodeId, ageBps }).qualityBps;

describe("judgement of canaries", () => {
  const others = results([1, 2, 3, 4], 3);

  it("leaves a node whose results are right and whose bills are usual what its age has earned", () => {
    expect(qualityOf([...others, ...results([5], 3)], 5)).to.equal(10_000);
    expect(qualityOf([...others, ...results([5], 3)], 5, 2_500)).to.equal(2_500);
    expect(qualityOf([...others, ...results([5], 3, { billedCums: honestCums / 2n })], 5), "less is no merit").to.equal(10_000);
  });

  it("takes a quarter for each wrong result, and gives a twentieth back for each right one, up to full", () => {
    const history = [...others, aResult(5, { isRight: false })];
    expect(qualityOf(history, 5)).to.equal(7_500);
    const steps = Array.from({ length: 6 }, () => {
      history.push(aResult(5));
      return qualityOf(history, 5);
    });
    expect(steps).to.deep.equal([8_000, 8_500, 9_000, 9_500, 10_000, 10_000]);
    expect(qualityOf([...others, ...results([5], 9, { isRight: false })], 5), "never below nothing").to.equal(0);
    const hopeless = [...others, ...results([5], 9, { isRight: false }), aResult(5)];
    expect(qualityOf(hopeless, 5), "nine wrong ones weigh as four").to.equal(500);
  });

  it("lets a node that bills 1.25 times the honest work earn less per unit of time than an honest one, young or old", () => {
    const cheat = results([5], 5, { billedCums: (honestCums * 5n) / 4n });
    for (const ageBps of [2_500, 5_000, 10_000]) {
      const history = [...others, ...cheat];
      const stakeWei = 1_000n * 10n ** 18n;
      /** A node is drawn in proportion to its weight and paid what it bills. */
      const incomeOf = (nodeId: number, billedCums: bigint): bigint =>
        BigInt(nodeWeight({ stakeWei, powerCu: 1_000, qualityBps: qualityOf(history, nodeId, ageBps) })) * billedCums;
      const [honest, cheating] = [incomeOf(1, honestCums), incomeOf(5, (honestCums * 5n) / 4n)];
      expect(Number(cheating) / Number(honest), `at ${ageBps}`).to.be.closeTo(0.8, 0.005);
    }
  });

  it("makes every rate of overbilling lose, and ends the loss a few honest bills later", () => {
    for (const permille of [1_010n, 1_100n, 1_250n, 2_000n, 10_000n]) {
      const billedCums = (honestCums * permille) / 1_000n;
      const income = BigInt(qualityOf([...others, ...results([5], 5, { billedCums })], 5)) * permille;
      expect(Number(income), `${permille} ‰`).to.be.lessThan(10_000 * 1_000);
    }
    const history = [...others, ...results([5], 5, { billedCums: honestCums * 2n })];
    expect(qualityOf(history, 5)).to.equal(2_500);
    expect(qualityOf([...history, ...results([5], judging.recent)], 5)).to.equal(10_000);
  });

  it("compares bills with tasks of the same model and size alone, and only where three others were paid for some", () => {
    const twice = { billedCums: honestCums * 2n };
    expect(qualityOf([...others, ...results([5], 5, { ...twice, size: "faces" })], 5)).to.equal(10_000);
    expect(qualityOf([...results([1, 5], 5), ...results([5], 5, twice)], 5), "two nodes").to.equal(10_000);
    const two = [...results([1, 2], 3), ...results([5], 5, twice)];
    expect(qualityOf(two, 5), "itself is no third").to.equal(10_000);
    expect(qualityOf([...two, ...results([3], 1)], 5)).to.equal(10_000 / 4);
  });

  it("does not let one node outvote the others by many bills, nor by results that are wrong", () => {
    const many = results([5], 100, { billedCums: honestCums * 2n });
    expect(qualityOf([...others, ...many], 5)).to.equal(2_500);
    const atCap = results([5], 5, { billedCums: (honestCums * 5n) / 4n });
    expect(qualityOf([...results([1, 2, 3], 1), ...atCap], 5), "five of its own against three").to.equal(6_400);
    const wrong = results([6, 7, 8, 9], 5, { billedCums: honestCums * 2n, isRight: false });
    expect(qualityOf([...others, ...wrong, ...many], 5)).to.equal(2_500);
  });

  it("takes a failed drill as a wrong result and a served one as a right one, and no bill from one that failed", () => {
    const failed = aResult(5, { isRight: false, billedCums: 0n, drill: "failed" });
    expect(qualityOf([...others, failed], 5)).to.equal(7_500);
    expect(qualityOf([...others, failed, aResult(5, { drill: "served" })], 5)).to.equal(8_000);
    expect(qualityOf([...others, failed, failed, failed, failed], 5)).to.equal(0);
    // Nothing billed by a drill that failed must make up for what was billed too much elsewhere.
    const dear = results([5], 5, { billedCums: honestCums * 2n });
    expect(qualityOf([...others, ...dear, failed], 5)).to.equal(Math.floor(7_500 / 4));
  });

  it("judges the bills of a primary and of a tried backup apart, so that no part of a node is honest for the other", () => {
    const twice = { billedCums: honestCums * 2n };
    const served = { drill: "served" as const };
    expect(qualityOf([...others, ...results([5], 5, twice), ...results([5], 5, served)], 5)).to.equal(2_500);
    expect(qualityOf([...others, ...results([5], 5), ...results([5], 5, { ...twice, ...served })], 5)).to.equal(2_500);
  });

  it("names its evidence by the hash of a document that holds what was judged and nothing of the canaries", () => {
    const history = [...others, aResult(5, { isRight: false })];
    const judgement = judgeCanaries({ history, nodeId: 5, ageBps: 10_000 });
    const request = { chainId: 31_337, scoreBoard: zeroAddress, nodeId: 5, ageBps: 10_000, judgement, history, judgedAtS: 7 };
    const { cause, text } = evidenceOf(request);
    expect(cause).to.equal(keccak256(stringToBytes(text)));
    const document = JSON.parse(text) as { format: string; qualityBps: number; results: object[]; comparedWith: object[] };
    expect(document).to.include({ format: "ngpu.audit/1", qualityBps: 7_500, penaltyBps: 2_500, billingBps: 10_000 });
    expect([document.results.length, document.comparedWith.length]).to.deep.equal([1, 12]);
  });

  it("knows what age has earned as the contract does", () => {
    const at = (days: number): number => ageQuality({ registeredAtS: 1_000, nowS: 1_000 + days * 86_400, ripeningS: 7 * 86_400 });
    expect([0, 6, 7, 14, 20, 21, 400].map(at)).to.deep.equal([2_500, 2_500, 5_000, 7_500, 7_500, 10_000, 10_000]);
  });
});

describe("plan of audits", () => {
  const seed: Hex = keccak256("0x5eed");
  const rules: AuditRules = { perDay: 24, budgetUsd6: 1_000n, mostUses: 3, drillPercent: 50 };
  const candidates: Candidate[] = ["a", "b", "c"].map((id) => ({ id, mostUsd6: 100n, uses: 0, workCums: 10n }));
  const day = 20_000;

  /** Everything that is posted on that day, looked at every five minutes. */
  function aDay(change: { seed?: Hex; rules?: Partial<AuditRules>; cost?: bigint; of?: Candidate[]; traffic?: bigint[] } = {}) {
    const used = new Map<string, bigint>();
    const posted: { slot: string; canaryId: string; isDrill: boolean; atS: number }[] = [];
    for (let nowS = day * 86_400; nowS < (day + 1) * 86_400; nowS += 300) {
      const due = planAudit({ nowS, seed: change.seed ?? seed, rules: { ...rules, ...change.rules }, candidates: change.of ?? candidates, used, traffic: change.traffic ?? [] });
      if (due === undefined) continue;
      used.set(due.slot, change.cost ?? 10n);
      posted.push({ ...due, atS: nowS });
    }
    return posted;
  }

  it("posts so many a day at times that only the seed knows, and the same again after a restart", () => {
    const posted = aDay();
    expect(posted.length).to.equal(24);
    expect(new Set(posted.map(({ atS }) => Math.floor(atS / 3_600))).size, "spread over the day").to.be.greaterThan(10);
    expect(new Set(posted.map(({ canaryId }) => canaryId)).size).to.equal(3);
    expect(aDay()).to.deep.equal(posted);
    expect(aDay({ seed: keccak256("0x07") }).map(({ atS }) => atS)).not.to.deep.equal(posted.map(({ atS }) => atS));
  });

  it("makes drills of a share of them, which the seed alone knows", () => {
    const drills = (drillPercent: number, of = seed) =>
      aDay({ seed: of, rules: { perDay: 96, drillPercent } }).map(({ isDrill }) => isDrill);
    expect(drills(0)).not.to.include(true);
    expect(drills(100)).not.to.include(false);
    expect(drills(50).filter(Boolean).length).to.be.within(32, 64);
    expect(drills(50)).to.deep.equal(drills(50));
    expect(drills(50)).not.to.deep.equal(drills(50, keccak256("0x07")));
  });

  it("spends no more than its budget of the day, counting what still may be billed", () => {
    expect(aDay({ cost: 100n }).length).to.equal(10);
    expect(aDay({ cost: 0n, rules: { budgetUsd6: 99n } }).length).to.equal(0);
  });

  it("attack at-cap: takes sizes from the tasks of the network, the largest included, so that no size is overbilled unseen", () => {
    const of = [10n, 100n, 1_000n].map((workCums) => ({ id: `${workCums}`, mostUsd6: 1n, uses: 0, workCums }));
    const countsOf = (traffic: bigint[], most = of): Record<string, number> => {
      const posted = aDay({ of: most, traffic, cost: 0n, rules: { perDay: 96 } });
      const count = (id: string): number => posted.filter(({ canaryId }) => canaryId === id).length;
      return { "10": count("10"), "100": count("100"), "1000": count("1000") };
    };
    expect(countsOf([7n]), "the next larger size").to.include({ "100": 0, "1000": 0 });
    expect(countsOf([11n])).to.include({ "10": 0, "1000": 0 });
    expect(countsOf([5_000n]), "the largest there is").to.include({ "10": 0, "100": 0 });
    const mixed = countsOf([...Array.from({ length: 9 }, () => 10n), 1_000n]);
    expect(mixed["10"]).to.be.greaterThan(mixed["1000"] ?? 0);
    expect(mixed["1000"]).to.be.greaterThan(0);
    expect(mixed["100"]).to.equal(0);
    const dear = of.map((candidate) => (candidate.workCums === 1_000n ? { ...candidate, mostUsd6: 10n ** 9n } : candidate));
    expect(countsOf([1_000n], dear), "what the budget pays for").to.include({ "10": 0, "1000": 0 });
  });

  it("uses up no canary, and makes up for no time that it was away", () => {
    expect(aDay({ of: [{ id: "a", mostUsd6: 1n, uses: 3, workCums: 10n }] })).to.deep.equal([]);
    const at = (nowS: number) => planAudit({ nowS, seed, rules: { ...rules, perDay: 1 }, candidates, used: new Map(), traffic: [] });
    const [only] = aDay({ rules: { perDay: 1 } });
    expect(at((only?.atS ?? 0) + 590)?.slot).to.equal(only?.slot);
    expect(at((only?.atS ?? 0) + 900)).to.equal(undefined);
  });
});

describe("verdict of a drill", () => {
  const steps = (...attempts: number[]): DrillStep[] =>
    attempts.map((attempt) => ({ nodeId: attempt === 1 ? 2 : 1, assignment: 1, attempt }));
  const log = (eventName: string, args: object): TaskLog => ({ eventName, args }) as unknown as TaskLog;
  const settled = (nodeId: number, attempt: number) => log("TaskSettled", { nodeId, assignment: 1, attempt });
  const failed = (nodeId: number, assignment = 1) => log("TaskAttemptFailed", { nodeId, assignment, attempt: 1 });
  const refunded = log("TaskRefunded", {});

  const table: [title: string, steps: DrillStep[], logs: TaskLog[], hasServed: boolean | undefined][] = [
    ["served: the backup has the bill", steps(1), [settled(2, 1)], true],
    ["failed: it signed so, and the first seat has the bill", steps(1, 2), [failed(2), settled(1, 2)], false],
    ["failed: it signed so, and nobody has one", steps(1), [failed(2), failed(1), refunded], false],
    ["failed: this keeper gave it up, and the next seat has the bill", steps(1, 2), [settled(1, 2)], false],
    ["none: the first seat was faster, whatever the backup signed", steps(1), [failed(2), settled(1, 0)], undefined],
    ["none: a later attempt that this keeper did not begin", steps(1), [settled(1, 2)], undefined],
    ["none: the backup was not tried", steps(0), [settled(1, 0)], undefined],
    ["none: it was not tried, though it signed a failure", [], [failed(2), settled(1, 0)], undefined],
    ["none: it failed under another assignment", steps(1), [failed(2, 2), refunded], undefined],
    ["none: a task that expired, whose silence costs stake", steps(1, 2), [refunded], undefined],
  ];
  for (const [title, asked, logs, hasServed] of table) {
    it(title, () => {
      const verdict = judgeDrill({ steps: asked, logs });
      expect(verdict).to.deep.equal(hasServed === undefined ? undefined : { nodeId: 2, hasServed });
    });
  }
});

describe("what an auditor keeps", () => {
  let folder: string;
  before(() => (folder = mkdtempSync(join(tmpdir(), "ngpu-audits-"))));
  after(() => rmSync(folder, { recursive: true, force: true }));

  it("remembers across a restart what was posted, what it cost and how it ended", async () => {
    const path = join(folder, "canaries.log");
    const first = await openAuditLog(path);
    await first.post({ slot: "1/0", canaryId: "a", mostUsd6: 100n });
    await first.post({ slot: "1/1", canaryId: "a", mostUsd6: 100n });
    const result = aResult(5, { billedCums: 2n ** 60n });
    await first.end({ slot: "1/0", amountUsd6: 7n, result });
    await first.close();
    const second = await openAuditLog(path);
    expect(second.history()).to.deep.equal([result]);
    expect([...second.used()]).to.deep.equal([["1/0", 7n], ["1/1", 100n]]);
    expect([second.usesOf("a"), second.usesOf("b")]).to.deep.equal([2, 0]);
    await second.close();
  });

  it("remembers a drill, whom it asked, and what came of it, and reads lines from before there were drills", async () => {
    const path = join(folder, "drills.log");
    const old = { taskId: "0x01", nodeId: 5, size: "text", isRight: true, billedCums: "7" };
    const lines = [{ slot: "1/0", canaryId: "a", mostUsd6: "9" }, { slot: "1/0", amountUsd6: "8", result: old }];
    writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    const taskId = keccak256("0x02");
    const step: DrillStep = { nodeId: 6, assignment: 1, attempt: 1 };
    const first = await openAuditLog(path);
    expect(first.history()).to.deep.equal([{ ...old, billedCums: 7n }]);
    await first.post({ slot: "1/1", canaryId: "a", mostUsd6: 100n, drill: taskId });
    await first.step(taskId, step);
    await first.close();
    const second = await openAuditLog(path);
    expect([...second.drills().values()]).to.deep.equal([{ slot: "1/1", canaryId: "a", taskId, steps: [step] }]);
    const failedDrill = aResult(6, { isRight: false, billedCums: 0n, drill: "failed" });
    await second.end({ slot: "1/1", amountUsd6: 3n, failedDrill });
    await second.close();
    const third = await openAuditLog(path);
    expect(third.drills().size).to.equal(0);
    expect(third.history()[1]).to.deep.equal(failedDrill);
    expect(third.used().get("1/1")).to.equal(3n);
    await third.close();
  });

  it("takes the expected result, also where a machine rounds otherwise, and no other", () => {
    const expected = { images: [{ name: "a.png", lines: [{ text: "Total 12.50", confidence: 0.98, quad: [[10, 200]] }] }] };
    const same = (found: unknown, determinism: "EXACT" | "TOLERANCE" = "TOLERANCE"): boolean =>
      sameResult({ expected, found, determinism });
    const line = expected.images[0]?.lines[0];
    const withLine = (change: object) => ({ images: [{ name: "a.png", lines: [{ ...line, ...change }] }] });
    expect(same(structuredClone(expected), "EXACT")).to.equal(true);
    expect(same(withLine({ confidence: 0.97, quad: [[10.1, 203]] }))).to.equal(true);
    expect(same(withLine({ confidence: 0.97 }), "EXACT")).to.equal(false);
    for (const wrong of [withLine({ text: "Total 12.60" }), withLine({ quad: [[10, 210]] }), withLine({ extra: 1 }), { images: [] }, undefined, null])
      expect(same(wrong), JSON.stringify(wrong)).to.equal(false);
  });

  it("audits where a set is given and the account has the role, unless it is told not to; without either nothing is paid for", async () => {
    const settingsOf = (env: Record<string, string>, isAuditor: boolean) =>
      readAuditSettings({
        env,
        mayAudit: () => Promise.resolve(isAuditor),
        ...{ chain: createPublicClient({ transport: custom({ request: () => Promise.reject(new Error("not asked")) }) }), chainId: 31_337 },
        ...{ rpcUrl: "http://127.0.0.1:1", deployment: deployments[31337], gatewayUrl: "http://127.0.0.1:1" },
        ...{ readFile: () => "", random: (length: number) => new Uint8Array(length), clock: systemClock, log: testLog },
      }).then(
        (settings) => (settings === undefined ? "off" : "on"),
        (error: unknown) => codeOf(error),
      );
    const set = { NGPU_AUDIT_FOLDER: join(folder, "set") };
    mkdirSync(set.NGPU_AUDIT_FOLDER, { recursive: true });
    writeFileSync(join(set.NGPU_AUDIT_FOLDER, "canaries.json"), JSON.stringify({ format: "ngpu.canaries/1", canaries: [] }));
    expect(await settingsOf({}, true), "no set").to.equal("off");
    expect(await settingsOf({ ...set, NGPU_AUDITS: "0" }, true), "turned off").to.equal("off");
    expect(await settingsOf(set, false), "no role").to.equal("off");
    expect(await settingsOf(set, true), "no payer, which it then needs").to.match(/^SETTING_/);
    expect(await settingsOf({ NGPU_AUDITS: "1" }, true), "asked for without a set").to.match(/^SETTING_/);
    const payer = { NGPU_AUDIT_PAYER_KEY: keccak256("0x01"), NGPU_DATA_DIR: folder };
    expect(await settingsOf({ ...set, ...payer }, true)).to.equal("on");
    const later = { NGPU_AUDIT_FOLDER: join(folder, "later"), NGPU_AUDIT_PAYER_KEY: keccak256("0x01"), NGPU_DATA_DIR: join(folder, "other") };
    expect(await settingsOf(later, true), "a set that is still being made").to.equal("on");
  });

  it("refuses a set of canaries that is not whole before anything is paid for", () => {
    const write = (list: unknown): void => writeFileSync(join(folder, "canaries.json"), JSON.stringify(list));
    const entry = { id: "a", modelId: catalogue[0]?.modelId, parts: [{ name: "a" }], expected: {} };
    for (const list of [{}, { format: "ngpu.canaries/1" }, { format: "ngpu.canaries/1", canaries: [entry] }]) {
      write(list);
      expect(codeThrownBy(() => readCanaries(folder))).to.equal("SETTING_INVALID");
    }
    write({ format: "ngpu.canaries/1", canaries: [{ ...entry, modelId: keccak256("0x00") }] });
    expect(codeThrownBy(() => readCanaries(folder))).to.equal("MODEL_UNKNOWN");
  });
});
