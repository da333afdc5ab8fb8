/**
 * Waits until the subgraph shows so many bills of a session, then reads every one of them; graph-node answers an error
 * while it follows a new block, which is asked again.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Hex } from "viem";
import { StackError } from "./stackError.ts";

export interface IndexedSession {
  /** By the session's own totals. */
  bills: number;
  billedUsd6: bigint;
  paidUsd6: bigint;
  /** By adding up its bills one by one. */
  records: { nodeId: number; seq: bigint; kind: "Execution" | "Standby"; durationMs: number; amountUsd6: bigint }[];
}

const pollMs = 50;
const pageSize = 1_000;

interface Answer<T> {
  data?: T;
}
type Totals = { session: { bills: string; billedUsd6: string; paidUsd6: string } | null };
type Page = {
  sessionBills: {
    id: Hex;
    node: { id: string };
    seq: string;
    kind: "Execution" | "Standby";
    durationMs: string;
    amountUsd6: string;
  }[];
};

export async function sessionInSubgraph(options: {
  subgraphUrl: string;
  sessionId: Hex;
  bills: number;
  timeoutMs: number;
}): Promise<IndexedSession> {
  const { subgraphUrl, sessionId, bills, timeoutMs } = options;
  const untilMs = performance.now() + timeoutMs;
  const query = `{ session(id: "${sessionId}") { bills billedUsd6 paidUsd6 } }`;
  for (;;) {
    const totals = (await ask<Totals>(subgraphUrl, query))?.session;
    if (totals && Number(totals.bills) >= bills) {
      const { billedUsd6, paidUsd6 } = totals;
      const records = await readAll(subgraphUrl, sessionId, untilMs);
      return { bills: Number(totals.bills), billedUsd6: BigInt(billedUsd6), paidUsd6: BigInt(paidUsd6), records };
    }
    if (performance.now() > untilMs) {
      throw new StackError(`The subgraph shows ${totals?.bills ?? 0} of ${bills} bills after ${timeoutMs / 1_000} s.`);
    }
    await sleep(pollMs);
  }
}

async function readAll(url: string, sessionId: Hex, untilMs: number): Promise<IndexedSession["records"]> {
  const records: IndexedSession["records"] = [];
  for (let after = "0x"; ; ) {
    const where = `{ session: "${sessionId}", id_gt: "${after}" }`;
    const fields = "id node { id } seq kind durationMs amountUsd6";
    const query = `{ sessionBills(first: ${pageSize}, orderBy: id, where: ${where}) { ${fields} } }`;
    const page = (await ask<Page>(url, query))?.sessionBills;
    if (page === undefined) {
      if (performance.now() > untilMs) throw new StackError("The subgraph does not answer.");
      await sleep(pollMs);
      continue;
    }
    for (const { node, seq, kind, durationMs, amountUsd6 } of page) {
      const bill = { nodeId: Number(node.id), seq: BigInt(seq), kind, durationMs: Number(durationMs) };
      records.push({ ...bill, amountUsd6: BigInt(amountUsd6) });
    }
    const last = page.at(-1);
    if (last === undefined || page.length < pageSize) return records;
    after = last.id;
  }
}

async function ask<T>(url: string, query: string): Promise<T | undefined> {
  try {
    const headers = { "content-type": "application/json" };
    const response = await fetch(url, { method: "POST", headers, body: JSON.stringify({ query }) });
    return ((await response.json()) as Answer<T>).data;
  } catch {
    return undefined;
  }
}
