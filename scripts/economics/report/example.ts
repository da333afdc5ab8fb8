/** A worked example in base units, small enough to be done again by hand. */
import { decimal, grouped, inUnit } from "../format.ts";
import { markdownTable } from "../markdownTable.ts";
import type { Parameters } from "../parameters.ts";
import { backupStandbyUsd6, demandBondUsd6, least, maximumUsd6, shareDown } from "../values.ts";

/** One page of print: the work that the manifest of the text model declares for its default dimensions. */
export interface Page {
  readonly workCums: bigint;
  readonly durationMs: bigint;
}

const BACKUPS = 1n;
const PAGES = 1_000n;
const SPEND_CAP_USD6 = 1_000_000n;

/** With one backup, which accepts and is not needed. */
export function directExample(parameters: Parameters, page: Page): string {
  const { priceUsd6PerGcums: price, cumsPerPrice, capNumerator, capDenominator, cpuPowerCu: power } = parameters;
  const most = mostBillUsd6(parameters, page);
  const escrowed = maximumUsd6(parameters, most, BACKUPS);
  const bill = (power * page.durationMs * price) / cumsPerPrice;
  const standby = backupStandbyUsd6(parameters, bill);
  const share = (amount: bigint): string => `⌊${grouped(amount)} × ${grouped(parameters.backupStandbyBps)} ÷ 10,000⌋`;
  return markdownTable(
    ["Step", "Computation", "usd6"],
    [
      [
        "largest bill",
        `⌊${grouped(page.workCums)} × ${capNumerator} × ${grouped(price)} ÷ ` +
          `(${capDenominator} × ${grouped(cumsPerPrice)})⌋`,
        grouped(most),
      ],
      ["escrowed at the post", `${grouped(most)} + ${share(most)}`, grouped(escrowed)],
      [
        "billed to the payer, credited to the node",
        `⌊${grouped(power)} × ${grouped(page.durationMs)} × ${grouped(price)} ÷ ${grouped(cumsPerPrice)}⌋`,
        grouped(bill),
      ],
      ["standby, credited to the backup", share(bill), grouped(standby)],
      ["treasury", "–", "0"],
      [
        "back to the payer",
        `${grouped(escrowed)} − ${grouped(bill)} − ${grouped(standby)}`,
        grouped(escrowed - bill - standby),
      ],
    ],
  );
}

/** How long the money of that page waits, what it locks, and what is bet when its output is demanded. */
export function maturingLines(parameters: Parameters, page: Page): string {
  const { payerWindowS, answerWindowS, demandQuorum, billPerBond, minimumDemandBondUsd6, ngpuUsd8 } = parameters;
  const billUsd6 = (parameters.cpuPowerCu * page.durationMs * parameters.priceUsd6PerGcums) / parameters.cumsPerPrice;
  const lockedWei = (billUsd6 * 10n ** 20n) / ngpuUsd8;
  const bondUsd6 = demandBondUsd6(parameters, billUsd6);
  return [
    `- Bill and standby mature when the payer's window is over: after ${inUnit(payerWindowS, "seconds")} at least ` +
      `and ${inUnit(2n * payerWindowS, "seconds")} at most anyone pushes them to the payout addresses.`,
    `- ${decimal(lockedWei, 18)} NGPU of the node's stake, worth the bill, is locked for the dispute window of ` +
      `${inUnit(parameters.disputeWindowS, "seconds")} at least. Standby locks nothing.`,
    `- A demand within the payer's window takes the bill of ${grouped(billUsd6)} back out of the node's credit and ` +
      `holds it with a bond of the payer's: max(⌊${grouped(billUsd6)} ÷ ${billPerBond}⌋, ` +
      `${grouped(minimumDemandBondUsd6)}) = ${grouped(bondUsd6)}. If ${demandQuorum} keepers attest within ` +
      `${inUnit(answerWindowS, "seconds")}, the node has the bill at once and the treasury the bond; otherwise ` +
      `the payer has ${grouped(billUsd6 + bondUsd6)} back. The standby is not contested.`,
  ].join("\n");
}

export function sessionExample(parameters: Parameters, page: Page): string {
  const { priceUsd6PerGcums: price, cumsPerPrice, cpuPowerCu: power, feeBps } = parameters;
  const ms = PAGES * page.durationMs;
  const perMs = cumsPerPrice * parameters.executionWeight;
  const executed = (ms * parameters.executionWeight * power * price) / perMs;
  const standby = (ms * parameters.standbyWeight * power * price) / perMs;
  const [executedFee, standbyFee] = [shareDown(executed, feeBps), shareDown(standby, feeBps)];
  const formula = (weight: bigint): string =>
    `⌊${grouped(ms)} × ${grouped(weight)} × ${grouped(power)} × ${grouped(price)} ÷ ${grouped(perMs)}⌋`;
  return markdownTable(
    ["Step", "Computation", "usd6"],
    [
      ["held at the opening", "spend cap", grouped(SPEND_CAP_USD6)],
      [`primary: ${grouped(PAGES)} pages of ${page.durationMs} ms`, formula(parameters.executionWeight), grouped(executed)],
      ["backup: held ready as long", formula(parameters.standbyWeight), grouped(standby)],
      [
        "treasury",
        `⌊${grouped(executed)} × ${feeBps} ÷ 10,000⌋ + ⌊${grouped(standby)} × ${feeBps} ÷ 10,000⌋`,
        grouped(executedFee + standbyFee),
      ],
      ["credited to the primary", `${grouped(executed)} − ${grouped(executedFee)}`, grouped(executed - executedFee)],
      ["credited to the backup", `${grouped(standby)} − ${grouped(standbyFee)}`, grouped(standby - standbyFee)],
      [
        "back to the payer after the settle window",
        `${grouped(SPEND_CAP_USD6)} − ${grouped(executed)} − ${grouped(standby)}`,
        grouped(SPEND_CAP_USD6 - executed - standby),
      ],
    ],
  );
}

/** A cpu node that accepted the page of the direct example and let it expire. */
export function slashExample(parameters: Parameters, page: Page): string {
  const { cpuStakeWei, ngpuUsd8 } = parameters;
  const escrowedUsd6 = maximumUsd6(parameters, mostBillUsd6(parameters, page), BACKUPS);
  const slashed = shareDown(cpuStakeWei, parameters.missSlashBps);
  const maximumWei = (escrowedUsd6 * 10n ** 20n) / ngpuUsd8;
  const compensation = least(maximumWei, shareDown(slashed, parameters.maxCompensationBps));
  const challenger = shareDown(slashed, parameters.maxChallengerBps);
  const ngpu = (wei: bigint): string => decimal(wei, 18);
  return markdownTable(
    ["Step", "Computation", "NGPU"],
    [
      ["slashed", `${ngpu(cpuStakeWei)} × ${decimal(parameters.missSlashBps, 2)} %`, ngpu(slashed)],
      [
        "to the payer",
        `min(${grouped(escrowedUsd6)} usd6 at ${decimal(ngpuUsd8, 8)} USD, ${decimal(parameters.maxCompensationBps, 2)} %)`,
        ngpu(compensation),
      ],
      ["to the reporter", `${ngpu(slashed)} × ${decimal(parameters.maxChallengerBps, 2)} %`, ngpu(challenger)],
      ["burned", "the rest", ngpu(slashed - compensation - challenger)],
    ],
  );
}

function mostBillUsd6(parameters: Parameters, { workCums }: Page): bigint {
  const { priceUsd6PerGcums, cumsPerPrice, capNumerator, capDenominator } = parameters;
  return (workCums * capNumerator * priceUsd6PerGcums) / (capDenominator * cumsPerPrice);
}
