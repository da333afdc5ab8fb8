/**
 * Whole messages over noisy paths: ours, and `ws` over CUBIC and over BBR, each on a path of its own. What takes minutes
 * and hardly any of the machine (a TCP that stalls) goes on side by side, all turns at once, while the rest is measured
 * one after the other; what has not ended at the limit is cut there and told as a lower bound.
 */
import { describePath, pathOf } from "../conditions.ts";
import type { Congestion } from "../endpoint/endpointCalls.ts";
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
  /** Peers that stall here. */
  readonly stalling: readonly Congestion[];
  readonly overCubic: number;
  readonly overBbr?: number;
  readonly warmOverCubic?: number;
}

const cases: readonly Case[] = [
  { megabytes: 1, loss: 0.1, stalling: ["cubic"], overCubic: 40, warmOverCubic: 150 },
  { megabytes: 10, loss: 0.1, stalling: ["cubic"], overCubic: 200, overBbr: 2 },
  { megabytes: 10, loss: 0.2, stalling: ["cubic", "bbr"], overCubic: 100 },
];
const rttMs = 200;

export async function transferRows(plan: TransferPlan, tell: (text: string) => void): Promise<Row[]> {
  const cut = new AbortController();
  try {
    tell(`peers that stall, ${plan.peerTurns} turns of each side by side, for ${plan.limitS} s at most`);
    const stalling: Begun[] = [];
    for (const one of cases) stalling.push(await beginAll(one, plan, cut.signal));
    const measured: { one: Case; begun: Begun; ours: Transfer[]; bbr: Transfer[] | undefined }[] = [];
    for (const [at, one] of cases.entries()) {
      tell(`${one.megabytes} MB at ${one.loss * 100} %`);
      const ours = await inTurn("harq", one, plan);
      const bbr = one.stalling.includes("bbr") ? undefined : await inTurn("bbr", one, plan);
      measured.push({ one, begun: stalling[at]!, ours, bbr });
    }
    tell("what still goes on");
    const rows: Row[] = [];
    for (const { one, begun, ours, bbr } of measured) {
      const slow = { cubic: await Promise.all(begun.cubic), bbr: await Promise.all(begun.bbr) };
      rows.push(...rowsOf(one, plan, { ours, cubic: slow.cubic, bbr: bbr ?? slow.bbr }));
    }
    return rows;
  } finally {
    cut.abort();
  }
}

type Begun = Readonly<Record<Congestion, Promise<Transfer>[]>>;

/** One after the other, so that sixty processes do not start at once; returns when all have begun. */
async function beginAll(one: Case, plan: TransferPlan, signal: AbortSignal): Promise<Begun> {
  const begun: Begun = { cubic: [], bbr: [] };
  for (const carrier of one.stalling) {
    for (let turn = 0; turn < plan.peerTurns; turn += 1) {
      const opened = Promise.withResolvers<void>();
      const ended = transfer({ ...options(carrier, one, plan, turn), onOpen: opened.resolve, signal });
      // Whoever awaits it later sees how it ended; until then a failure must not end the process.
      ended.catch(opened.reject);
      begun[carrier].push(ended);
      await opened.promise;
    }
  }
  return begun;
}

async function inTurn(carrier: Carrier, one: Case, plan: TransferPlan): Promise<Transfer[]> {
  const transfers: Transfer[] = [];
  const turns = carrier === "harq" ? plan.turns : plan.peerTurns;
  for (let turn = 0; turn < turns; turn += 1) transfers.push(await transfer(options(carrier, one, plan, turn)));
  return transfers;
}

function options(carrier: Carrier, { megabytes, loss }: Case, { limitS }: TransferPlan, turn: number) {
  const bytes = Array.from({ length: carrier === "harq" ? 2 : 1 }, () => megabytes * 1_000_000);
  return { carrier, conditions: pathOf({ rttMs, loss, seed: turn + 1 }), bytes, limitS };
}

function rowsOf(
  one: Case,
  { limitS }: TransferPlan,
  { ours, bbr, cubic }: Record<"ours" | "bbr" | "cubic", readonly Transfer[]>,
): Row[] {
  const { megabytes, loss, overCubic, overBbr, warmOverCubic } = one;
  const conditions = describePath(pathOf({ rttMs, loss, seed: 0 }));
  const cold = ours.map(({ seconds }) => seconds[0] ?? Infinity);
  const warm = ours.map(({ seconds }) => seconds[1] ?? Infinity);
  const overheads = ours.map(({ sentBytes, seconds }) => sentBytes / (seconds.length * megabytes * 1e6));
  const name = `${megabytes} MB`;
  const base = { conditions, unit: "s" };
  const overCubicPeer = { name: `ws over CUBIC, cut at ${limitS} s`, measured: firstOf(cubic) };
  const overBbrPeer = { name: `ws over BBR, cut at ${limitS} s`, measured: firstOf(bbr) };
  return [
    rowOf({ ...base, name: `${name}, cold, against CUBIC`, values: cold, peer: overCubicPeer, target: atLeast(overCubic, "ratio") }),
    rowOf({ ...base, name: `${name}, cold, against BBR`, values: cold, peer: overBbrPeer, ...(overBbr && { target: atLeast(overBbr, "ratio") }) }),
    rowOf({ ...base, name: `${name}, warm, against cold CUBIC`, values: warm, peer: overCubicPeer, ...(warmOverCubic && { target: atLeast(warmOverCubic, "ratio") }) }),
    rowOf({ conditions, unit: "bytes sent ÷ payload", name: `${name}, cold and warm together`, values: overheads, ...(megabytes === 1 && { target: atMost(1.35) }) }),
  ];
}

function firstOf(transfers: readonly Transfer[]): Measured {
  return { values: transfers.map(({ seconds }) => seconds[0] ?? Infinity), isCut: transfers.some(({ isCut }) => isCut) };
}
