/**
 * Distinct members of a tree in the order in which a seed draws them, each with a chance of its weight; the same as
 * contracts/libraries/Draw.sol. A longer draw begins with the shorter one.
 */
import { encodeAbiParameters, keccak256, type Hex } from "viem";
import type { WeightedMember, WeightTree } from "./weightTree.ts";

/** Most members of one draw. */
export const maxDrawCount = 16;

const point = [{ type: "bytes32" }, { type: "bytes32" }, { type: "uint256" }] as const;

export function draw(request: {
  tree: WeightTree;
  seed: Hex;
  /** The task's id, or whatever else is drawn for. */
  subject: Hex;
  count: number;
}): number[] {
  const { tree, seed, subject } = request;
  const count = Math.min(request.count, maxDrawCount);
  const cuts: WeightedMember[] = [];
  const members: number[] = [];
  let left = tree.total;
  while (members.length < count && left > 0) {
    const hash = keccak256(encodeAbiParameters(point, [seed, subject, BigInt(members.length)]));
    const hit = tree.hitAt(skipCuts(cuts, Number(BigInt(hash) % BigInt(left))));
    members.push(hit.member);
    left -= hit.weight;
    const after = cuts.findIndex(({ start }) => start > hit.start);
    cuts.splice(after < 0 ? cuts.length : after, 0, hit);
  }
  return members;
}

/** From a point on the line without the cuts to the same point on the whole line. */
function skipCuts(cuts: readonly WeightedMember[], from: number): number {
  let at = from;
  for (const { start, weight } of cuts) {
    if (at < start) break;
    at += weight;
  }
  return at;
}
