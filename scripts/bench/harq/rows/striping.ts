/** A message over eight WebSockets of one link, where UDP is blocked, and over one plain `ws` socket; all under CUBIC. */
import { describePath, pathOf } from "../conditions.ts";
import { atLeast, atMost, rowOf, type Row } from "../row.ts";
import { transfer, type Transfer } from "../transfer.ts";

export interface StripingPlan {
  readonly turns: number;
  readonly peerTurns: number;
  /** After which a peer is cut. */
  readonly limitS: number;
}

const bytes = 1_000_000;
const path = { rttMs: 100, loss: 0.05 };

export async function stripingRows({ turns, peerTurns, limitS }: StripingPlan): Promise<Row[]> {
  const over = (carrier: "stripes" | "striping" | "cubic", turn: number): Promise<Transfer> =>
    transfer({ carrier, conditions: pathOf({ ...path, seed: turn + 1 }), bytes: [bytes], limitS });
  // One socket takes many seconds and hardly any of the machine: its turns go on beside each other.
  const one = await Promise.all(Array.from({ length: peerTurns }, (_, turn) => over("cubic", turn)));
  const ours: Transfer[] = [];
  const asNeeded: Transfer[] = [];
  for (let turn = 0; turn < turns; turn += 1) {
    ours.push(await over("stripes", turn));
    asNeeded.push(await over("striping", turn));
  }
  const values = ours.map(firstSeconds);
  const measured = { values: one.map(firstSeconds), isCut: one.some(({ isCut }) => isCut) };
  const peer = { name: "one ws over CUBIC", measured };
  const base = { conditions: describePath(pathOf({ ...path, seed: 0 })), unit: "s", values, peer };
  return [
    rowOf({ ...base, name: "1 MB over 8 WebSockets", target: atMost(1.5) }),
    rowOf({ ...base, name: "1 MB over 8 WebSockets, against one", target: atLeast(8, "ratio") }),
    rowOf({ ...base, name: "1 MB over one WebSocket, seven more once it stalls", values: asNeeded.map(firstSeconds) }),
    rowOf({
      name: "1 MB over 8 WebSockets",
      conditions: base.conditions,
      unit: "bytes sent ÷ payload",
      values: ours.map(({ sentBytes }) => sentBytes / bytes),
    }),
  ];
}

function firstSeconds({ seconds }: Transfer): number {
  return seconds[0] ?? Infinity;
}
