/** What happens to a primary while it executes, from outside and without its help, and how it comes back. */
import type { Stack, StackNode } from "../../stack/stack.ts";
import type { GatewayFront } from "./gatewayFront.ts";

/** Killed with -9, frozen, or cut off from the gateway without a word. */
export const faultKinds = ["kill9", "sigstop", "halfopen"] as const;
export type FaultKind = (typeof faultKinds)[number];

export interface Fault {
  /** Resolves when the agent runs again and can be heard; it may still have to connect. */
  revive(): Promise<void>;
}

/** Takes effect before it returns. */
export function injectFault(options: {
  kind: FaultKind;
  node: StackNode;
  stack: Pick<Stack, "restartAgent">;
  front: GatewayFront;
}): Fault {
  const { kind, node, stack, front } = options;
  const { pid } = node.service;
  if (kind === "kill9") {
    const killed = node.service.kill();
    return {
      async revive() {
        await killed;
        await stack.restartAgent(node);
      },
    };
  }
  if (kind === "sigstop") {
    // The whole group: the agent and its runners.
    process.kill(-pid, "SIGSTOP");
    return {
      async revive() {
        process.kill(-pid, "SIGCONT");
      },
    };
  }
  const cut = front.cutOff(pid);
  return {
    async revive() {
      cut.restore();
    },
  };
}
