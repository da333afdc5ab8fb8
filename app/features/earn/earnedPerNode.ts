/** What each node of a class earned by single tasks and by sessions; the treasury's fee is not the node's. */
import { feeUsd6 } from "@ngpu/protocol/session/sessionMoney";

interface NodeRef {
  id: string;
  nodeClass: { id: string };
}

/** A bill that stands, or what a backup was paid for standing by. */
export interface EarnedBill {
  id: string;
  amountUsd6: string;
  node: NodeRef;
}

/** A settled voucher or a collected debt. */
export interface EarnedVoucher {
  id: string;
  paidUsd6: string;
  node: NodeRef;
  session: { feeBps: number };
}

export function earnedPerNode(
  earned: { bills: readonly EarnedBill[]; vouchers: readonly EarnedVoucher[] },
  classId: string,
): bigint[] {
  const amounts = [
    ...earned.bills.map(({ node, amountUsd6 }) => ({ node, usd6: BigInt(amountUsd6) })),
    ...earned.vouchers.map(({ node, paidUsd6, session }) => {
      const paid = BigInt(paidUsd6);
      return { node, usd6: paid - feeUsd6(paid, session.feeBps) };
    }),
  ];
  const sums = new Map<string, bigint>();
  for (const { node, usd6 } of amounts) {
    if (node.nodeClass.id === classId) sums.set(node.id, (sums.get(node.id) ?? 0n) + usd6);
  }
  return [...sums.values()];
}
