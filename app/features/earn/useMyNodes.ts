"use client";
/**
 * The machines of an owner. Which they are comes from the registry itself; what gates a button is read from the
 * contracts.
 */
import { nodeRegistryAbi } from "@ngpu/protocol/generated/abi/nodeRegistry";
import { stakeVaultAbi } from "@ngpu/protocol/generated/abi/stakeVault";
import { useQuery } from "@tanstack/react-query";
import { isAddressEqual, type Address } from "viem";
import { useAnswer } from "../../hooks/useAnswer.ts";
import { useChain } from "../../hooks/useChain.ts";
import { useRuntime } from "../../hooks/useRuntime.tsx";
import { nextPollMs } from "../../lib/pollMs.ts";
import type { PendingExit } from "../../lib/stakeParts.ts";

export interface MyNode {
  nodeId: number;
  classId: number;
  payout: Address;
  draining: boolean;
  /** The registry's NodeState. */
  state: number;
  /** Chain time in seconds; 0 if no fault ever kept it out. */
  suspendedUntil: number;
  powerCu: number;
  /** Power of an unmeasured machine of its class. */
  classPowerCu: number;
  minimumStakeWei: bigint;
  stakedWei: bigint;
  thawingWei: bigint;
  /** Part of the active stake that fees lock. */
  lockedWei: bigint;
  /** Earliest first. */
  exits: readonly PendingExit[];
}

export function useMyNodes(account: Address) {
  const { deployment, chainId } = useRuntime();
  const chain = useChain();
  const registry = { address: deployment.nodeRegistry, abi: nodeRegistryAbi } as const;
  const vault = { address: deployment.stakeVault, abi: stakeVaultAbi } as const;

  const readNode = async (nodeId: number): Promise<MyNode | undefined> => {
    const node = await chain.readContract({ ...registry, functionName: "node", args: [nodeId] });
    if (!isAddressEqual(node.owner, account)) return undefined;
    const [{ stakedWei, thawingWei }, lockedWei, exits, state, powerCu, nodeClass, minimumStakeWei] = await Promise.all(
      [
        chain.readContract({ ...vault, functionName: "stakeOf", args: [nodeId] }),
        chain.readContract({ ...vault, functionName: "lockedOf", args: [nodeId] }),
        chain.readContract({ ...vault, functionName: "exitsOf", args: [nodeId] }),
        chain.readContract({ ...registry, functionName: "stateOf", args: [nodeId] }),
        chain.readContract({ ...registry, functionName: "powerOf", args: [nodeId] }),
        chain.readContract({ ...registry, functionName: "nodeClass", args: [node.classId] }),
        chain.readContract({ ...registry, functionName: "minimumStakeOf", args: [nodeId] }),
      ],
    );
    const { classId, payout, draining, suspendedUntil } = node;
    return {
      ...{ nodeId, classId, payout, draining, state, suspendedUntil },
      ...{ powerCu, classPowerCu: nodeClass.minimumPowerCu },
      ...{ minimumStakeWei, stakedWei, thawingWei, lockedWei, exits },
    };
  };

  const query = useQuery({
    queryKey: ["myNodes", chainId, account],
    queryFn: async () => {
      const events = await chain.getContractEvents({
        ...registry,
        eventName: "NodeRegistered",
        args: { owner: account },
        fromBlock: deployment.deploymentBlock,
        strict: true,
      });
      const nodes = await Promise.all(events.map((event) => readNode(event.args.nodeId)));
      return nodes.filter((node) => node !== undefined);
    },
    refetchInterval: () => nextPollMs(8_000),
  });
  return useAnswer(query);
}
