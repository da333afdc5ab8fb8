/** What a path carries once start-up is over, as a share of what loss leaves of its rate; and what we add on a clean one. */
import { describePath, pathOf } from "../conditions.ts";
import { openPair } from "../openPair.ts";
import { atLeast, atMost, rowOf, type Row } from "../row.ts";
import { open } from "../transfer.ts";

const losses = [0.002, 0.04, 0.1, 0.2, 0.3];
const rttMs = 200;
const cleanRttMs = 40;
const settleUs = 5_000_000;
const windowUs = 10_000_000;

export async function steadyRows(turns: number): Promise<Row[]> {
  const rows: Row[] = [];
  for (const loss of losses) {
    const path = { rttMs, loss };
    const shares: number[] = [];
    for (let turn = 1; turn <= turns; turn += 1) {
      const { bytesPerSecond } = await ours({ ...path, seed: turn });
      shares.push(bytesPerSecond / (pathOf({ ...path, seed: turn }).bytesPerSecond * (1 - loss)));
    }
    const conditions = describePath(pathOf({ ...path, seed: 0 }));
    rows.push(rowOf({ name: "steady goodput", conditions, unit: "of (1 − p) R", values: shares, target: atLeast(0.8) }));
  }
  const clean = { rttMs: cleanRttMs, loss: 0 };
  const conditions = describePath(pathOf({ ...clean, seed: 0 }));
  const ratios: number[] = [];
  const repairs: number[] = [];
  for (let seed = 1; seed <= turns; seed += 1) {
    const mine = await ours({ ...clean, seed });
    ratios.push(mine.bytesPerSecond / (await stream({ ...clean, seed })));
    repairs.push(100 * mine.repairShare);
  }
  rows.push(rowOf({ name: "clean link, against a plain stream of CUBIC", conditions, unit: "of its goodput", values: ratios, target: atLeast(0.97) }));
  rows.push(rowOf({ name: "clean link, repair sent", conditions, unit: "% of source bytes", values: repairs, target: atMost(0.5) }));
  return rows;
}

async function ours(path: Parameters<typeof pathOf>[0]): Promise<{ bytesPerSecond: number; repairShare: number }> {
  const pair = await openPair(pathOf(path));
  try {
    await open(pair, "harq");
    await pair.near.harqStream();
    const fromUs = nowUs() + settleUs;
    const bytes = await pair.far.bytesDuring({ fromUs, forUs: windowUs });
    const { repairBytes, sourceBytes } = await pair.near.harqMetrics();
    return { bytesPerSecond: (bytes * 1e6) / windowUs, repairShare: repairBytes / Math.max(1, sourceBytes) };
  } finally {
    await pair.close();
  }
}

async function stream(path: Parameters<typeof pathOf>[0]): Promise<number> {
  const pair = await openPair(pathOf(path));
  try {
    await pair.far.streamListen({ host: pair.host });
    await pair.near.streamOpen({ host: pair.host, congestion: "cubic" });
    const bytes = await pair.far.bytesDuring({ fromUs: nowUs() + settleUs, forUs: windowUs });
    return (bytes * 1e6) / windowUs;
  } finally {
    await pair.close();
  }
}

const nowUs = (): number => Number(process.hrtime.bigint()) / 1_000;
