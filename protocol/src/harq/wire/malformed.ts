/** The one error that decoding may throw: a code, and which rule the bytes broke. */
import { NgpuError } from "../../errors.ts";

export function malformed(rule: string): NgpuError {
  return new NgpuError("WIRE_MALFORMED", { rule });
}
