/**
 * How many new symbols a block needs after feedback. While all that is under way could still complete it, none: that is
 * for feedback to tell. Once some are known to be lost, as many as make what is under way and useful reach
 * D + 1.5 √(D × loss) + 1.
 */
export interface RepairOptions {
  /** Symbols that the receiver still needs. */
  readonly deficit: number;
  /** Symbols of the block whose fate is not known. */
  readonly outstanding: number;
  readonly loss: number;
}

export function repairTotal({ deficit, outstanding, loss }: RepairOptions): number {
  if (deficit === 0 || outstanding >= deficit) return 0;
  const wanted = deficit + 1.5 * Math.sqrt(deficit * loss) + 1;
  return Math.max(0, Math.ceil(wanted / (1 - loss) - outstanding));
}
