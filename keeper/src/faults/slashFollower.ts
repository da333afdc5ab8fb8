/** Slashes that are held until their appeal window ends, from StakeVault's events. */
import type { Deployment } from "@ngpu/protocol/deployment";
import { stakeVaultAbi } from "@ngpu/protocol/generated/abi/stakeVault";
import { formatLog, parseEventLogs, type PublicClient } from "viem";
import { createLogCursor } from "../chain/logCursor.ts";
import type { Head } from "../chain/taskFollower.ts";

export interface HeldSlash {
  slashId: bigint;
  /** From that second of chain time on anyone may finish it. */
  payableAtS: number;
}

export interface SlashFollower {
  /** Rejects when the chain does not answer. */
  read(head: Head): Promise<HeldSlash[]>;
  forget(): void;
}

export function createSlashFollower(options: { chain: PublicClient; deployment: Deployment }): SlashFollower {
  const { chain, deployment } = options;
  const cursor = createLogCursor({
    chain,
    addresses: [deployment.stakeVault],
    firstBlock: BigInt(deployment.deploymentBlock),
  });
  const held = new Map<bigint, HeldSlash>();
  const ended = new Set<bigint>();

  return {
    async read(head) {
      const { isAnew, logs: raw } = await cursor.readOn(head);
      if (isAnew) for (const known of [held, ended]) known.clear();
      const logs = raw.map((log) => formatLog(log));
      for (const log of parseEventLogs({ abi: stakeVaultAbi, logs, strict: true })) {
        if (log.eventName === "SlashFinished" || log.eventName === "SlashReversed") ended.add(log.args.slashId);
        // One without an id took nothing, so nothing is held.
        if (log.eventName !== "StakeSlashed" || log.args.slashId === 0n) continue;
        held.set(log.args.slashId, { slashId: log.args.slashId, payableAtS: log.args.payableAt });
      }
      // The last blocks are read again, and with them slashes that ended in them: an id is never used twice.
      return [...held.values()].filter(({ slashId }) => !ended.has(slashId));
    },
    forget() {
      for (const known of [held, ended]) known.clear();
      cursor.forget();
    },
  };
}
