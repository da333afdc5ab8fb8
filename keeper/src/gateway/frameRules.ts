/**
 * What a signed frame must satisfy before the gateway forwards it, so that peers are not bothered with what nobody
 * signed. Throws AUTH_FORBIDDEN, NOT_ASSIGNED or TASK_UNKNOWN.
 */
import { NgpuError } from "@ngpu/protocol/errors";
import { recoverSigner, type Signed, type SigningContext } from "@ngpu/protocol/signed";
import type { MessageKind } from "@ngpu/protocol/typedData";
import { isAddressEqual, type Address, type Hex } from "viem";
import type { Authority } from "../chain/authority.ts";
import { isAssigned, type TaskFacts } from "../chain/taskFacts.ts";
import type { TaskWatch } from "./taskWatch.ts";

export interface FrameRules {
  /** The node's operator signed this: the one that is logged in, or a retired one. */
  signedByNode<K extends MessageKind>(request: {
    kind: K;
    signed: Signed<K>;
    nodeId: number;
    operator: Address;
  }): Promise<void>;
  signedBy<K extends MessageKind>(request: { kind: K; signed: Signed<K>; signer: Address }): Promise<void>;
  /** The task's facts, in which the node serves this assignment. */
  assignedTask(request: { taskId: Hex; assignment: number; nodeId: number }): Promise<TaskFacts>;
}

export function createFrameRules(options: {
  context: SigningContext;
  authority: Authority;
  tasks: TaskWatch;
}): FrameRules {
  const { context, authority, tasks } = options;

  return {
    async signedByNode({ kind, signed, nodeId, operator }) {
      const signer = await recoverSigner({ kind, signed, context });
      if (signer === undefined) throw new NgpuError("AUTH_FORBIDDEN", { kind });
      if (isAddressEqual(signer, operator)) return;
      if ((await authority.nodeOfOperator(signer)) !== nodeId) throw new NgpuError("AUTH_FORBIDDEN", { kind, nodeId });
    },
    async signedBy({ kind, signed, signer }) {
      const found = await recoverSigner({ kind, signed, context });
      if (found === undefined || !isAddressEqual(found, signer)) throw new NgpuError("AUTH_FORBIDDEN", { kind });
    },
    async assignedTask({ taskId, assignment, nodeId }) {
      const serves = (facts: TaskFacts): boolean =>
        facts.assigned?.assignment === assignment && isAssigned(facts, nodeId);
      const known = tasks.known(taskId);
      if (known !== undefined && serves(known)) return known;
      const standing = known?.assigned?.assignment ?? 0;
      if (standing >= assignment) throw new NgpuError("NOT_ASSIGNED", { taskId, assignment, nodeId });
      const fresh = await tasks.refresh(taskId);
      if (fresh !== undefined && serves(fresh)) return fresh;
      throw new NgpuError(fresh === undefined ? "TASK_UNKNOWN" : "NOT_ASSIGNED", { taskId, assignment, nodeId });
    },
  };
}
