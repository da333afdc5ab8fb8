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

  it("lets overbilling lose at every rate of audits and every cap, and pay where no canary is as large", () => {
    const row = attackList.find(({ id }) => id === "at-cap");
    if (row === undefined) throw new Error("no row at-cap");
    const verdictOf = (change: Partial<Parameters>): string | undefined => {
      const judged = judge(row, { ...soundParameters, capNumerator: 5n, capDenominator: 4n, ...change });
      return "verdict" in judged ? judged.verdict : undefined;
    };
    for (const auditsPerDay of [1n, 24n, 1_000n]) {
      for (const auditedNodes of [3n, 24n, 100n, 10_000n]) {
        for (const capNumerator of [5n, 6n]) {
          const change = { auditsPerDay, auditedNodes, capNumerator };
          const name = `${auditsPerDay} a day, ${auditedNodes} nodes, ${capNumerator}/4`;
          expect(verdictOf(change), name).to.equal("loses");
        }
      }
    }
    expect(verdictOf({ auditBudgetUsd6: 50_000n }), "tasks above the budget").to.equal("pays");
    expect(verdictOf({ auditsRun: 0n })).to.equal("pays");
    expect(verdictOf({ drawEnforced: 0n, seatsByWeight: 0n }), "free slots").to.equal("pays");
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
