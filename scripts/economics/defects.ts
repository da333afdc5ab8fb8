/** What is wrong with the judged rows, in words; empty when the table may stand. */
import type { Row, UnjudgedRow } from "./judge.ts";

export function defects(rows: readonly (Row | UnjudgedRow)[], open: { has(id: string): boolean }): string[] {
  return rows.flatMap((row) => {
    if ("missing" in row) return [];
    const { id } = row.attack;
    const pays = row.verdict === "pays";
    if (pays === open.has(id)) return [];
    if (pays) return [`${id} pays: it gains ${row.gainUsd6} and loses ${row.lossUsd6}`];
    return [`${id} no longer pays: take it out of scripts/economics/openRows.ts`];
  });
}
