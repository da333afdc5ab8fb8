/** What a keeper can do. Every action is harmless when done twice or by two keepers. */
import type { Signed } from "@ngpu/protocol/signed";
import type { Hex } from "viem";

export type Action =
  /** On chain: fix primary and backup. */
  | { kind: "assign"; taskId: Hex; primary: number; backup: number }
  /** On chain: relay a node's accept. */
  | { kind: "accept"; taskId: Hex; accept: Signed<"accept"> }
  /** On chain: bill from a success receipt. */
  | { kind: "settle"; taskId: Hex; receipt: Signed<"receipt"> }
  /** On chain: relay a failure receipt. */
  | { kind: "fail"; taskId: Hex; receipt: Signed<"receipt"> }
  /** On chain: refund a task whose time has passed. */
  | { kind: "expire"; taskId: Hex }
  /** Through the gateways: tell a node what to do. */
  | Dispatch;

export interface Dispatch {
  kind: "dispatch";
  taskId: Hex;
  nodeId: number;
  assignment: number;
  attempt: number;
  role: "primary" | "backup";
}

/** Equal for actions that do the same thing, so that one in flight is not begun again. */
export function actionKey(action: Action): string {
  switch (action.kind) {
    case "assign":
    case "expire":
      return `${action.kind}:${action.taskId}`;
    case "accept":
      return `accept:${action.taskId}:${action.accept.message.assignment}:${action.accept.message.nodeId}`;
    case "settle":
    case "fail": {
      const { assignment, attempt, nodeId } = action.receipt.message;
      return `${action.kind}:${action.taskId}:${assignment}:${attempt}:${nodeId}`;
    }
    case "dispatch":
      return `dispatch:${action.taskId}:${action.assignment}:${action.nodeId}`;
  }
}
