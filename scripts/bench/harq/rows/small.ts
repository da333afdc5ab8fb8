/** Small messages one way, as control frames and answers are: how long the slowest of them take. */
import { describePath, pathOf } from "../conditions.ts";
import { openPair } from "../openPair.ts";
import { atMost, rowOf, type Row } from "../row.ts";
import { open, type Carrier } from "../transfer.ts";

const bytes = 4_096;
const count = 500;
const everyMs = 20;
const path = { rttMs: 200, loss: 0.1 };

export async function smallRows(turns: number): Promise<Row[]> {
  const ours = await percentiles("harq", turns);
  const bbr = await percentiles("bbr", 1);
  const conditions = `${describePath(pathOf({ ...path, seed: 0 }))}; ${count} of ${bytes} bytes, one every ${everyMs} ms, from the connection's first on`;
  const peer = (values: readonly number[]) => ({ name: "ws over BBR", measured: { values, isCut: false } });
  return [
    rowOf({ name: "4 KB one way, p50", conditions, unit: "ms", values: ours.p50, peer: peer(bbr.p50) }),
    rowOf({ name: "4 KB one way, p99", conditions, unit: "ms", values: ours.p99, peer: peer(bbr.p99), target: atMost(150) }),
  ];
}

async function percentiles(carrier: Carrier, turns: number): Promise<{ p50: number[]; p99: number[] }> {
  const found = { p50: [] as number[], p99: [] as number[] };
  for (let turn = 1; turn <= turns; turn += 1) {
    const pair = await openPair(pathOf({ ...path, seed: turn }));
    try {
      await open(pair, carrier);
      await (carrier === "harq" ? pair.near.harqSendEvery : pair.near.webSocketSendEvery)({ bytes, count, everyMs });
      const delays: number[] = [];
      for (let arrived = 0; arrived < count; arrived += 1) {
        const arrival = await pair.far.nextArrival({ withinMs: 60_000 });
        if (arrival === undefined) throw new Error(`only ${arrived} messages arrived`);
        delays.push(arrival.delayUs / 1_000);
      }
      delays.sort((a, b) => a - b);
      found.p50.push(delays[Math.floor(count * 0.5)] ?? 0);
      found.p99.push(delays[Math.ceil(count * 0.99) - 1] ?? 0);
    } finally {
      await pair.close();
    }
  }
  return found;
}
