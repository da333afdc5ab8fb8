/** Who pays and who earns, with the shares that are deployed. */
import { decimal, grouped, inUnit } from "../format.ts";
import { markdownTable } from "../markdownTable.ts";
import type { Parameters } from "../parameters.ts";

export function flowTable(parameters: Parameters): string {
  const percent = (bps: bigint): string => `${decimal(bps, 2)} %`;
  const standbyBps = (parameters.standbyWeight * 10_000n) / parameters.executionWeight;
  const directBps = parameters.backupStandbyBps;
  const burnedBps = 10_000n - parameters.maxCompensationBps - parameters.maxChallengerBps;
  return markdownTable(
    ["Who", "Pays", "Earns"],
    [
      [
        "payer",
        "power × duration × price of each task, at most what it escrowed or signed; standby: on the direct rail " +
          `${percent(directBps)} of the bill to each backup, in a session ${percent(standbyBps)} of the price of the ` +
          "time that one is held ready; the bond of a demand that keepers answer",
        "what is left of its maximum or cap, with the standby that nobody earned; bill and bond of a demand that " +
          `keepers do not answer; if a node fails it, at most ${percent(parameters.maxCompensationBps)} of the slash ` +
          "and at most the task's maximum",
      ],
      [
        "primary",
        "its power; stake if it fails",
        `the bill, on the direct rail once the payer's window of ${inUnit(parameters.payerWindowS, "seconds")} is ` +
          "over, in a session less the treasury's fee",
      ],
      [
        "backup",
        "its readiness; stake if it accepts and fails",
        `the bill if it takes over; ${percent(directBps)} of the bill of a direct task that it accepted, was not ` +
          `needed for and did not fail; in a session the standby line, ${percent(standbyBps)} of the price, less ` +
          "the fee",
      ],
      [
        "treasury",
        "–",
        `${percent(parameters.feeBps)} of what sessions pay; of the direct rail the bond of a demand that keepers ` +
          `answer, 1 ÷ ${parameters.billPerBond} of the bill, ${grouped(parameters.minimumDemandBondUsd6)} usd6 at least`,
      ],
      [
        "challenger, reporter",
        "a bond where it could be wrong",
        `at most ${percent(parameters.maxChallengerBps)} of the slash; half of a keeper's bond for a wrong draw`,
      ],
      [
        "judge",
        "its computation",
        `${decimal(parameters.judgeFeeWei, 18)} of the coin out of the opener's bond, if it voted for the outcome`,
      ],
      [
        "keeper, relayer",
        "gas, a bond",
        "nothing of a task; a relayed liveness reply pays its gas and half of it more",
      ],
      [
        "burn",
        "–",
        `the rest of every slash, at least ${percent(burnedBps)}; a claimed floor; half of a lost keeper's ` +
          "bond; a lost dispute's bond less the judges' fees",
      ],
    ],
  );
}

/** One line on what an hour costs, to have an idea of the sums. */
export function hourLine(parameters: Parameters): string {
  const hourUsd6 = (parameters.cpuPowerCu * 3_600_000n * parameters.priceUsd6PerGcums) / parameters.cumsPerPrice;
  const stakeUsd6 = (parameters.cpuStakeWei * parameters.ngpuUsd8) / 10n ** 20n;
  return (
    `An hour of the smallest node (${grouped(parameters.cpuPowerCu)} CU) costs ${grouped(hourUsd6)} usd6 ` +
    `(${decimal(hourUsd6, 6)} USD); its least stake is ${decimal(parameters.cpuStakeWei, 18)} NGPU, ` +
    `${grouped(stakeUsd6)} usd6.`
  );
}
