/** What canaries take of a node that bills the whole cap, where audits run and seats are drawn by weight. */
import type { NodeCase } from "../attack.ts";
import { decimal, grouped } from "../format.ts";
import { markdownTable } from "../markdownTable.ts";
import { anewMs, canariesPerDay } from "../canaryTimes.ts";
import { idleStandbyCycle } from "../idleStandby.ts";
import { countedCanaries, largestCanaryUsd6, overbillingCycle, qualityAtCapBps } from "../overbilling.ts";
import type { Parameters } from "../parameters.ts";
import { largestFittingTaskUsd6, largestTaskUsd6 } from "../values.ts";

const DAY_MS = 86_400_000n;

export function overbillingTable(parameters: Parameters, nodes: readonly NodeCase[]): string {
  const { capNumerator, capDenominator, auditsPerDay, auditedNodes, auditDrillPercent, maxBackups } = parameters;
  const percent = (bps: bigint): string => `${decimal(bps, 2)} %`;
  const rows = Array.from({ length: countedCanaries + 1 }, (_, atCap) => {
    const qualityBps = qualityAtCapBps(parameters, atCap);
    return [`${atCap}`, percent(qualityBps), percent((qualityBps * capNumerator) / capDenominator)];
  });
  const days = (ms: bigint): string => decimal((ms * 100n) / DAY_MS, 2);
  const sized = nodes.slice(0, 3).map((node) => ({ node, taskUsd6: largestTaskUsd6(parameters, node) }));
  const cycles = sized.map(({ node, taskUsd6 }) => {
    const cycle = overbillingCycle(parameters, node, taskUsd6);
    const head = [node.name, grouped(canariesPerDay(parameters, taskUsd6))];
    return cycle === undefined ? [...head, "–", "all", "0", "–"] : [...head, days(cycle.intervalMs), ...compared(cycle)];
  });
  const standby = nodes.slice(0, 3).map((node) => {
    const cycle = idleStandbyCycle(parameters, node, largestFittingTaskUsd6(parameters, node));
    return cycle === undefined ? [node.name, "–", "all", "0", "–"] : [node.name, days(cycle.drillMs), ...compared(cycle)];
  });
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
    `${auditsPerDay} canaries a day over ${grouped(auditedNodes)} nodes at most, fewer of the largest tasks, and of a ` +
      `hundred ${auditDrillPercent} are drills. An established node that bills the cap of tasks as large as it can ` +
      `serve until the first canary counts, and the work until ${countedCanaries} newer ones have pushed it out:`,
    "",
    markdownTable(["Node", "Largest a day", "Days to the first", "Gains", "Loses in draws", "Loss ÷ gain"], cycles),
    "",
    `The same for a backup with nothing held ready, of tasks with ${maxBackups} backups each, until a drill has caught it:`,
    "",
    markdownTable(["Node", "Days to the first drill", "Gains", "Loses in draws", "Loss ÷ gain"], standby),
    "",
    anewLine(parameters),
    "",
    sizeLine(parameters),
    ...outvotedLines(parameters),
  ].join("\n");
}

function compared({ gainUsd6, lossUsd6 }: { gainUsd6: bigint; lossUsd6: bigint }): string[] {
  const ratio = gainUsd6 === 0n ? "–" : `${decimal((lossUsd6 * 100n) / gainUsd6, 2)} : 1`;
  return [grouped(gainUsd6), grouped(lossUsd6), ratio];
}

/** A record can be left behind: by age alone, that costs the sum of what a newcomer lacks. */
function anewLine(parameters: Parameters): string {
  const { capNumerator, capDenominator } = parameters;
  const lackS = anewMs(parameters) / 1_000n;
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
