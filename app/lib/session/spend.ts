/** How much of a session's money is spent, for a bar: cut, so that a bar is full only when everything is. */
export function spentPermille({ paidUsd6, putInUsd6 }: { paidUsd6: bigint; putInUsd6: bigint }): number {
  if (putInUsd6 <= 0n) return 0;
  const permille = (paidUsd6 * 1_000n) / putInUsd6;
  return Number(permille > 1_000n ? 1_000n : permille < 0n ? 0n : permille);
}
