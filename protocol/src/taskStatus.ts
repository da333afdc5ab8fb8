/** States of a task, numbered as in contracts/types/TaskTypes.sol. */
export const taskStatus = {
  none: 0,
  posted: 1,
  assigned: 2,
  accepted: 3,
  settled: 4,
  refunded: 5,
  cancelled: 6,
  demanded: 7,
  delivered: 8,
  forfeited: 9,
} as const;

/** True for a task that can still be assigned, executed, settled or expired. */
export function isOpen(status: number): boolean {
  return status >= taskStatus.posted && status <= taskStatus.accepted;
}

/** True for a task that nobody executes any more, paid or not; a demand may still move its bill. */
export function isOver(status: number): boolean {
  return status >= taskStatus.settled;
}
