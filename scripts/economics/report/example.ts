/** A worked example in base units, small enough to be done again by hand. */
import { decimal, grouped } from "../format.ts";
import { markdownTable } from "../markdownTable.ts";
import type { Parameters } from "../parameters.ts";
import { least, shareDown } from "../values.ts";

/** One page of print: the work that the manifest of the text model declares for its default dimensions. */
export interface Page {
  readonly workCums: bigint;
  readonly durationMs: bigint;
}

const PAGES = 1_000n;
const SPEND_CAP_USD6 = 1_000_000n;

export function directExample(parameters: Parameters, page: Page): string {
  const { priceUsd6PerGcums: price, cumsPerPrice, capNumerator, capDenominator, cpuPowerCu: power } = parameters;
  const maximum = (page.workCums * capNumerator * price) / (capDenominator * cumsPerPrice);
  const bill = (power * page.durationMs * price) / cumsPerPrice;
  return markdownTable(
    ["Step", "Computation", "usd6"],
    [
      [
        "escrowed at the post",
        `⌊${grouped(page.workCums)} × ${capNumerator} × ${grouped(price)} ÷ ` +
          `(${capDenominator} × ${grouped(cumsPerPrice)})⌋`,
        grouped(maximum),
      ],
      [
        "billed to the payer, credited to the node",
        `⌊${grouped(power)} × ${grouped(page.durationMs)} × ${grouped(price)} ÷ ${grouped(cumsPerPrice)}⌋`,
        grouped(bill),
      ],
      ["back to the payer", `${grouped(maximum)} − ${grouped(bill)}`, grouped(maximum - bill)],
    ],
  );
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
  const { priceUsd6PerGcums: price, cumsPerPrice, capNumerator, capDenominator, cpuStakeWei, ngpuUsd8 } = parameters;
  const maximumUsd6 = (page.workCums * capNumerator * price) / (capDenominator * cumsPerPrice);
  const slashed = shareDown(cpuStakeWei, parameters.missSlashBps);
  const maximumWei = (maximumUsd6 * 10n ** 20n) / ngpuUsd8;
  const compensation = least(maximumWei, shareDown(slashed, parameters.maxCompensationBps));
  const challenger = shareDown(slashed, parameters.maxChallengerBps);
  const ngpu = (wei: bigint): string => decimal(wei, 18);
  return markdownTable(
    ["Step", "Computation", "NGPU"],
    [
      ["slashed", `${ngpu(cpuStakeWei)} × ${decimal(parameters.missSlashBps, 2)} %`, ngpu(slashed)],
      [
        "to the payer",
        `min(${grouped(maximumUsd6)} usd6 at ${decimal(ngpuUsd8, 8)} USD, ${decimal(parameters.maxCompensationBps, 2)} %)`,
        ngpu(compensation),
      ],
      ["to the reporter", `${ngpu(slashed)} × ${decimal(parameters.maxChallengerBps, 2)} %`, ngpu(challenger)],
      ["burned", "the rest", ngpu(slashed - compensation - challenger)],
    ],
  );
}
