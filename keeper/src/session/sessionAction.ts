/** What a keeper does for sessions, all of it on chain and harmless when done twice or by two keepers. */
import type { Hex } from "viem";

export interface LaneSettlement {
  sessionId: Hex;
  nodeId: number;
  segments: { bills: Hex; receiptsRoot: Hex }[];
  signature: Hex;
}

export type SessionAction =
  /** Give a node a lane, or a lane more to spend. */
  | { kind: "assignReplica"; sessionId: Hex; nodeId: number; role: number; allotmentUsd6: bigint }
  /** End the lane of a node that is gone or stops. */
  | { kind: "releaseReplica"; sessionId: Hex; nodeId: number }
  /** Bill from vouchers, many lanes at once. */
  | { kind: "settleSessions"; settlements: LaneSettlement[] }
  /** Free what a lane of a session that is over did not spend. */
  | { kind: "reclaimLane"; sessionId: Hex; nodeId: number }
  /** Give the rest of a session that is over back to its payer. */
  | { kind: "finishSession"; sessionId: Hex };

/** Equal for actions that do the same thing; there is one batch at a time, whatever is in it. */
export function sessionKey(action: SessionAction): string {
  if (action.kind === "settleSessions") return action.kind;
  const node = action.kind === "finishSession" ? "" : `:${action.nodeId}`;
  return `${action.kind}:${action.sessionId}${node}`;
}

export function isSessionAction<T extends { kind: string }>(action: T | SessionAction): action is SessionAction {
  return ["assignReplica", "releaseReplica", "settleSessions", "reclaimLane", "finishSession"].includes(action.kind);
}

/** The contract's function and its arguments. */
export function sessionCall(action: SessionAction) {
  switch (action.kind) {
    case "assignReplica": {
      const { sessionId, nodeId, role, allotmentUsd6 } = action;
      return { functionName: "assignReplica", args: [sessionId, nodeId, role, allotmentUsd6] } as const;
    }
    case "releaseReplica":
      return { functionName: "releaseReplica", args: [action.sessionId, action.nodeId] } as const;
    case "settleSessions":
      return { functionName: "settle", args: [action.settlements] } as const;
    case "reclaimLane":
      return { functionName: "reclaimLane", args: [action.sessionId, action.nodeId] } as const;
    case "finishSession":
      return { functionName: "finish", args: [action.sessionId] } as const;
  }
}
