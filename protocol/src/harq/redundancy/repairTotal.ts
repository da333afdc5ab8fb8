/**
 * How many new symbols a block needs after feedback. What is under way may still complete it, and feedback will tell:
 * only what would be missing even then is made up for, as shortfall + 1.5 √(shortfall × loss) + 1 of which that much
 * arrives.
 */
export interface RepairOptions {
  /** Symbols that the receiver still needs. */
  readonly deficit: number;
  /** Symbols of the block whose fate is not known. */
  readonly outstanding: number;
  readonly loss: number;
}

export function repairTotal({ deficit, outstanding, loss }: RepairOptions): number {
  const shortfall = deficit - outstanding;
  if (shortfall <= 0) return 0;
  const wanted = shortfall + 1.5 * Math.sqrt(shortfall * loss) + 1;
  return Math.round(wanted / (1 - loss));
}
