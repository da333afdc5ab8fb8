/** What a person reads of a dry run or a deployment: tables, what does not hold, and what others have yet to do. */
import { formatEther } from "viem";
import { formatUsd6 } from "../stack/formatUsd6.ts";
import type { Checklist } from "./checklist/checklist.ts";
import type { DryRun } from "./dryRun/dryRun.ts";

const number = new Intl.NumberFormat("en-GB");
const coins = (wei: bigint): string => formatEther(wei);

export function checklistText(checklist: Checklist, gasPriceWei: bigint): string {
  const { contracts, total, roles, checks, openSteps } = checklist;
  const failed = checks.filter(({ ok }) => !ok);
  const topics = [...new Set(checks.map(({ topic }) => topic))].map((topic) => {
    const of = checks.filter((check) => check.topic === topic);
    return [topic, `${of.filter(({ ok }) => ok).length} of ${of.length}`];
  });
  return [
    table(
      ["contract", "address", "bytes", "gas", "cost"],
      contracts.map(({ name, address, sizeBytes, gas, costWei }) => [
        name,
        address,
        number.format(sizeBytes),
        number.format(gas),
        coins(costWei),
      ]),
    ),
    `${total.transactions} transactions, ${number.format(total.gas)} gas: ${coins(total.costWei)} of the chain's coin ` +
      `at ${number.format(gasPriceWei)} wei a gas, without a rollup's fee for data`,
    table(
      ["role", "holder", "account", "delay"],
      roles.map(({ role, holder, account, delaySeconds }) => [role, holder, account, `${delaySeconds} s`]),
    ),
    table(["checks", "hold"], topics),
    ...failed.map(({ topic, what, found, expected }) => `✗ ${topic}: ${what}: found ${found}, expected ${expected}`),
    openSteps.length === 0 ? "No open step." : "Open steps:",
    ...openSteps.map(
      ({ what, who, to, call, data }, index) =>
        `${index + 1}. ${what}\n   from ${who}\n   to   ${to}\n   call ${call}\n   data ${data}`,
    ),
  ].join("\n\n");
}

export function dryRunText(run: DryRun, gasPriceWei: bigint): string {
  const { chainId, standIns, task } = run;
  const { gas, powerCu, durationMs, priceUsd6PerGcums, escrowedUsd6, billUsd6, refundUsd6 } = task;
  return [
    `Dry run under chain id ${chainId}, on this machine. Standing in for contracts of the real chain:`,
    table(
      ["external", "address", "stand-in"],
      standIns.map(({ field, address, contract }) => [field, address, contract]),
    ),
    "The deployer was a key that is thrown away, so the addresses below are not those of the real deployment.",
    checklistText(run, gasPriceWei),
    `Task: ${number.format(powerCu)} CU for ${number.format(durationMs)} ms at ${priceUsd6PerGcums} base units per ` +
      `10⁹ CU·ms; escrowed ${formatUsd6(escrowedUsd6)}, billed ${formatUsd6(billUsd6)}, back ${formatUsd6(refundUsd6)} ` +
      `USD; gas ${number.format(gas.post)} post, ${number.format(gas.assign)} assign, ${number.format(gas.settle)} settle`,
    run.ok ? "The dry run holds." : "The dry run does not hold.",
  ].join("\n\n");
}

/** One JSON object; integers beyond 53 bits are decimal strings. */
export function reportJson(value: unknown): string {
  return JSON.stringify(value, (_, field: unknown) => (typeof field === "bigint" ? field.toString() : field));
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  return all.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ").trimEnd()).join("\n");
}
