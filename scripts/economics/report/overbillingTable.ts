/** What canaries take of a node that bills the whole cap, where audits run and seats are drawn by weight. */
import type { NodeCase } from "../attack.ts";
import { decimal, grouped } from "../format.ts";
import { markdownTable } from "../markdownTable.ts";
import { countedCanaries, largestCanaryUsd6, overbillingCycle, qualityAtCapBps } from "../overbilling.ts";
import type { Parameters } from "../parameters.ts";

const DAY_MS = 86_400_000n;

export function overbillingTable(parameters: Parameters, nodes: readonly NodeCase[]): string {
  const { capNumerator, capDenominator, auditsPerDay, auditedNodes } = parameters;
  const percent = (bps: bigint): string => `${decimal(bps, 2)} %`;
  const rows = Array.from({ length: countedCanaries + 1 }, (_, atCap) => {
    const qualityBps = qualityAtCapBps(parameters, atCap);
    return [`${atCap}`, percent(qualityBps), percent((qualityBps * capNumerator) / capDenominator)];
  });
  const days = (ms: bigint): string => decimal((ms * 100n) / DAY_MS, 2);
  const cycles = nodes.slice(0, 3).map((node) => {
    const { gainUsd6, lossUsd6 } = overbillingCycle(parameters, node);
    const ratio = gainUsd6 === 0n ? "–" : `${decimal((lossUsd6 * 100n) / gainUsd6, 2)} : 1`;
    return [node.name, grouped(gainUsd6), grouped(lossUsd6), ratio];
  });
  const [node] = nodes;
  const { intervalMs } = overbillingCycle(parameters, node ?? { name: "", powerCu: 0n, stakeWei: 0n });
  return [
    markdownTable(
      [
        `At the cap, of the newest ${countedCanaries} canaries`,
        "Quality left",
        "Income of a node that stays at the cap, of an honest one's",
      ],
      rows,
    ),
    "",
    `${auditsPerDay} canaries a day over ${grouped(auditedNodes)} nodes are one each ${days(intervalMs)} days. An ` +
      "established node that bills the cap until the first one counts, and the work from then on until " +
      `${countedCanaries} newer ones have pushed it out:`,
    "",
    markdownTable(["Node", "Gains", "Loses in draws", "Loss ÷ gain"], cycles),
    "",
    anewLine(parameters),
    "",
    sizeLine(parameters),
    ...outvotedLines(parameters),
  ].join("\n");
}

/** A record can be left behind: by age alone, that costs the sum of what a newcomer lacks. */
function anewLine({ newcomerQualityBps, qualityPeriods, ripeningS, capNumerator, capDenominator }: Parameters): string {
  const lackS = ((10_000n - newcomerQualityBps) * (qualityPeriods + 1n) * ripeningS) / 20_000n;
  const costs = `costs ${decimal((lackS * 100n) / 86_400n, 2)} days' pay`;
  if (capNumerator <= capDenominator) return `Registering anew to leave that record behind ${costs}.`;
  const evenS = (lackS * capDenominator) / (capNumerator - capDenominator);
  return (
    `Registering anew to leave that record behind ${costs}, as much as ${decimal((evenS * 100n) / 86_400n, 2)} days ` +
    "at the cap bring: it pays only for a node that no canary meets for longer than that."
  );
}

/** Tasks above that are overbilled in safety. */
function sizeLine(parameters: Parameters): string {
  const mostUsd6 = largestCanaryUsd6(parameters);
  const { auditBudgetUsd6, cpuPowerCu, cumsPerPrice, priceUsd6PerGcums, maxDeadlineS } = parameters;
  const tenths = (mostUsd6 * cumsPerPrice * 10n) / (cpuPowerCu * priceUsd6PerGcums * 60_000n);
  return (
    `A budget of ${grouped(auditBudgetUsd6)} usd6 a day pays for canaries that bill ${grouped(mostUsd6)} usd6 at ` +
    `most, ${decimal(tenths, 1)} minutes of a cpu node; a task may last ${grouped(maxDeadlineS / 60n)}. A node that ` +
    "overbills larger tasks alone meets no canary."
  );
}

/** Where it makes a difference: a node's own bills stand in the median that it is compared with. */
function outvotedLines(parameters: Parameters): string[] {
  const [usualBps, aloneBps] = [countedCanaries, 1].map((each) => qualityAtCapBps(parameters, countedCanaries, each));
  if (usualBps === undefined || aloneBps === undefined || aloneBps <= usualBps) return [];
  const left = `${decimal(aloneBps, 2)} % of quality instead of ${decimal(usualBps, 2)} %`;
  return [
    "",
    `A node's own bills stand in the median: where three others have one result each of a size, ${countedCanaries} ` +
      `of its own at the cap outvote them and leave it ${left}. So a size must have gone round before it ` +
      "says anything.",
  ];
}
