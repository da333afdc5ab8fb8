/**
 * Frames of the session rail, passed on unopened between a session's client and the nodes that hold its lanes:
 *
 *   client → node                laneKey, ask, voucher
 *   node   → client              laneReady, answer, refusal, voucherTaken
 *   node   → keepers             voucher, claim
 *
 * Nothing is kept: client and nodes journal what matters and tell it again. Signatures are the ends' business, since
 * each end opens what it gets; here it only matters that the two have a lane together.
 */
import { NgpuError } from "@ngpu/protocol/errors";
import { closeCode, type Frame } from "@ngpu/protocol/wire";
import type { Hex } from "viem";
import type { SessionAuthority } from "../session/sessionAuthority.ts";
import type { Link } from "./link.ts";

type LaneFrame = Extract<Frame, { t: "laneReady" | "answer" | "refusal" | "voucherTaken" | "voucher" | "claim" }>;

export interface SessionRelay {
  /** The newest link of a session replaces the one before it. */
  join(link: Link, sessionId: Hex): void;
  leave(link: Link, sessionId: Hex): void;
  fromClient(sessionId: Hex, frame: Frame): Promise<void>;
  fromNode(nodeId: number, frame: LaneFrame): Promise<void>;
  isConnected(sessionId: Hex): boolean;
  count(): number;
}

export function isLaneFrame(frame: Frame): frame is LaneFrame {
  return ["laneReady", "answer", "refusal", "voucherTaken", "voucher", "claim"].includes(frame.t);
}

export function createSessionRelay(options: {
  authority: SessionAuthority;
  linkOfNode: (nodeId: number) => Link | undefined;
  toKeepers: (frame: Frame) => void;
}): SessionRelay {
  const { authority, linkOfNode, toKeepers } = options;
  const clients = new Map<Hex, Link>();

  async function requireLane(place: { sessionId: Hex; nodeId: number }): Promise<void> {
    if (!(await authority.hasLane(place))) throw new NgpuError("LANE_UNKNOWN", place);
  }

  return {
    join(link, sessionId) {
      clients.get(sessionId)?.close(closeCode.replaced);
      clients.set(sessionId, link);
    },
    leave(link, sessionId) {
      if (clients.get(sessionId) === link) clients.delete(sessionId);
    },
    async fromClient(sessionId, frame) {
      const place = targetOf(frame);
      if (place.sessionId !== sessionId) throw new NgpuError("AUTH_FORBIDDEN", { kind: frame.t });
      await requireLane(place);
      const link = linkOfNode(place.nodeId);
      if (link !== undefined) return link.send(frame);
      if (frame.t !== "ask") return;
      const { nodeId, requestId } = frame;
      clients.get(sessionId)?.send({ t: "refusal", sessionId, nodeId, requestId, code: "LANE_UNKNOWN" });
    },
    async fromNode(nodeId, frame) {
      const place = frame.t === "voucher" ? frame.voucher.message : frame;
      if (place.nodeId !== nodeId) throw new NgpuError("AUTH_FORBIDDEN", { kind: frame.t, nodeId });
      await requireLane({ sessionId: place.sessionId, nodeId });
      if (frame.t === "voucher" || frame.t === "claim") toKeepers(frame);
      else clients.get(place.sessionId)?.send(frame);
    },
    isConnected: (sessionId) => clients.has(sessionId),
    count: () => clients.size,
  };
}

/** Lane that a client's frame is for. Throws WIRE_MALFORMED for what no client of a session sends. */
function targetOf(frame: Frame): { sessionId: Hex; nodeId: number } {
  if (frame.t === "ask") return frame;
  if (frame.t === "voucher") return frame.voucher.message;
  if (frame.t === "laneKey") return { sessionId: frame.wrap.message.taskId, nodeId: frame.wrap.message.nodeId };
  throw new NgpuError("WIRE_MALFORMED", { path: `${frame.t} from a session's client` });
}
