/** What chain and subgraph each say about every bill and every task, in one form, so that the two can be compared. */
import { deployments } from "@ngpu/protocol/generated/deployments";
import { taskEscrowAbi } from "@ngpu/protocol/generated/abi/taskEscrow";
import type { Hex, PublicClient } from "viem";
import { querySubgraph } from "../../../app/lib/subgraph/querySubgraph.ts";

/** Sorted by task. */
export interface Books {
  bills: { taskId: Hex; amountUsd6: string; standbyUsd6: string; refundUsd6: string; block: string; tx: Hex }[];
  tasks: { taskId: Hex; status: string; assignment: number }[];
}

const { taskEscrow, deploymentBlock } = deployments[31337];
const escrow = { address: taskEscrow, abi: taskEscrowAbi } as const;
const statusNames = [
  ...["None", "Posted", "Assigned", "Accepted", "Settled", "Refunded", "Cancelled"],
  ...["Demanded", "Delivered", "Forfeited"],
];

export async function booksOfChain(chain: PublicClient): Promise<Books> {
  const query = { ...escrow, fromBlock: BigInt(deploymentBlock), strict: true } as const;
  const [settled, posted] = await Promise.all([
    chain.getContractEvents({ ...query, eventName: "TaskSettled" }),
    chain.getContractEvents({ ...query, eventName: "TaskPosted" }),
  ]);
  const tasks = await Promise.all(
    posted.map(async ({ args: { taskId } }) => {
      const { status, assignment } = await chain.readContract({ ...escrow, functionName: "stateOf", args: [taskId] });
      return { taskId, status: statusNames[status] ?? String(status), assignment };
    }),
  );
  const bills = settled.map(({ args, blockNumber, transactionHash }) => ({
    taskId: args.taskId,
    amountUsd6: String(args.amountUsd6),
    standbyUsd6: String(args.standbyUsd6),
    refundUsd6: String(args.refundUsd6),
    block: String(blockNumber),
    tx: transactionHash,
  }));
  return { bills: bills.sort(byTask), tasks: tasks.sort(byTask) };
}

/** Through the dApp's own reader. */
export async function booksOfSubgraph(url: string): Promise<Books> {
  const query = `{
    bills(first: 1000) { id amountUsd6 standbyUsd6 refundUsd6 block tx }
    tasks(first: 1000) { id status assignment }
  }`;
  const { bills = [], tasks = [] } = await querySubgraph<{
    bills: (Omit<Books["bills"][number], "taskId"> & { id: Hex })[];
    tasks: (Omit<Books["tasks"][number], "taskId"> & { id: Hex })[];
  }>({ url, query });
  return { bills: bills.map(named).sort(byTask), tasks: tasks.map(named).sort(byTask) };
}

function named<T extends { id: Hex }>({ id, ...rest }: T): Omit<T, "id"> & { taskId: Hex } {
  return { taskId: id, ...rest };
}

function byTask(a: { taskId: Hex }, b: { taskId: Hex }): number {
  return a.taskId < b.taskId ? -1 : 1;
}
