/**
 * Introduces clients to nodes of their tasks (docs/PROTOCOL.md §13): remembers which key each node says its direct
 * links hold, passes a hello to the node and its reply back, and gives both a ticket for the relay. What it keeps waits
 * for an answer of the node, and not for long.
 */
import { codeOf, NgpuError } from "@ngpu/protocol/errors";
import { requireBlobAccess } from "@ngpu/protocol/blobAccess";
import type { Clock } from "@ngpu/protocol/service/clock";
import type { Signed, SigningContext } from "@ngpu/protocol/signed";
import type { FrameOf } from "@ngpu/protocol/wire";
import { fromBase64 } from "@ngpu/protocol/base64";
import { isAddressEqual, keccak256, zeroHash, type Address, type Hex } from "viem";
import type { FrameRules } from "../frameRules.ts";
import type { Link } from "../link.ts";
import type { RelayDesk } from "./relayDesk.ts";

export interface Meetings {
  /** A node says with which key it can be met. Throws AUTH_FORBIDDEN. */
  reachable(node: { nodeId: number; operator: Address }, frame: FrameOf<"reachable">): Promise<void>;
  /** What a client of that task is told of a node; undefined where it cannot be met. */
  introduction(taskId: Hex, nodeId: number): FrameOf<"direct"> | undefined;
  /** A client wants to meet a node of its task; it is answered over its link, now or when the node has answered. */
  meet(client: { link: Link; taskId: Hex; clientKey: Address }, frame: FrameOf<"meet">): Promise<void>;
  answered(nodeId: number, frame: FrameOf<"met"> | FrameOf<"notMet">): void;
  /** The node's link has ended. */
  left(nodeId: number): void;
  taskEnded(taskId: Hex): void;
  forget(): void;
}

interface Waiting {
  readonly link: Link;
  readonly taskId: Hex;
  readonly nodeId: number;
  readonly tickets: { readonly client: Hex; readonly node: Hex };
  readonly untilMs: number;
}

const mostWaiting = 256;
const mostWaitingOfTask = 2;
const mostWaitingOfNode = 8;
const answerWithinMs = 15_000;

export function createMeetings(options: {
  relays: Pick<RelayDesk, "issue" | "taskEnded">;
  rules: Pick<FrameRules, "signedBy">;
  /** Whether that node serves the standing assignment of that task. */
  serves: (taskId: Hex, nodeId: number) => boolean;
  linkOfNode: (nodeId: number) => Link | undefined;
  context: SigningContext;
  clock: Clock;
  /** Where peers ask over UDP from where they are heard; empty where they cannot. */
  observer: () => string;
}): Meetings {
  const { relays, rules, serves, linkOfNode, context, clock, observer } = options;
  const keys = new Map<number, Signed<"transportKey">>();
  const waiting = new Map<Hex, Waiting>();

  function introduction(taskId: Hex, nodeId: number): FrameOf<"direct"> | undefined {
    const key = keys.get(nodeId);
    return key === undefined ? undefined : { t: "direct", taskId, nodeId, key, observer: observer() };
  }

  function requirePlace(taskId: Hex, nodeId: number): void {
    const nowMs = clock.monotonicMs();
    for (const [meeting, { untilMs }] of waiting) if (nowMs > untilMs) waiting.delete(meeting);
    const open = [...waiting.values()];
    const isFull =
      open.length >= mostWaiting ||
      open.filter((other) => other.taskId === taskId).length >= mostWaitingOfTask ||
      open.filter((other) => other.nodeId === nodeId).length >= mostWaitingOfNode;
    if (isFull) throw new NgpuError("NODE_BUSY", { taskId, nodeId });
  }

  async function pass({ link, taskId, clientKey }: Parameters<Meetings["meet"]>[0], frame: FrameOf<"meet">): Promise<void> {
    const { nodeId, access, hello } = frame;
    const meeting = access.message.blobHash;
    requirePlace(taskId, nodeId);
    if (!serves(taskId, nodeId)) throw new NgpuError("NOT_ASSIGNED", { taskId, nodeId });
    const node = linkOfNode(nodeId);
    if (node === undefined || !keys.has(nodeId)) throw new NgpuError("NODE_BUSY", { nodeId, part: "not reachable" });
    if (keccak256(fromBase64(hello)) !== meeting) throw new NgpuError("AUTH_FORBIDDEN", { part: "hello" });
    const may = { access, action: "meet", taskId, hash: meeting, signer: clientKey, context, nowMs: clock.nowMs() } as const;
    await requireBlobAccess(may);
    if (waiting.has(meeting)) throw new NgpuError("NODE_BUSY", { part: "asked before" });
    const tickets = relays.issue({ taskId, nodeId });
    waiting.set(meeting, { link, taskId, nodeId, tickets, untilMs: clock.monotonicMs() + answerWithinMs });
    node.send({ t: "meeting", access, hello, ticket: tickets.node, observer: observer() });
  }

  return {
    async reachable({ nodeId, operator }, { key }) {
      if (!isAddressEqual(key.message.operator, operator)) throw new NgpuError("AUTH_FORBIDDEN", { part: "reachable" });
      await rules.signedBy({ kind: "transportKey", signed: key, signer: operator });
      if (linkOfNode(nodeId) !== undefined) keys.set(nodeId, key);
    },
    introduction,
    async meet(client, frame) {
      const { taskId } = client;
      await pass(client, frame).catch((error: unknown) => {
        const code = codeOf(error);
        if (code === "INTERNAL") throw error;
        const { nodeId, access } = frame;
        client.link.send({ t: "notMet", taskId, nodeId, meeting: access.message.blobHash, ticket: zeroHash, code });
      });
    },
    answered(nodeId, frame) {
      const asked = waiting.get(frame.meeting);
      const fits =
        asked !== undefined &&
        asked.nodeId === nodeId &&
        frame.nodeId === nodeId &&
        asked.taskId === frame.taskId &&
        asked.tickets.node === frame.ticket;
      // Late, or of a node that was not asked: its client waits for it no more.
      if (!fits) return;
      waiting.delete(frame.meeting);
      asked.link.send({ ...frame, ticket: frame.t === "met" ? asked.tickets.client : zeroHash });
    },
    left: (nodeId) => void keys.delete(nodeId),
    taskEnded: (taskId) => relays.taskEnded(taskId),
    forget: () => waiting.clear(),
  };
}
