/**
 * `npm run bench:harq -- [--json] [--quick] [--only transfers|small|steady|fairness|striping]`: the coded transport against `ws`
 * over CUBIC and over BBR, in the same run, over network namespaces that are a bad network (`harq/network`). Ours runs
 * with real congestion control and every datagram sealed, over real UDP sockets. `--quick` cuts peers after a minute
 * and takes fewer turns. Where namespaces may not be made it says so and measures nothing.
 */
import os from "node:os";
import { parseArgs } from "node:util";
import { checkNetwork } from "./harq/checkNetwork.ts";
import type { Row } from "./harq/row.ts";
import { fairnessRows } from "./harq/rows/fairness.ts";
import { smallRows } from "./harq/rows/small.ts";
import { steadyRows } from "./harq/rows/steady.ts";
import { stripingRows } from "./harq/rows/striping.ts";
import { transferRows } from "./harq/rows/transfers.ts";

const { values } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    quick: { type: "boolean", default: false },
    only: { type: "string", multiple: true, default: [] },
  },
});
const { quick } = values;
const turns = quick ? 3 : 5;
const tell = (text: string): void => console.error(`· ${text} …`);

const groups: Readonly<Record<string, () => Promise<Row[]>>> = {
  transfers: () => transferRows({ turns, peerTurns: quick ? 2 : 5, limitS: quick ? 60 : 900 }, tell),
  small: () => smallRows(turns),
  steady: () => steadyRows(quick ? 1 : 3),
  fairness: () => fairnessRows(quick ? 1 : 5),
  striping: () => stripingRows({ turns: quick ? 5 : 9, peerTurns: quick ? 3 : 5, limitS: 60 }),
};

const machine = { cpu: os.cpus()[0]?.model ?? "", cores: os.cpus().length, kernel: os.release(), node: process.version };
const network = await checkNetwork().catch((error: unknown) => (error instanceof Error ? error.message : String(error)));
if (typeof network === "string") {
  console.error(`This machine makes no network namespaces, so nothing was measured (${network}).`);
  print({ bench: "harq", machine, skipped: network, rows: [] });
} else {
  const rows: Row[] = [];
  for (const [name, measure] of Object.entries(groups)) {
    if (values.only.length > 0 && !values.only.includes(name)) continue;
    tell(name);
    try {
      const found = await measure();
      for (const row of found) console.error(line(row));
      rows.push(...found);
    } catch (error) {
      // What was measured before is worth telling; the run has failed all the same.
      console.error(error);
      process.exitCode = 1;
    }
  }
  print({ bench: "harq", machine: { ...machine, load: os.loadavg()[0] }, network, rows });
}

function line({ name, conditions, value, min, max, n, unit, peer, ratio, target, isMet }: Row): string {
  const beside = peer === undefined ? "" : `; ${peer.name} ${peer.isLowerBound ? "> " : ""}${peer.value}: ${ratio} times`;
  const mark = isMet === undefined ? " " : isMet ? "✓" : "✗";
  return `${mark} ${name} (${conditions}): ${value} ${unit} (${min} to ${max}, n = ${n})${beside}${target ? `; target ${target}` : ""}`;
}

function print(report: object): void {
  if (values.json) process.stdout.write(`${JSON.stringify(report)}\n`);
  else process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
}
