/** States of a task, numbered as in contracts/types/TaskTypes.sol; the last three are terminal. */
export const taskStatus = {
  none: 0,
  posted: 1,
  assigned: 2,
  accepted: 3,
  settled: 4,
  refunded: 5,
  cancelled: 6,
} as const;

/** True for a task that can still be assigned, executed, settled or expired. */
export function isOpen(status: number): boolean {
  return status >= taskStatus.posted && status <= taskStatus.accepted;
}

/** True for a task that has ended, paid or not. */
export function isOver(status: number): boolean {
  return status >= taskStatus.settled;
}
