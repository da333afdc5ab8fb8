/** Who may speak for whom, as the chain says it: operators of nodes and keepers. */
import { accessManagerAbi } from "@ngpu/protocol/generated/abi/accessManager";
import { nodeRegistryAbi } from "@ngpu/protocol/generated/abi/nodeRegistry";
import type { Deployment } from "@ngpu/protocol/deployment";
import type { Clock } from "@ngpu/protocol/service/clock";
import { zeroAddress, type Address, type PublicClient } from "viem";
import { withPatience } from "./withPatience.ts";

export interface Authority {
  /** Node that this key is, or was, an operator of; 0 when none. What a retired key signed still counts. */
  nodeOfOperator(signer: Address): Promise<number>;
  /** The key that may act for the node now. */
  operatorOf(nodeId: number): Promise<Address>;
  isKeeper(signer: Address): Promise<boolean>;
  /** True where the account may set qualities. */
  isAuditor(signer: Address): Promise<boolean>;
  /** Remembers nothing any more: the chain is another one. */
  forget(): void;
}

const keeperRole = 1n;
const auditRole = 9n;
/** A binding never changes: only a chain that was replaced makes a remembered one wrong, so a silent chain does not. */
const rememberMs = 60_000;
const mostRemembered = 10_000;
/** Far less than a link may be silent, because the link's frames wait for this. */
const patienceMs = 2_000;

export function createAuthority(options: { chain: PublicClient; deployment: Deployment; clock: Clock }): Authority {
  const { chain, deployment, clock } = options;
  const bound = new Map<Address, { nodeId: number; untilMs: number }>();
  const answered = <T>(reading: Promise<T>): Promise<T> => withPatience(reading, { clock, ms: patienceMs });

  async function isMember(role: bigint, signer: Address): Promise<boolean> {
    const manager = { address: deployment.accessManager, abi: accessManagerAbi } as const;
    const [member] = await answered(chain.readContract({ ...manager, functionName: "hasRole", args: [role, signer] }));
    return member;
  }

  return {
    async nodeOfOperator(signer) {
      const remembered = bound.get(signer);
      if (remembered !== undefined && remembered.untilMs > clock.nowMs()) return remembered.nodeId;
      const reading = answered(
        chain.readContract({
          address: deployment.nodeRegistry,
          abi: nodeRegistryAbi,
          functionName: "nodeOfOperator",
          args: [signer],
        }),
      );
      const nodeId = remembered === undefined ? await reading : await reading.catch(() => remembered.nodeId);
      if (nodeId === 0) return 0;
      if (bound.size >= mostRemembered) bound.clear();
      bound.set(signer, { nodeId, untilMs: clock.nowMs() + rememberMs });
      return nodeId;
    },

    async operatorOf(nodeId) {
      const count = await answered(
        chain.readContract({ address: deployment.nodeRegistry, abi: nodeRegistryAbi, functionName: "nodeCount" }),
      );
      if (nodeId < 1 || nodeId > count) return zeroAddress;
      const node = await answered(
        chain.readContract({
          address: deployment.nodeRegistry,
          abi: nodeRegistryAbi,
          functionName: "node",
          args: [nodeId],
        }),
      );
      return node.operator;
    },

    isKeeper: (signer) => isMember(keeperRole, signer),
    isAuditor: (signer) => isMember(auditRole, signer),

    forget: () => bound.clear(),
  };
}
