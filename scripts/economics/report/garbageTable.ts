/** How much must be sampled, and how much staked per task, so that returning garbage loses. */
import { decimal, grouped } from "../format.ts";
import type { NodeCase } from "../attack.ts";
import { markdownTable } from "../markdownTable.ts";
import type { Parameters } from "../parameters.ts";
import { largestFittingTaskUsd6, ngpuUsd6, shareDown, stakeShareUsd6 } from "../values.ts";

export function garbageTable(parameters: Parameters, nodes: readonly NodeCase[]): string {
  const chanceBps = parameters.auditSeeds === 0n ? 0n : parameters.sampleBps;
  const rows = nodes.map((node) => {
    const taskUsd6 = largestFittingTaskUsd6(parameters, node);
    const slashUsd6 = stakeShareUsd6(parameters, node, parameters.resultBps);
    const stakeUsd6 = ngpuUsd6(parameters, node.stakeWei);
    return [
      node.name,
      grouped(taskUsd6),
      grouped(slashUsd6),
      `${decimal((taskUsd6 * 10_000n + slashUsd6 - 1n) / slashUsd6, 2)} %`,
      grouped(shareDown(slashUsd6, chanceBps)),
      `${grouped(stakeUsd6 / taskUsd6)} : 1`,
    ];
  });
  const needed = 100_000_000n / (parameters.sampleBps * parameters.resultBps);
  const from =
    parameters.auditSeeds === 0n
      ? "in name, **0 % in fact, as Disputes has no source of seeds**"
      : "from the revealed seeds";
  return [
    markdownTable(
      ["Node", "Largest task", "Slash", "p that it takes", "Task at which it turns", "Stake ÷ task"],
      rows,
    ),
    "",
    `Deployed: p = ${decimal(parameters.sampleBps, 2)} % ${from}, share = ${decimal(parameters.resultBps, 2)} % of ` +
      `the stake. Such a sample asks for a stake of 1 ÷ (p × share) = ${grouped(needed)} times the task.`,
  ].join("\n");
}
