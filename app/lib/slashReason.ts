/** What a slash was for: its reason is text in 32 bytes; one that is not known is shown as it was written. */
import { hexToString, type Hex } from "viem";
import { wordOf } from "./enumWords.ts";

const words: Partial<Record<string, string>> = {
  "ngpu.silence": wordOf("FaultKind", "Silence"),
  "ngpu.missedTask": wordOf("FaultKind", "MissedTask"),
  "ngpu.conflict": wordOf("FaultKind", "Conflict"),
  "ngpu.overlap": wordOf("FaultKind", "Overlap"),
  "ngpu.wrongResult": wordOf("FaultKind", "WrongResult"),
  SESSION_FLOOR: "Claim of a session burned",
};

export function slashReason(reason: Hex): string {
  const text = hexToString(reason, { size: 32 });
  return words[text] ?? (/^[\x20-\x7e]+$/.test(text) ? text : reason);
}
