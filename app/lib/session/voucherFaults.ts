/** Why the contract did not settle a voucher, by the numbers of VoucherFault in contracts/types/SessionTypes.sol. */
export const voucherFaults = [
  ["None", "nothing was wrong"],
  ["SessionUnknown", "there is no such session"],
  ["WindowOver", "the settle window had ended"],
  ["LaneUnknown", "the node never had a lane in it"],
  ["BillsMalformed", "its bills are malformed"],
  ["SignatureInvalid", "the session's signer did not sign it, or it was settled before"],
  ["TooLarge", "a total does not fit its field"],
] as const;

export function voucherFaultWords(fault: number): string {
  return voucherFaults[fault]?.[1] ?? `fault ${fault}`;
}
