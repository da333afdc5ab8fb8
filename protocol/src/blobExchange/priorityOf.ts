/** Small messages, and with them all requests without a blob, do not wait for large ones. */
import type { Priority } from "../harq/message/priority.ts";

const mostInteractiveBytes = 64 * 1024;

export function priorityOf(bytes: number): Priority {
  return bytes <= mostInteractiveBytes ? "interactive" : "bulk";
}
