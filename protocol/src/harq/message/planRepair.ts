/** How many symbols a block whose source symbols have left should get now (rules 1 and 2 of decision 0009). */
import { proactiveTotal } from "../redundancy/proactiveTotal.ts";
import { repairTotal } from "../redundancy/repairTotal.ts";
import { messageLimits } from "./messageLimits.ts";
import type { OutgoingBlock } from "./outgoingBlock.ts";
import { isTail, type SendingConditions } from "./sendingConditions.ts";

export interface RepairPlan {
  readonly block: OutgoingBlock;
  readonly symbolBytes: number;
  readonly isInteractive: boolean;
  readonly conditions: SendingConditions;
}

const interactiveCeiling = 1e-4;
/** Of a stripe's source symbols: what the slowest of four sockets would carry. */
const stripedParity = 0.25;

export function planRepair({ block, symbolBytes, isInteractive, conditions }: RepairPlan): number {
  const { outstanding } = block;
  const deficit = block.deficit();
  if (deficit === 0) return 0;
  const { profile, loss, unclampedLoss, isCongested } = conditions;
  const asked = repairTotal({ deficit, outstanding, loss });
  if (profile === "framed" || isCongested || !isTail(conditions)) return asked;
  if (profile === "striped") {
    const repaired = messageLimits.ids - block.k - block.idsLeft();
    return Math.max(asked, Math.ceil(stripedParity * block.k) - repaired);
  }
  if (unclampedLoss < 0.001) return asked;
  const total = proactiveTotal({
    needed: deficit,
    loss,
    symbolUs: (symbolBytes * 1e6) / conditions.bytesPerSecond,
    rttUs: conditions.rttUs,
    most: Math.max(deficit, outstanding + block.idsLeft()),
    ...(isInteractive ? { ceiling: interactiveCeiling } : {}),
  });
  return Math.max(asked, total - outstanding);
}
