/**
 * Cheating must lose: every row of docs/ECONOMICS.md, with the parameters in the sources; and each row can fail, so
 * that it says something when it does not.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { expect } from "chai";
import { attackList } from "../../scripts/economics/attackList.ts";
import { defects } from "../../scripts/economics/defects.ts";
import { judge, type Row, type UnjudgedRow } from "../../scripts/economics/judge.ts";
import { openRows } from "../../scripts/economics/openRows.ts";
import { readParameters, type Parameters } from "../../scripts/economics/parameters.ts";
import { renderEconomics } from "../../scripts/economics/renderEconomics.ts";
import { solidityConstant } from "../../scripts/economics/sources/solidityConstant.ts";
import { settingDefault } from "../../scripts/economics/sources/settingDefault.ts";
import { paths } from "../../scripts/stack/paths.ts";
import { soundParameters } from "./support/soundParameters.ts";

const verdictsOf = (parameters: Partial<Parameters>): (Row | UnjudgedRow)[] =>
  attackList.map((attack) => judge(attack, parameters));

const paying = (rows: readonly (Row | UnjudgedRow)[]): string[] =>
  rows.filter((row) => "verdict" in row && row.verdict === "pays").map(({ attack }) => attack.id);

describe("economics, behaviour", () => {
  it("finds no attack that pays with what is deployed but the known defects", async () => {
    const { values } = await readParameters([paths.root]);
    expect(defects(verdictsOf(values), openRows)).to.deep.equal([]);
  });

  it("leaves a row unjudged only where its contract is not there", async () => {
    const { values, absent } = await readParameters([paths.root]);
    const missing = verdictsOf(values).flatMap((row) => ("missing" in row ? [row.missing] : []));
    expect(missing.filter((name) => !absent.has(name))).to.deep.equal([]);
  });

  it("lets no attack pay with sound parameters", () => {
    const rows = verdictsOf(soundParameters);
    expect(rows.filter((row) => "missing" in row)).to.deep.equal([]);
    expect(paying(rows)).to.deep.equal([]);
  });

  for (const { id, bad } of attackList) {
    if (bad === undefined) continue;
    it(`sees ${id} pay with a bad parameter`, () => {
      expect(paying(verdictsOf({ ...soundParameters, ...bad }))).to.include(id);
    });
  }

  it("knows a bad parameter of every attack that can gain anything", () => {
    const fixed = ["own-node-payer", "above-cap", "false-claim", "self-buying", "withholding-gateway"];
    expect(attackList.filter(({ bad }) => bad === undefined).map(({ id }) => id)).to.have.members(fixed);
  });

  it("knows for every open row a change that stops it", () => {
    for (const { id, bad, remedy } of attackList.filter((attack) => openRows.has(attack.id))) {
      const broken = { ...soundParameters, ...bad };
      expect(paying(verdictsOf(broken))).to.include(id);
      expect(paying(verdictsOf({ ...broken, ...remedy?.change })), id).not.to.include(id);
    }
  });

  describe("with audits", () => {
    const verdictOf = (id: string, change: Partial<Parameters>): string | undefined => {
      const attack = attackList.find((row) => row.id === id);
      if (attack === undefined) throw new Error(`no row ${id}`);
      const cheating = { capNumerator: 5n, capDenominator: 4n, backupStandbyBps: 1_000n, failureIsFault: 0n };
      const judged = judge(attack, { ...soundParameters, ...cheating, ...change });
      return "verdict" in judged ? judged.verdict : undefined;
    };
    /** Canaries a day and nodes: those with which a node is found sooner than registering anew pays, and others. */
    const often = [[24n, 3n], [24n, 24n], [24n, 100n], [1_000n, 100n], [1n, 3n]] as const;
    const seldom = [[1n, 100n], [24n, 10_000n]] as const;
    const unbounded = { auditBudgetUsd6: 10n ** 12n };

    it("lets overbilling and an idle backup lose at every rate that finds them before they may leave, and pay at others", () => {
      for (const [rates, verdict] of [[often, "loses"], [seldom, "pays"]] as const) {
        for (const [auditsPerDay, auditedNodes] of rates) {
          const rate = { ...unbounded, auditsPerDay, auditedNodes };
          const name = `${auditsPerDay} a day, ${auditedNodes} nodes`;
          for (const capNumerator of [5n, 6n])
            expect(verdictOf("at-cap", { ...rate, capNumerator }), `${name}, ${capNumerator}/4`).to.equal(verdict);
          expect(verdictOf("empty-backup", rate), name).to.equal(verdict);
        }
      }
    });

    it("reckons with as many canaries of the largest tasks as the budget pays for", () => {
      for (const id of ["at-cap", "empty-backup"]) {
        expect(verdictOf(id, {}), id).to.equal("loses");
        // A single one a day of the largest node's tasks: 200 days until one finds it.
        expect(verdictOf(id, { auditBudgetUsd6: 10_000_000n }), id).to.equal("pays");
        expect(verdictOf(id, { auditBudgetUsd6: 50_000n }), `${id}, tasks above the budget`).to.equal("pays");
        expect(verdictOf(id, { auditsRun: 0n }), id).to.equal("pays");
        expect(verdictOf(id, { drawEnforced: 0n, seatsByWeight: 0n }), `${id}, free slots`).to.equal("pays");
      }
    });

    it("sees a cheat that is tried in one part alone: no drills find no idle backup, and nothing but drills no primary", () => {
      expect(verdictOf("empty-backup", { auditDrillPercent: 0n })).to.equal("pays");
      expect(verdictOf("at-cap", { auditDrillPercent: 0n })).to.equal("loses");
      expect(verdictOf("at-cap", { auditDrillPercent: 100n })).to.equal("pays");
    });
  });

  it("reports a row that pays unannounced, and one that is announced and does not pay", () => {
    const rows = verdictsOf({ ...soundParameters, overlapBps: 10n });
    expect(defects(rows, new Set())).to.have.length(1);
    expect(defects(rows, new Set(["overlap"]))).to.deep.equal([]);
    expect(defects(rows, new Set(["overlap", "garbage"]))).to.have.length(1);
  });

  it("writes the figures into the document, so that a moved parameter makes it stale", () => {
    const document = readFileSync(join(paths.root, "docs/ECONOMICS.md"), "utf8");
    const render = (values: Parameters): string =>
      renderEconomics({ document, values, rows: verdictsOf(values), page: { workCums: 730_000n, durationMs: 644n } });
    const text = render(soundParameters);
    expect(render({ ...soundParameters, missSlashBps: 201n })).not.to.equal(text);
    expect(text).to.contain("None: no row pays.");
  });

  it("computes the examples as they come out by hand", () => {
    const document = readFileSync(join(paths.root, "docs/ECONOMICS.md"), "utf8");
    const values = { ...soundParameters, capNumerator: 5n, capDenominator: 4n, backupStandbyBps: 1_000n };
    const page = { workCums: 730_000n, durationMs: 644n };
    const text = renderEconomics({ document, values, rows: verdictsOf(values), page });
    // 91 for the largest bill and 9 for the standby of it; of 100 a bill of 64, a standby of 6, and 30 back.
    for (const figure of ["| 91 |", "| 100 |", "| 64 |", "| 6 |", "| 30 |"]) expect(text).to.contain(figure);
    for (const figure of ["| 63,756 |", "| 6,376 |", "| 708 |", "| 929,160 |"]) expect(text).to.contain(figure);
    // Stake of 64 usd6 at half a dollar; the bill and the least bond, which a payer has back that nobody answers.
    expect(text).to.contain("0.000128 NGPU of the node's stake");
    expect(text).to.contain("the payer has 100,064 back");
    // 2 NGPU slashed: 100 usd6 to the payer, a tenth to the reporter, the rest burned.
    expect(text).to.contain("| 1.7998 |");
  });
});

describe("economics, reading parameters", () => {
  it("reads literals, powers and units, and refuses to guess anything else", () => {
    const source = `uint256 internal constant A = 1_000; uint40 constant B = 15 minutes;
      uint64 internal constant C = 1e9; uint256 constant D = 2 ** 30; uint256 constant E = A * 2;`;
    expect(solidityConstant(source, "A")).to.equal(1_000n);
    expect(solidityConstant(source, "B")).to.equal(900n);
    expect(solidityConstant(source, "C")).to.equal(10n ** 9n);
    expect(solidityConstant(source, "D")).to.equal(2n ** 30n);
    expect(() => solidityConstant(source, "E")).to.throw().with.property("code", "PARAMETER_NOT_LITERAL");
    expect(() => solidityConstant(source, "F")).to.throw().with.property("code", "PARAMETER_RENAMED");
  });

  it("reads what a setting is unless it is given, and finds none of another name", () => {
    const source = `on: readInteger(env, "NGPU_ON", { fallback: 0, maximum: 1 }),
      perDay: readInteger(env, "NGPU_PER_DAY", { ...most, fallback: 1_024 }), text: readText(env, "NGPU_TEXT"),`;
    expect(settingDefault(source, "NGPU_ON")).to.equal(0n);
    expect(settingDefault(source, "NGPU_PER_DAY")).to.equal(1_024n);
    expect(settingDefault(source, "NGPU_TEXT")).to.equal(undefined);
    expect(settingDefault(source, "NGPU_DAY")).to.equal(undefined);
  });

  it("fails when a constant was renamed, and says so when its contract is not there", async (t) => {
    const root = mkdtempSync(join(tmpdir(), "ngpu-economics-"));
    t.after(() => rmSync(root, { recursive: true }));
    const file = "contracts/libraries/Limits.sol";
    const write = (text: string): void => {
      mkdirSync(dirname(join(root, file)), { recursive: true });
      writeFileSync(join(root, file), text);
    };
    const source = readFileSync(join(paths.root, file), "utf8");
    write(source);
    const { values, absent } = await readParameters([root]);
    expect(values.maxDeadlineS).to.equal(3_600n);
    expect(absent.get("cpuStakeWei")).to.equal("contracts/NodeRegistry.sol");
    write(source.replaceAll("MAX_DEADLINE_S", "LATEST_DEADLINE_S"));
    const error: unknown = await readParameters([root]).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).to.have.property("code", "PARAMETER_RENAMED");
  });
});
