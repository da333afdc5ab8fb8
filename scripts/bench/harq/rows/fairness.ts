/** How a link of ours shares a clean path with one flow of CUBIC, and with another of its kind. */
import { describePath, pathOf } from "../conditions.ts";
import { openPair } from "../openPair.ts";
import { atLeast, rowOf, within, type Row } from "../row.ts";
import { open } from "../transfer.ts";

const path = { mbitPerSecond: 50, rttMs: 40, loss: 0 };
const productBytes = (path.mbitPerSecond * 125_000 * path.rttMs) / 1_000;
const secondPort = 9_005;
const settleUs = 10_000_000;
const windowUs = 20_000_000;

export async function fairnessRows(turns: number): Promise<Row[]> {
  const rows: Row[] = [];
  for (const queues of [1, 4]) {
    const of = { ...path, queueBytes: queues * productBytes };
    const shares: number[] = [];
    for (let seed = 1; seed <= turns; seed += 1) {
      const [mine, cubic] = await share({ ...of, seed }, "cubic");
      shares.push((100 * mine) / (mine + cubic));
    }
    const conditions = describePath(pathOf({ ...of, seed: 0 }));
    rows.push(rowOf({ name: "share beside one flow of CUBIC", conditions, unit: "%", values: shares, target: within(35, 65) }));
  }
  const of = { ...path, queueBytes: productBytes };
  const fairness: number[] = [];
  for (let seed = 1; seed <= turns; seed += 1) {
    const [one, other] = await share({ ...of, seed }, "harq");
    fairness.push((one + other) ** 2 / (2 * (one ** 2 + other ** 2)));
  }
  const conditions = describePath(pathOf({ ...of, seed: 0 }));
  rows.push(rowOf({ name: "two of ours", conditions, unit: "Jain's index", values: fairness, target: atLeast(0.9) }));
  return rows;
}

async function share(conditions: Parameters<typeof pathOf>[0], other: "cubic" | "harq"): Promise<[number, number]> {
  const pair = await openPair(pathOf(conditions));
  try {
    const beside = pair.beside();
    await open(pair, "harq");
    await pair.near.harqStream();
    if (other === "harq") {
      await open({ ...pair, ...beside }, "harq", secondPort);
      await beside.near.harqStream();
    } else {
      await beside.far.streamListen({ host: pair.host });
      await beside.near.streamOpen({ host: pair.host, congestion: "cubic" });
    }
    const during = { fromUs: Number(process.hrtime.bigint()) / 1_000 + settleUs, forUs: windowUs };
    return await Promise.all([pair.far.bytesDuring(during), beside.far.bytesDuring(during)]);
  } finally {
    await pair.close();
  }
}
