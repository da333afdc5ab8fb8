/**
 * What the gateways said: who is online, and what nodes signed. Only messages whose signature the keeper itself has
 * verified get in, so planning can trust the view; whether a receipt fits its task is for the plan to judge. In memory,
 * bounded, rebuilt after a restart from what the gateways replay.
 */
import { recoverSigner, type Signed, type SigningContext } from "@ngpu/protocol/signed";
import type { Clock } from "@ngpu/protocol/service/clock";
import type { Log } from "@ngpu/protocol/service/log";
import type { Frame, RosterEntry } from "@ngpu/protocol/wire";
import type { Hex } from "viem";
import type { Authority } from "../chain/authority.ts";

export interface OnlineNode {
  nodeId: number;
  models: Hex[];
  slots: number;
  freeSlots: number;
  /** Keeper's clock when the node was last heard of, as far as its gateway says. */
  heardMs: number;
  /** Keeper's clock since when the node is online without a break. */
  onlineSinceMs: number;
}

/** A node that announces no slots is stopping: it ends what it executes and takes nothing new. */
export function isDraining({ slots }: OnlineNode): boolean {
  return slots === 0;
}

export interface ProgressSeen {
  nodeId: number;
  assignment: number;
  attempt: number;
  seq: number;
  /** Keeper's clock at the first report of that attempt. */
  sinceMs: number;
  receivedMs: number;
}

export interface DispatchSent {
  nodeId: number;
  assignment: number;
  attempt: number;
  role: "primary" | "backup";
  firstMs: number;
  lastMs: number;
}

export interface TaskView {
  accepts: Signed<"accept">[];
  /** The newest of each node. */
  progress: ProgressSeen[];
  receipts: Signed<"receipt">[];
  /** The newest to each node. */
  dispatches: DispatchSent[];
}

/** The view at one moment, as planning takes it. */
export interface View {
  /** Keeper's clock since when at least one gateway is connected; undefined while none is. */
  connectedSinceMs: number | undefined;
  /** Keeper's clock when the newest roster came. */
  rosterMs: number;
  nodes: Map<number, OnlineNode>;
  /** Nodes that were online since then and are not any more. */
  gone: ReadonlySet<number>;
  tasks: ReadonlyMap<Hex, TaskView>;
}

export interface GatewayView {
  /** Takes a frame of the gateway. Resolves true when it changed the view. */
  receive(gateway: string, frame: Frame): Promise<boolean>;
  connected(gateway: string): void;
  disconnected(gateway: string): void;
  dispatched(dispatch: {
    taskId: Hex;
    nodeId: number;
    assignment: number;
    attempt: number;
    role: "primary" | "backup";
  }): void;
  read(): View;
  /** The chain is another one: what nodes signed and who they were belongs to the old one. */
  forget(): void;
  /** Forgets tasks that are not open and were not heard of for a while. */
  keepOnly(open: Set<Hex>): void;
}

const mostTasks = 20_000;
/** Of each node, so that no node can push out what its peer signed. */
const mostPerNode = 8;
/** What nodes say about a task may arrive before the snapshot knows it. */
const keepUnknownMs = 120_000;

export function createGatewayView(options: {
  context: SigningContext;
  authority: Authority;
  clock: Clock;
  log: Log;
}): GatewayView {
  const { context, authority, clock, log } = options;
  const tasks = new Map<Hex, TaskView & { heardMs: number }>();
  const rosters = new Map<string, { entries: RosterEntry[]; receivedMs: number }>();
  const onlineSince = new Map<number, number>();
  const gone = new Set<number>();
  const connectedTo = new Set<string>();
  let connectedSinceMs: number | undefined;

  function taskView(taskId: Hex): TaskView {
    const nowMs = clock.monotonicMs();
    const known = tasks.get(taskId);
    if (known !== undefined) {
      known.heardMs = nowMs;
      return known;
    }
    const view = { accepts: [], progress: [], receipts: [], dispatches: [], heardMs: nowMs };
    tasks.set(taskId, view);
    for (const oldest of tasks.keys()) {
      if (tasks.size <= mostTasks) break;
      tasks.delete(oldest);
    }
    return view;
  }

  async function isSignedByNode<K extends "accept" | "progress" | "receipt">(
    kind: K,
    signed: Signed<K>,
  ): Promise<boolean> {
    const signer = await recoverSigner({ kind, signed, context });
    const valid = signer !== undefined && (await authority.nodeOfOperator(signer)) === signed.message.nodeId;
    if (!valid)
      log.warn({ kind, nodeId: signed.message.nodeId, signer }, "gateway forwarded what its node did not sign");
    return valid;
  }

  async function receive(gateway: string, frame: Frame): Promise<boolean> {
    switch (frame.t) {
      case "roster":
        return receiveRoster(gateway, frame.nodes);
      case "accept": {
        const { taskId } = frame.accept.message;
        const has = tasks.get(taskId)?.accepts.some(({ signature }) => signature === frame.accept.signature);
        if (has || !(await isSignedByNode("accept", frame.accept))) return false;
        const { accepts } = taskView(taskId);
        keep(accepts, frame.accept);
        return true;
      }
      case "progress":
        return (await isSignedByNode("progress", frame.progress)) && receiveProgress(frame.progress);
      case "receipt": {
        const { taskId } = frame.receipt.message;
        const has = tasks.get(taskId)?.receipts.some(({ signature }) => signature === frame.receipt.signature);
        if (has || !(await isSignedByNode("receipt", frame.receipt))) return false;
        const { receipts } = taskView(taskId);
        keep(receipts, frame.receipt);
        return true;
      }
      default:
        return false;
    }
  }

  function receiveRoster(gateway: string, entries: RosterEntry[]): boolean {
    const nowMs = clock.monotonicMs();
    rosters.set(gateway, { entries, receivedMs: nowMs });
    const online = new Set([...rosters.values()].flatMap((roster) => roster.entries.map(({ nodeId }) => nodeId)));
    for (const nodeId of onlineSince.keys()) {
      if (online.has(nodeId)) continue;
      onlineSince.delete(nodeId);
      gone.add(nodeId);
    }
    for (const nodeId of online) {
      gone.delete(nodeId);
      if (!onlineSince.has(nodeId)) onlineSince.set(nodeId, nowMs);
    }
    return true;
  }

  function receiveProgress({ message }: Signed<"progress">): boolean {
    const { taskId, nodeId, assignment, attempt, seq } = message;
    const { progress } = taskView(taskId);
    const nowMs = clock.monotonicMs();
    const index = progress.findIndex((seen) => seen.nodeId === nodeId);
    const seen = progress[index];
    const isSame = seen?.assignment === assignment && seen.attempt === attempt;
    const newest = { nodeId, assignment, attempt, seq, sinceMs: isSame ? seen.sinceMs : nowMs, receivedMs: nowMs };
    if (seen === undefined) progress.push(newest);
    else if (isLater(newest, seen)) progress[index] = newest;
    return false;
  }

  return {
    receive,
    connected(gateway) {
      connectedTo.add(gateway);
      connectedSinceMs ??= clock.monotonicMs();
    },
    disconnected(gateway) {
      connectedTo.delete(gateway);
      rosters.delete(gateway);
      if (connectedTo.size > 0) return;
      connectedSinceMs = undefined;
      onlineSince.clear();
      gone.clear();
    },
    dispatched({ taskId, nodeId, assignment, attempt, role }) {
      const { dispatches } = taskView(taskId);
      const nowMs = clock.monotonicMs();
      const index = dispatches.findIndex((sent) => sent.nodeId === nodeId);
      const sent = dispatches[index];
      const again = sent?.assignment === assignment && sent.attempt === attempt && sent.role === role;
      const newest = { nodeId, assignment, attempt, role, firstMs: again ? sent.firstMs : nowMs, lastMs: nowMs };
      if (sent === undefined) dispatches.push(newest);
      else dispatches[index] = newest;
    },
    read() {
      const nodes = new Map<number, OnlineNode>();
      let rosterMs = -Infinity;
      for (const { entries, receivedMs } of rosters.values()) {
        rosterMs = Math.max(rosterMs, receivedMs);
        for (const { nodeId, models, slots, freeSlots, silentMs } of entries) {
          const heardMs = receivedMs - silentMs;
          if ((nodes.get(nodeId)?.heardMs ?? -Infinity) >= heardMs) continue;
          const onlineSinceMs = onlineSince.get(nodeId) ?? receivedMs;
          nodes.set(nodeId, { nodeId, models, slots, freeSlots, heardMs, onlineSinceMs });
        }
      }
      return { connectedSinceMs, rosterMs, nodes, gone, tasks };
    },
    forget() {
      tasks.clear();
      rosters.clear();
      onlineSince.clear();
      gone.clear();
    },
    keepOnly(open) {
      const nowMs = clock.monotonicMs();
      for (const [taskId, { heardMs }] of tasks) {
        if (!open.has(taskId) && nowMs - heardMs > keepUnknownMs) tasks.delete(taskId);
      }
    },
  };
}

/** Adds the newest and drops what is too much of the same node, its oldest first. */
function keep<S extends Signed<"accept"> | Signed<"receipt">>(list: S[], newest: S): void {
  const isSameNode = ({ message }: S): boolean => message.nodeId === newest.message.nodeId;
  if (list.filter(isSameNode).length >= mostPerNode) list.splice(list.findIndex(isSameNode), 1);
  list.push(newest);
}

function isLater(a: ProgressSeen, b: ProgressSeen): boolean {
  if (a.assignment !== b.assignment) return a.assignment > b.assignment;
  return a.attempt !== b.attempt ? a.attempt > b.attempt : a.seq > b.seq;
}
