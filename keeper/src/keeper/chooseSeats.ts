/**
 * Which nodes serve a task, primary first and then its backups in their order: online, eligible, serving its model, not
 * too small for it. Those that the epoch's seed draws come in the order of the draw, so that stake, score and quality
 * decide and no keeper does; a drawn node that is away or busy is passed over. Then, and while nothing can be drawn, the
 * one with the most free slots, then the one that was assigned longest ago, then by hash, so that several keepers with
 * the same view choose the same nodes.
 */
import { u32be } from "@ngpu/protocol/bytes";
import { mostCums } from "@ngpu/protocol/units";
import { concat, keccak256, toHex, type Hex } from "viem";
import { isDraining, type OnlineNode, type View } from "./gatewayView.ts";
import type { NodeFacts, OpenTask, Snapshot } from "./snapshot.ts";

/** An assignment is on chain so much after the block that it was planned at. */
const MARGIN_S = 3;

/** What nodes were given but do not count as busy yet. */
export interface Load {
  /** Tasks that the node is to execute and has not begun. */
  primaryOf: Map<number, number>;
  /** Rises with every assignment of this pass. */
  assignedNow: Map<number, number>;
}

interface Candidate {
  node: OnlineNode;
  facts: NodeFacts;
  freeSlots: number;
  wasTried: boolean;
  /** Place in the draw; after all who were drawn for one who was not. */
  place: number;
  tie: Hex;
}

/** Node ids in the order of their seats; undefined when too few nodes are there. */
export function chooseSeats(request: {
  task: OpenTask;
  snapshot: Snapshot;
  view: View;
  load: Load;
  nowMs: number;
  silentMs: number;
}): number[] | undefined {
  const { task, load } = request;
  const candidates = candidatesFor(request);
  const primary = candidates.filter(({ freeSlots }) => freeSlots > 0).sort(inOrder(load))[0];
  if (primary === undefined) return undefined;
  const chosen = [primary];
  while (chosen.length <= task.terms.backups) {
    const backup = nextBackup(candidates, chosen, load);
    if (backup === undefined) return undefined;
    chosen.push(backup);
  }
  return chosen.map(({ node }) => node.nodeId);
}

/**
 * Of another owner than those chosen before, where there is one. A backup that has no free slot now may well have one
 * when it is needed, so it only comes later in the order.
 */
function nextBackup(candidates: Candidate[], chosen: Candidate[], load: Load): Candidate | undefined {
  const owners = new Set(chosen.map(({ facts }) => facts.owner));
  const isForeign = ({ facts }: Candidate): number => Number(!owners.has(facts.owner));
  const left = candidates.filter((candidate) => !chosen.includes(candidate));
  return left.sort((a, b) => isForeign(b) - isForeign(a) || inOrder(load)(a, b))[0];
}

function candidatesFor(request: Parameters<typeof chooseSeats>[0]): Candidate[] {
  const { task, snapshot, view, load, nowMs, silentMs } = request;
  const candidates: Candidate[] = [];
  for (const node of view.nodes.values()) {
    const facts = snapshot.nodes.get(node.nodeId);
    if (facts === undefined || !facts.isEligible) continue;
    const leftS = task.terms.deadline - snapshot.chainTimeS - MARGIN_S;
    if (task.terms.workCums > mostCums({ ...task.terms, ...facts, leftS })) continue;
    if (isDraining(node) || !node.models.includes(task.modelId) || nowMs - node.heardMs > silentMs) continue;
    const freeSlots = node.freeSlots - (load.primaryOf.get(node.nodeId) ?? 0);
    const wasTried = task.standing.seats.some(({ nodeId }) => nodeId === node.nodeId);
    const drawnAt = task.drawn.indexOf(node.nodeId);
    const place = drawnAt === -1 ? task.drawn.length : drawnAt;
    const tie = keccak256(concat([task.taskId, toHex(u32be(node.nodeId))]));
    candidates.push({ node, facts, freeSlots, wasTried, place, tie });
  }
  return candidates;
}

function inOrder(load: Load): (a: Candidate, b: Candidate) => number {
  return (a, b) =>
    Number(a.wasTried) - Number(b.wasTried) ||
    Number(b.freeSlots > 0) - Number(a.freeSlots > 0) ||
    a.place - b.place ||
    b.freeSlots - a.freeSlots ||
    (load.assignedNow.get(a.node.nodeId) ?? 0) - (load.assignedNow.get(b.node.nodeId) ?? 0) ||
    compare(a.facts.lastAssignedBlock, b.facts.lastAssignedBlock) ||
    compare(a.tie, b.tie);
}

function compare<T extends bigint | string>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
