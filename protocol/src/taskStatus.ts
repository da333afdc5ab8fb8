/** States of a task, numbered as in contracts/types/TaskTypes.sol. */
export const taskStatus = {
  none: 0,
  posted: 1,
  assigned: 2,
  accepted: 3,
  settled: 4,
  refunded: 5,
  cancelled: 6,
  /** The payer says that it cannot get the output of a settled task. */
  demanded: 7,
  /** Keepers had the demanded output: the node is paid. */
  delivered: 8,
  /** Too few keepers had it: bill and bond are the payer's again. */
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

/** True for a task that has a bill, whatever came of a demand for its output. */
export function isSettled(status: number): boolean {
  return status === taskStatus.settled || status >= taskStatus.demanded;
}
