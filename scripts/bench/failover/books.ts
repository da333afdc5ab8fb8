/** Who has how much, before and after a trial: whether exactly one bill has moved money, to the base unit. */
import type { Bill } from "@ngpu/client/runTask";
import type { Address, Hex, PublicClient } from "viem";
import type { Stack } from "../../stack/stack.ts";
import { creditOf, readLedger, settlementOf, standbyOf, wealthOf } from "../../../test/e2e/support/ledger.ts";

export interface Books {
  /** All that is the payer's, wherever it is. */
  payerUsd6: bigint;
  /** What each node's owner has earned, by node. */
  earnedUsd6: ReadonlyMap<number, bigint>;
}

interface Parties {
  chain: PublicClient;
  stack: Pick<Stack, "nodes">;
  payer: Address;
}

export async function readBooks({ chain, stack, payer }: Parties): Promise<Books> {
  const earned = stack.nodes.map(
    async ({ nodeId = 0, owner }) => [nodeId, await creditOf(chain, owner.account.address)] as const,
  );
  return { payerUsd6: await wealthOf(chain, payer), earnedUsd6: new Map(await Promise.all(earned)) };
}

/**
 * One settlement, of this bill; the payer has paid it and its standby, its node and the backups that stood by have them,
 * and the vault holds what it owes.
 */
export async function isOnlyBill(
  options: Parties & { before: Books; taskId: Hex; bill: Pick<Bill, "nodeId" | "amountUsd6" | "standbyUsd6"> },
): Promise<boolean> {
  const { chain, before, taskId, bill } = options;
  const settled = await settlementOf(chain, taskId).catch(() => undefined);
  const after = await readBooks(options);
  const { heldUsd6, owedUsd6 } = await readLedger(chain);
  const standby = await standbyOf(chain, taskId);
  const isEarnedOnce = [...after.earnedUsd6].every(([nodeId, usd6]) => {
    const dueUsd6 = nodeId === bill.nodeId ? bill.amountUsd6 : (standby.get(nodeId) ?? 0n);
    return usd6 - (before.earnedUsd6.get(nodeId) ?? 0n) === dueUsd6;
  });
  return (
    settled?.args.nodeId === bill.nodeId &&
    settled.args.amountUsd6 === bill.amountUsd6 &&
    [...standby.values()].reduce((sum, usd6) => sum + usd6, 0n) === bill.standbyUsd6 &&
    settled.args.standbyUsd6 === bill.standbyUsd6 &&
    before.payerUsd6 - after.payerUsd6 === bill.amountUsd6 + bill.standbyUsd6 &&
    isEarnedOnce &&
    heldUsd6 === owedUsd6
  );
}
