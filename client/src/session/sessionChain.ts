/** What a session's client reads from the chain: its terms, the lanes that it has, and whose key each node signs with. */
import { nodeRegistryAbi } from "@ngpu/protocol/generated/abi/nodeRegistry";
import { sessionSettlementAbi } from "@ngpu/protocol/generated/abi/sessionSettlement";
import { NgpuError } from "@ngpu/protocol/errors";
import { laneRole, laneState, sessionState } from "@ngpu/protocol/session/sessionStates";
import type { Address, Hex, PublicClient } from "viem";

export interface SessionDeployment {
  taskEscrow: Address;
  nodeRegistry: Address;
  sessionSettlement: Address;
  deploymentBlock: bigint;
}

export interface SessionTerms {
  signer: Address;
  modelId: Hex;
  priceUsd6PerGcums: bigint;
  /** What was put in: the most that the session can cost. */
  spendCapUsd6: bigint;
}

export interface ChainLane {
  nodeId: number;
  isPrimary: boolean;
  isActive: boolean;
  powerCu: number;
  /** What is settled. */
  seq: bigint;
  head: Hex;
  weight: bigint;
  paidUsd6: bigint;
  allotmentUsd6: bigint;
}

export interface SessionChain {
  /** Throws SESSION_UNKNOWN. */
  terms(): Promise<SessionTerms>;
  lanes(): Promise<ChainLane[]>;
  operatorOf(nodeId: number): Promise<Address>;
}

export function createSessionChain(options: {
  chain: PublicClient;
  deployment: SessionDeployment;
  sessionId: Hex;
  /** No event of the session is in an earlier block. */
  fromBlock: bigint;
}): SessionChain {
  const { chain, deployment, sessionId, fromBlock } = options;
  const settlement = { address: deployment.sessionSettlement, abi: sessionSettlementAbi } as const;
  const registry = { address: deployment.nodeRegistry, abi: nodeRegistryAbi } as const;

  async function laneOf(nodeId: number): Promise<ChainLane> {
    const { money, head, state, role } = await chain.readContract({
      ...settlement,
      functionName: "lane",
      args: [sessionId, nodeId],
    });
    const { powerCu, seq, weight, paidUsd6, allotmentUsd6 } = money;
    const where = { nodeId, isPrimary: role === laneRole.primary, isActive: state === laneState.active };
    return { ...where, powerCu, seq: BigInt(seq), head, weight, paidUsd6, allotmentUsd6 };
  }

  return {
    terms: () =>
      answered(async () => {
        const { terms, purse, modelId } = await chain.readContract({
          ...settlement,
          functionName: "session",
          args: [sessionId],
        });
        if (terms.state !== sessionState.open) throw new NgpuError("SESSION_UNKNOWN", { sessionId });
        const { signer, priceUsd6PerGcums } = terms;
        return { signer, modelId, priceUsd6PerGcums, spendCapUsd6: purse.putInUsd6 };
      }),
    lanes: () =>
      answered(async () => {
        const query = { ...settlement, eventName: "ReplicaAssigned", args: { sessionId }, fromBlock, strict: true } as const;
        const assigned = await chain.getContractEvents(query);
        return Promise.all([...new Set(assigned.map(({ args }) => args.nodeId))].map(laneOf));
      }),
    operatorOf: (nodeId) =>
      answered(async () => (await chain.readContract({ ...registry, functionName: "node", args: [nodeId] })).operator),
  };
}

/** The reads here cannot revert: whatever viem throws means that the chain did not answer. */
async function answered<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (cause) {
    throw cause instanceof NgpuError ? cause : new NgpuError("CHAIN_UNREACHABLE", {}, { cause });
  }
}
