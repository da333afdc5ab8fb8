/**
 * Who could be in a pool: every node with every model that it ever declared, and every keeper that ever bonded. A member
 * that has left stays in it, because its weight must become zero.
 */
import type { Deployment } from "@ngpu/protocol/deployment";
import { keeperBondsAbi } from "@ngpu/protocol/generated/abi/keeperBonds";
import { nodeRegistryAbi } from "@ngpu/protocol/generated/abi/nodeRegistry";
import { formatLog, parseEventLogs, zeroHash, type Hex, type PublicClient } from "viem";
import { createLogCursor } from "../chain/logCursor.ts";
import type { Head } from "../chain/taskFollower.ts";

export interface PoolMember {
  /** Id of the model; zero for the keepers. */
  pool: Hex;
  member: number;
}

export interface MemberFollower {
  /** Rejects when the chain does not answer. */
  read(head: Head): Promise<readonly PoolMember[]>;
  forget(): void;
}

const keeperPool = zeroHash;

export function createMemberFollower(options: { chain: PublicClient; deployment: Deployment }): MemberFollower {
  const { chain, deployment } = options;
  const firstBlock = BigInt(deployment.deploymentBlock);
  const addresses = [deployment.nodeRegistry, deployment.keeperBonds];
  const cursor = createLogCursor({ chain, addresses, firstBlock });
  const members = new Map<string, PoolMember>();

  function add(entry: PoolMember): void {
    members.set(`${entry.pool}:${entry.member}`, entry);
  }

  return {
    async read(head) {
      const { isAnew, logs: raw } = await cursor.readOn(head);
      if (isAnew) members.clear();
      const logs = raw.map((log) => formatLog(log));
      for (const { args } of parseEventLogs({ abi: nodeRegistryAbi, eventName: "ModelDeclared", logs, strict: true })) {
        add({ pool: args.modelId, member: args.nodeId });
      }
      for (const { args } of parseEventLogs({ abi: keeperBondsAbi, eventName: "KeeperBonded", logs, strict: true })) {
        add({ pool: keeperPool, member: args.keeperId });
      }
      return [...members.values()];
    },
    forget() {
      members.clear();
      cursor.forget();
    },
  };
}
