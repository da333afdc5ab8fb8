/** What the paths in use say at the moment; the same for all messages. */
export interface SendingConditions {
  /**
   * `coded` repairs in advance where the estimate says so, `striped` always, `framed` never and leaves loss to the
   * path.
   */
  readonly profile: "coded" | "striped" | "framed";
  /** Upper bound of the loss, for sizing. */
  readonly loss: number;
  /** The same as it is: below 0.1 % nothing is repaired in advance. */
  readonly unclampedLoss: number;
  readonly meanBurst: number;
  readonly rttUs: number;
  readonly bytesPerSecond: number;
  /** While loss is taken for congestion nothing is repaired in advance. */
  readonly isCongested: boolean;
  /** Source bytes of all messages that have not left. */
  readonly queuedBytes: number;
}

/** Feedback on what leaves now would come after the last that is queued has left. */
export function isTail({ queuedBytes, bytesPerSecond, rttUs }: SendingConditions): boolean {
  return queuedBytes * 1e6 < rttUs * bytesPerSecond;
}
