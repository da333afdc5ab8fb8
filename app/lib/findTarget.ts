/** Where a typed word leads: a page by its name, a node by its number, a task or a transaction by its hash. */
import type { Hex } from "viem";

export type FindTarget =
  | { kind: "page"; href: string; title: string }
  | { kind: "node"; href: string; title: string }
  | { kind: "hash"; hash: Hex }
  | { kind: "none" };

export interface Place {
  href: string;
  title: string;
}

export function findTarget(text: string, places: readonly Place[]): FindTarget {
  const word = text.trim().toLowerCase();
  if (/^0x[0-9a-f]{64}$/.test(word)) return { kind: "hash", hash: word as Hex };
  const node = /^(?:node[-\s]?)?([1-9][0-9]{0,9})$/.exec(word);
  if (node?.[1] !== undefined) return { kind: "node", href: `/nodes/${node[1]}`, title: `node-${node[1]}` };
  const place = word === "" ? undefined : places.find(({ title }) => title.toLowerCase().startsWith(word));
  return place === undefined ? { kind: "none" } : { kind: "page", ...place };
}
