/** Names of the contracts' enumerations. A number that a later contract adds reads as the nearest known name. */

/** `ReceiptStatus` of a failed attempt. */
export function receiptStatusName(status: i32): string {
  if (status == 0) return "Succeeded";
  if (status == 1) return "InputRefused";
  if (status == 3) return "RunnerCrashed";
  if (status == 4) return "TimedOut";
  return "ModelFailed";
}

/** `RefundReason` of a refund. */
export function refundReasonName(reason: i32): string {
  return reason == 0 ? "Expired" : "Failed";
}
