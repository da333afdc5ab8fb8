/**
 * Who is connected and which frame goes where:
 *   node   → keepers, clients of the task   accept, progress, receipt
 *   keeper → node                           dispatch, settled, livenessAsk
 *   node   → keepers                        livenessReply
 *   client → node                           wrap
 *   hub    → keepers                        roster
 *   hub    → clients of a task              nodes
 *   frames of sessions                      sessionRelay.ts
 *   frames of direct links                  direct/meetings.ts
 * Whoever (re)connects is told what it missed.
 */
import { NgpuError } from "@ngpu/protocol/errors";
import type { Clock } from "@ngpu/protocol/service/clock";
import type { Log } from "@ngpu/protocol/service/log";
import type { SigningContext } from "@ngpu/protocol/signed";
import { receiptStatus } from "@ngpu/protocol/typedData";
import { closeCode, encodeFrame, type Frame, type FrameOf } from "@ngpu/protocol/wire";
import type { Hex } from "viem";
import { assignedNodes, isAssigned, type TaskFacts } from "../chain/taskFacts.ts";
import { createFrameMemory } from "./frameMemory.ts";
import type { FrameRules } from "./frameRules.ts";
import type { Link } from "./link.ts";
import { createRoster } from "./roster.ts";
import { withinFrame } from "./withinFrame.ts";
import { createSessionRelay, isLaneFrame } from "./sessionRelay.ts";
import type { SessionAuthority } from "../session/sessionAuthority.ts";
import { createMeetings } from "./direct/meetings.ts";
import type { RelayDesk } from "./direct/relayDesk.ts";
import type { TaskWatch } from "./taskWatch.ts";
import type { Identity } from "./verifyLogin.ts";

export interface Hub {
  join(link: Link, identity: Identity): void;
  leave(link: Link, identity: Identity): void;
  /** Handles one frame of a peer that is logged in. */
  handle(link: Link, identity: Identity, frame: Frame): Promise<void>;
  /** The chain says something new about a task. */
  taskChanged(facts: TaskFacts): void;
  /** True while ends of tasks are remembered that are not known to be final. */
  awaitsFinality(): boolean;
  /** Nothing up to this block is taken back. */
  finalise(block: bigint): void;
  /** Nothing that was said about tasks holds any more: the chain is another one. */
  forget(): void;
  roster(): FrameOf<"roster">;
  /** Sends the roster to every keeper. */
  pushRoster(): void;
  /** Tells clients now and then that the line stands; nodes and keepers see pings, a browser does not. */
  keepAlive(): void;
  /** True while the session's client is connected. */
  hasSession(sessionId: Hex): boolean;
  counts(): { nodes: number; keepers: number; clients: number };
}

/** Of each node, so that no node can use up what its peer may say. */
const mostReceiptsPerNode = 8;
const mostClientsPerTask = 4;
const aliveEveryMs = 3_000;

export function createHub(options: {
  rules: FrameRules;
  sessions: SessionAuthority;
  tasks: Pick<TaskWatch, "known" | "head" | "hint">;
  /** True when the sealed output is stored here. */
  hasOutput: (taskId: Hex, hash: Hex) => boolean;
  clock: Clock;
  log: Log;
  mostTasks: number;
  /** How clients and nodes are introduced to each other; not at all where it is not given. */
  direct?: { relays: Pick<RelayDesk, "issue" | "taskEnded">; context: SigningContext; observer: () => string } | undefined;
  /** The roster changed and should be pushed soon. */
  onRosterChange: () => void;
}): Hub {
  const { rules, tasks, hasOutput, clock, log, mostTasks, direct, onRosterChange } = options;
  const roster = createRoster({ clock });
  const memory = createFrameMemory({ mostTasks });
  const keepers = new Set<Link>();
  const clients = new Map<Hex, { link: Link; toldNodes: string; toldDirect: Map<number, Hex>; aliveMs: number }[]>();
  const relay = createSessionRelay({
    authority: options.sessions,
    linkOfNode: (nodeId) => roster.linkOf(nodeId),
    toKeepers: (frame) => keepers.forEach((link) => link.send(frame)),
  });
  const meetings =
    direct === undefined
      ? undefined
      : createMeetings({
          ...direct,
          ...{ rules, clock },
          linkOfNode: (nodeId) => roster.linkOf(nodeId),
          serves(taskId, nodeId) {
            const facts = tasks.known(taskId);
            return facts !== undefined && facts.ended === undefined && isAssigned(facts, nodeId);
          },
        });

  function join(link: Link, identity: Identity): void {
    link.send({ t: "welcome" });
    if (identity.role === "node") joinNode(link, identity);
    else if (identity.role === "keeper") joinKeeper(link);
    else if (identity.role === "session") relay.join(link, identity.sessionId);
    else joinClient(link, identity.taskId);
    log.info({ ...identity }, "joined");
  }

  function joinNode(link: Link, { nodeId, operator }: Identity & { role: "node" }): void {
    roster.join({ nodeId, operator, link })?.close(closeCode.replaced);
    for (const [, frames] of memory.open()) {
      const dispatch = frames.dispatches.get(nodeId);
      const wrap = frames.wraps.get(nodeId);
      if (dispatch !== undefined) link.send(dispatch);
      if (wrap !== undefined) link.send(wrap);
    }
    onRosterChange();
  }

  function joinKeeper(link: Link): void {
    keepers.add(link);
    link.send(rosterFrame());
    for (const [, frames] of memory.open()) {
      for (const kind of [frames.accepts, frames.progress, frames.receipts])
        for (const frame of kind.values()) link.send(frame);
    }
  }

  function joinClient(link: Link, taskId: Hex): void {
    const links = clients.get(taskId) ?? [];
    clients.set(taskId, links);
    links.push({ link, toldNodes: "", toldDirect: new Map(), aliveMs: clock.monotonicMs() });
    if (links.length > mostClientsPerTask) links.shift()?.link.close(closeCode.replaced);
    tellNodes(taskId);
    introduce(taskId);
    const frames = memory.peek(taskId);
    for (const kind of [frames?.accepts, frames?.progress, frames?.receipts]) {
      for (const frame of kind?.values() ?? []) link.send(frame);
    }
  }

  function leave(link: Link, identity: Identity): void {
    if (identity.role === "keeper") keepers.delete(link);
    if (identity.role === "client") {
      const left = (clients.get(identity.taskId) ?? []).filter((client) => client.link !== link);
      if (left.length > 0) clients.set(identity.taskId, left);
      else clients.delete(identity.taskId);
    }
    if (identity.role === "session") relay.leave(link, identity.sessionId);
    if (identity.role === "node" && roster.leave(identity.nodeId, link)) {
      meetings?.left(identity.nodeId);
      onRosterChange();
    }
    log.info({ ...identity }, "left");
  }

  async function handle(link: Link, identity: Identity, frame: Frame): Promise<void> {
    if (identity.role === "session") return relay.fromClient(identity.sessionId, frame);
    if (identity.role === "node" && isLaneFrame(frame)) return relay.fromNode(identity.nodeId, frame);
    if (identity.role === "node") return handleNode(link, identity, frame);
    if (identity.role === "keeper") return handleKeeper(frame);
    return handleClient(link, identity, frame);
  }

  async function handleNode(link: Link, identity: Identity & { role: "node" }, frame: Frame): Promise<void> {
    const { nodeId, operator } = identity;
    switch (frame.t) {
      case "announce": {
        const { binding } = frame;
        if (binding.message.nodeId !== nodeId) throw new NgpuError("AUTH_FORBIDDEN", { part: "binding" });
        await rules.signedByNode({ kind: "transportBinding", signed: binding, nodeId, operator });
        if (roster.linkOf(nodeId) !== link) return;
        roster.announce(nodeId, frame);
        onRosterChange();
        for (const taskId of clients.keys()) {
          const facts = tasks.known(taskId);
          if (facts !== undefined && isAssigned(facts, nodeId)) tellNodes(taskId);
        }
        return;
      }
      case "heartbeat": {
        const { heartbeat } = frame;
        if (heartbeat.message.nodeId !== nodeId) throw new NgpuError("AUTH_FORBIDDEN", { part: "heartbeat" });
        await rules.signedByNode({ kind: "heartbeat", signed: heartbeat, nodeId, operator });
        if (roster.linkOf(nodeId) === link && roster.heartbeat(nodeId, frame)) onRosterChange();
        return;
      }
      case "accept": {
        const { taskId, ended } = await checkNodeFrame(identity, "accept", frame.accept);
        if (ended !== undefined) return;
        memory.of(taskId).accepts.set(nodeId, frame);
        return forward(taskId, frame);
      }
      case "progress": {
        const { taskId, ended } = await checkNodeFrame(identity, "progress", frame.progress);
        if (ended !== undefined) return;
        const { progress } = memory.of(taskId);
        if (!isLater(frame, progress.get(nodeId))) return;
        progress.set(nodeId, frame);
        return forward(taskId, frame);
      }
      case "receipt":
        return handleReceipt(link, identity, frame);
      case "livenessReply": {
        const { reply } = frame;
        if (reply.message.nodeId !== nodeId) throw new NgpuError("AUTH_FORBIDDEN", { part: "livenessReply" });
        await rules.signedByNode({ kind: "livenessReply", signed: reply, nodeId, operator });
        for (const keeper of keepers) keeper.send(frame);
        return;
      }
      case "reachable":
        await meetings?.reachable(identity, frame);
        return introduceTo(nodeId);
      case "met":
      case "notMet":
        return meetings?.answered(nodeId, frame);
      default:
        throw new NgpuError("WIRE_MALFORMED", { path: `${frame.t} from a node` });
    }
  }

  /**
   * A receipt of a task that has ended is answered with `settled`, so that the node looks at the chain and stops
   * resending. A success whose output is not here is not passed on: nobody could open what it would be paid for.
   */
  async function handleReceipt(
    link: Link,
    identity: Identity & { role: "node" },
    frame: FrameOf<"receipt">,
  ): Promise<void> {
    const { nodeId } = identity;
    const { taskId, assignment, attempt, status, outputCiphertext } = frame.receipt.message;
    const { ended } = await checkNodeFrame(identity, "receipt", frame.receipt);
    if (ended !== undefined) link.send({ t: "settled", nodeId, taskId });
    else if (status === receiptStatus.succeeded && !hasOutput(taskId, outputCiphertext))
      throw new NgpuError("BLOB_UNKNOWN", { taskId, nodeId });
    const receipts = (ended === undefined ? memory.of(taskId) : memory.peek(taskId))?.receipts;
    if (receipts === undefined) return forward(taskId, frame);
    const key = `${assignment}:${attempt}:${nodeId}`;
    const known = receipts.get(key);
    if (known !== undefined && known.receipt.signature !== frame.receipt.signature) {
      log.warn(
        { taskId, nodeId, assignment, attempt },
        "a second receipt under one conflict key; the first one stands",
      );
      return;
    }
    const ofNode = [...receipts.values()].filter(({ receipt }) => receipt.message.nodeId === nodeId);
    if (known === undefined && ofNode.length >= mostReceiptsPerNode) throw new NgpuError("BLOB_LIMIT", { taskId });
    receipts.set(key, frame);
    forward(taskId, frame);
  }

  async function checkNodeFrame<K extends "accept" | "progress" | "receipt">(
    { nodeId, operator }: Identity & { role: "node" },
    kind: K,
    signed: Parameters<typeof rules.signedByNode<K>>[0]["signed"],
  ): Promise<TaskFacts> {
    const { taskId, assignment, nodeId: claimed } = signed.message;
    if (claimed !== nodeId) throw new NgpuError("AUTH_FORBIDDEN", { kind, nodeId, claimed });
    await rules.signedByNode({ kind, signed, nodeId, operator });
    return rules.assignedTask({ taskId, assignment, nodeId });
  }

  async function handleKeeper(frame: Frame): Promise<void> {
    if (frame.t === "settled") {
      roster.linkOf(frame.nodeId)?.send(frame);
      tasks.hint();
      return;
    }
    // Nothing is kept of it: the keeper asks again while it needs the answer.
    if (frame.t === "livenessAsk") return void roster.linkOf(frame.nodeId)?.send(frame);
    if (frame.t !== "dispatch") throw new NgpuError("WIRE_MALFORMED", { path: `${frame.t} from a keeper` });
    const { taskId, assignment, nodeId } = frame;
    const facts = await rules.assignedTask({ taskId, assignment, nodeId });
    if (facts.ended !== undefined) return;
    const { dispatches } = memory.of(taskId);
    const known = dispatches.get(nodeId);
    // A keeper that was restarted begins at attempt 0; what a node has been told stays the newest attempt.
    if (known === undefined || known.assignment < assignment || known.attempt <= frame.attempt)
      dispatches.set(nodeId, frame);
    roster.linkOf(nodeId)?.send(frame);
  }

  async function handleClient(
    link: Link,
    { taskId, clientKey }: Identity & { role: "client" },
    frame: Frame,
  ): Promise<void> {
    if (frame.t === "meet" && meetings !== undefined) return meetings.meet({ link, taskId, clientKey }, frame);
    if (frame.t !== "wrap") throw new NgpuError("WIRE_MALFORMED", { path: `${frame.t} from a client` });
    const { message } = frame.wrap;
    if (message.taskId !== taskId) throw new NgpuError("AUTH_FORBIDDEN", { kind: "wrap" });
    await rules.signedBy({ kind: "keyWrap", signed: frame.wrap, signer: clientKey });
    const facts = await rules.assignedTask(message);
    if (facts.ended !== undefined) return;
    memory.of(taskId).wraps.set(message.nodeId, frame);
    roster.linkOf(message.nodeId)?.send(frame);
  }

  function forward(taskId: Hex, frame: Frame): void {
    for (const link of keepers) link.send(frame);
    for (const { link } of clients.get(taskId) ?? []) link.send(frame);
  }

  /** Tells the task's clients which nodes serve it, as far as those are online, and again when that changes. */
  function tellNodes(taskId: Hex): void {
    const listeners = clients.get(taskId);
    const facts = tasks.known(taskId);
    if (listeners === undefined || facts?.assigned === undefined) return;
    const bindings = assignedNodes(facts).flatMap((nodeId) => roster.bindingOf(nodeId) ?? []);
    if (bindings.length === 0) return;
    const frame: Frame = { t: "nodes", taskId, assignment: facts.assigned.assignment, bindings };
    const text = encodeFrame(frame);
    for (const listener of listeners) {
      if (listener.toldNodes === text) continue;
      listener.toldNodes = text;
      listener.link.send(frame);
    }
  }

  /** Tells the task's clients which of its nodes can be met, and again when such a node has another key. */
  function introduce(taskId: Hex): void {
    const facts = tasks.known(taskId);
    if (meetings === undefined || facts?.assigned === undefined || facts.ended !== undefined) return;
    for (const nodeId of assignedNodes(facts)) {
      const frame = meetings.introduction(taskId, nodeId);
      if (frame === undefined) continue;
      for (const { link, toldDirect } of clients.get(taskId) ?? []) {
        if (toldDirect.get(nodeId) === frame.key.signature) continue;
        toldDirect.set(nodeId, frame.key.signature);
        link.send(frame);
      }
    }
  }

  function introduceTo(nodeId: number): void {
    for (const taskId of clients.keys()) {
      const facts = tasks.known(taskId);
      if (facts !== undefined && isAssigned(facts, nodeId)) introduce(taskId);
    }
  }

  function taskChanged(facts: TaskFacts): void {
    const { taskId, assigned, ended } = facts;
    if (ended === undefined) {
      reopen(taskId);
      if (assigned === undefined) return;
      memory.keepOnly(taskId, assigned.assignment);
      tellNodes(taskId);
      introduce(taskId);
      return;
    }
    memory.end(taskId, tasks.head()?.number ?? 0n);
    meetings?.taskEnded(taskId);
    for (const nodeId of assignedNodes(facts)) roster.linkOf(nodeId)?.send({ t: "settled", nodeId, taskId });
  }

  /** Blocks were undone, the task's end among them: keepers need its receipts again, and may have forgotten them. */
  function reopen(taskId: Hex): void {
    for (const frame of memory.reopen(taskId)?.receipts.values() ?? []) for (const link of keepers) link.send(frame);
  }

  function rosterFrame(): FrameOf<"roster"> {
    return { t: "roster", nodes: withinFrame(roster.entries()) };
  }

  return {
    join,
    leave,
    handle,
    taskChanged,
    awaitsFinality: () => memory.awaitsFinality(),
    finalise: (block) => memory.finalise(block),
    forget() {
      memory.clear();
      meetings?.forget();
    },
    roster: rosterFrame,
    pushRoster() {
      if (keepers.size === 0) return;
      const frame = rosterFrame();
      for (const link of keepers) link.send(frame);
    },
    keepAlive() {
      const nowMs = clock.monotonicMs();
      for (const client of [...clients.values()].flat()) {
        if (nowMs - client.aliveMs < aliveEveryMs) continue;
        client.aliveMs = nowMs;
        client.link.send({ t: "alive" });
      }
    },
    hasSession: (sessionId) => relay.isConnected(sessionId),
    counts() {
      let connected = 0;
      for (const links of clients.values()) connected += links.length;
      return { nodes: roster.size(), keepers: keepers.size, clients: connected + relay.count() };
    },
  };
}

/** Within an assignment, later means a higher attempt, then a higher number. */
function isLater(frame: FrameOf<"progress">, known: FrameOf<"progress"> | undefined): boolean {
  if (known === undefined) return true;
  const [a, b] = [frame.progress.message, known.progress.message];
  if (a.assignment !== b.assignment) return a.assignment > b.assignment;
  return a.attempt !== b.attempt ? a.attempt > b.attempt : a.seq > b.seq;
}
