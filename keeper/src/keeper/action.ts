/** What a keeper can do. Every action is harmless when done twice or by two keepers. */
import type { Signed } from "@ngpu/protocol/signed";
import type { Settlement, TaskTerms } from "@ngpu/protocol/taskDigest";
import type { Hex } from "viem";
import type { OpenWords } from "./snapshot.ts";

export type Action =
  /** On chain: fix the primary and its backups, in their order. */
  | ({ kind: "assign"; taskId: Hex; nodeIds: number[] } & OpenWords)
  /** On chain: relay a node's accept. */
  | ({ kind: "accept"; taskId: Hex; accept: Signed<"accept"> } & OpenWords)
  /** On chain: bill from a success receipt. */
  | ({ kind: "settle"; taskId: Hex; receipt: Signed<"receipt"> } & OpenWords)
  /** On chain: relay a failure receipt. */
  | ({ kind: "fail"; taskId: Hex; receipt: Signed<"receipt"> } & OpenWords)
  /** On chain: refund a task whose time has passed. */
  | ({ kind: "expire"; taskId: Hex } & OpenWords)
  /** On chain: say that a gateway of this keeper serves a demanded output. */
  | ({ kind: "attest"; taskId: Hex } & SettledWords)
  /** On chain: give bill and bond back to the payer of a demand that too few attested. */
  | ({ kind: "closeDemand"; taskId: Hex } & SettledWords)
  /** Through the gateways: tell a node what to do. */
  | Dispatch;

interface SettledWords {
  terms: TaskTerms;
  settlement: Settlement;
}

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
    case "attest":
    case "closeDemand":
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
