/** Whole messages over noisy paths: ours, and `ws` over CUBIC and over BBR, each on a path of its own. */
import { describePath, pathOf } from "../conditions.ts";
import { atLeast, atMost, rowOf, type Measured, type Row } from "../row.ts";
import { transfer, type Carrier, type Transfer } from "../transfer.ts";

export interface TransferPlan {
  readonly turns: number;
  readonly peerTurns: number;
  /** After which a peer is cut. */
  readonly limitS: number;
}

interface Case {
  readonly megabytes: number;
  readonly loss: number;
  readonly overCubic: number;
  readonly overBbr?: number;
  readonly warmOverCubic?: number;
}

const cases: readonly Case[] = [
  { megabytes: 1, loss: 0.1, overCubic: 40, warmOverCubic: 150 },
  { megabytes: 10, loss: 0.1, overCubic: 200, overBbr: 2 },
  { megabytes: 10, loss: 0.2, overCubic: 100 },
];
const rttMs = 200;

export async function transferRows(plan: TransferPlan, tell: (text: string) => void): Promise<Row[]> {
  // CUBIC takes minutes and hardly any of the machine: all of it goes on beside the rest.
  const cubic = cases.map((one) => measure("cubic", one, plan));
  const measured: { one: Case; ours: Transfer[]; bbr: Transfer[] }[] = [];
  for (const one of cases) {
    tell(`${one.megabytes} MB at ${one.loss * 100} %`);
    measured.push({ one, ours: await measure("harq", one, plan), bbr: await measure("bbr", one, plan) });
  }
  tell(`CUBIC, for ${plan.limitS} s at most`);
  const slow = await Promise.all(cubic);
  return measured.flatMap(({ one, ...fast }, at) => rowsOf(one, { ...fast, cubic: slow[at] ?? [] }));
}

function rowsOf(one: Case, { ours, bbr, cubic }: Record<"ours" | "bbr" | "cubic", readonly Transfer[]>): Row[] {
  const { megabytes, loss, overCubic, overBbr, warmOverCubic } = one;
  const conditions = describePath(pathOf({ rttMs, loss, seed: 0 }));
  const cold = ours.map(({ seconds }) => seconds[0] ?? Infinity);
  const warm = ours.map(({ seconds }) => seconds[1] ?? Infinity);
  const overheads = ours.map(({ sentBytes, seconds }) => sentBytes / (seconds.length * megabytes * 1e6));
  const name = `${megabytes} MB`;
  const base = { conditions, unit: "s" };
  return [
    rowOf({ ...base, name: `${name}, cold, against CUBIC`, values: cold, peer: { name: "ws over CUBIC", measured: firstOf(cubic) }, target: atLeast(overCubic, "ratio") }),
    rowOf({ ...base, name: `${name}, cold, against BBR`, values: cold, peer: { name: "ws over BBR", measured: firstOf(bbr) }, ...(overBbr && { target: atLeast(overBbr, "ratio") }) }),
    rowOf({ ...base, name: `${name}, warm, against cold CUBIC`, values: warm, peer: { name: "ws over CUBIC", measured: firstOf(cubic) }, ...(warmOverCubic && { target: atLeast(warmOverCubic, "ratio") }) }),
    rowOf({ conditions, unit: "bytes sent ÷ payload", name: `${name}, cold and warm together`, values: overheads, ...(megabytes === 1 && { target: atMost(1.35) }) }),
  ];
}

function firstOf(transfers: readonly Transfer[]): Measured {
  return { values: transfers.map(({ seconds }) => seconds[0] ?? Infinity), isCut: transfers.some(({ isCut }) => isCut) };
}

async function measure(carrier: Carrier, { megabytes, loss }: Case, plan: TransferPlan): Promise<Transfer[]> {
  const isOurs = carrier === "harq";
  const bytes = Array.from({ length: isOurs ? 2 : 1 }, () => megabytes * 1_000_000);
  const one = (turn: number): Promise<Transfer> =>
    transfer({ carrier, conditions: pathOf({ rttMs, loss, seed: turn + 1 }), bytes, limitS: plan.limitS });
  const turns = Array.from({ length: isOurs ? plan.turns : plan.peerTurns }, (_, turn) => turn);
  if (carrier === "cubic") return Promise.all(turns.map(one));
  const transfers: Transfer[] = [];
  for (const turn of turns) transfers.push(await one(turn));
  return transfers;
}
