/** What the chain says about the bills of a session: every settlement and assignment with its gas, and the sums. */
import { deploymentOf } from "@ngpu/protocol/deployment";
import { sessionSettlementAbi } from "@ngpu/protocol/generated/abi/sessionSettlement";
import { unpackBills } from "@ngpu/protocol/session/packedBills";
import { setTimeout as sleep } from "node:timers/promises";
import type { Hex, PublicClient } from "viem";
import { hardhat } from "viem/chains";
import { StackError } from "./stackError.ts";

export interface SessionBill {
  /** Due by all lanes, and what of it was paid. */
  amountUsd6: bigint;
  paidUsd6: bigint;
  /** Records, and those that are executions. */
  records: number;
  executions: number;
  settleTxs: Hex[];
  gas: { assign: number; settle: number };
}

const pollMs = 100;

/** Waits until so many records are settled. */
export async function untilSessionBilled(options: {
  chain: PublicClient;
  sessionId: Hex;
  records: number;
  timeoutMs: number;
}): Promise<SessionBill> {
  const { records, timeoutMs } = options;
  const untilMs = performance.now() + timeoutMs;
  for (;;) {
    const bill = await readSessionBill(options);
    if (bill.records >= records) return bill;
    if (performance.now() > untilMs) {
      throw new StackError(`${bill.records} of ${records} records were settled within ${timeoutMs / 1_000} s.`);
    }
    await sleep(pollMs);
  }
}

export async function readSessionBill({ chain, sessionId }: { chain: PublicClient; sessionId: Hex }): Promise<SessionBill> {
  const { sessionSettlement, deploymentBlock } = deploymentOf(hardhat.id);
  const query = {
    address: sessionSettlement,
    abi: sessionSettlementAbi,
    args: { sessionId },
    strict: true,
    fromBlock: BigInt(deploymentBlock),
  } as const;
  const [settled, assigned] = await Promise.all([
    chain.getContractEvents({ ...query, eventName: "BillsSettled" }),
    chain.getContractEvents({ ...query, eventName: "ReplicaAssigned" }),
  ]);
  const dueOf = new Map<number, bigint>();
  let paidUsd6 = 0n;
  for (const { args } of settled) {
    dueOf.set(args.nodeId, args.cumulativeUsd6);
    paidUsd6 += args.paidUsd6;
  }
  const all = settled.flatMap(({ args }) => unpackBills(args.bills));
  const settleTxs = [...new Set(settled.map(({ transactionHash }) => transactionHash))];
  const gasOf = async (hashes: Iterable<Hex>): Promise<number> => {
    const receipts = await Promise.all([...hashes].map((hash) => chain.getTransactionReceipt({ hash })));
    return receipts.reduce((sum, { gasUsed }) => sum + Number(gasUsed), 0);
  };
  return {
    amountUsd6: [...dueOf.values()].reduce((sum, due) => sum + due, 0n),
    paidUsd6,
    records: all.length,
    executions: all.filter(({ kind }) => kind === "execution").length,
    settleTxs,
    gas: {
      assign: await gasOf(new Set(assigned.map(({ transactionHash }) => transactionHash))),
      settle: await gasOf(settleTxs),
    },
  };
}
