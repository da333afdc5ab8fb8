/** What a keeper does for sessions, all of it on chain and harmless when done twice or by two keepers. */
import type { Signed } from "@ngpu/protocol/signed";
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
  /** Show the receipts that a payer withholds its signature from. */
  | { kind: "claimFloor"; sessionId: Hex; nodeId: number; receipts: Signed<"receipt">[] }
  /** Burn what was claimed and no voucher covers, or end the claim that one covers. */
  | { kind: "burnFloor"; sessionId: Hex; nodeId: number }
  /** Free what a lane that was released, or whose session is over did not spend. */
  | { kind: "reclaimLane"; sessionId: Hex; nodeId: number }
  /** Give the rest of a session that is over back to its payer. */
  | { kind: "finishSession"; sessionId: Hex };

/** Equal for actions that do the same thing; there is one batch at a time, whatever is in it. */
export function sessionKey(action: SessionAction): string {
  if (action.kind === "settleSessions") return action.kind;
  const node = action.kind === "finishSession" ? "" : `:${action.nodeId}`;
  return `${action.kind}:${action.sessionId}${node}`;
}

const sessionKinds: readonly SessionAction["kind"][] = [
  "assignReplica",
  "releaseReplica",
  "settleSessions",
  "claimFloor",
  "burnFloor",
  "reclaimLane",
  "finishSession",
];

export function isSessionAction<T extends { kind: string }>(action: T | SessionAction): action is SessionAction {
  return (sessionKinds as readonly string[]).includes(action.kind);
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
    case "claimFloor": {
      const { sessionId, nodeId, receipts } = action;
      const messages = receipts.map(({ message }) => message);
      const signatures = receipts.map(({ signature }) => signature);
      return { functionName: "claimFloor", args: [sessionId, nodeId, messages, signatures] } as const;
    }
    case "burnFloor":
      return { functionName: "burnFloor", args: [action.sessionId, action.nodeId] } as const;
    case "reclaimLane":
      return { functionName: "reclaimLane", args: [action.sessionId, action.nodeId] } as const;
    case "finishSession":
      return { functionName: "finish", args: [action.sessionId] } as const;
  }
}
