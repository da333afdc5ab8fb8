/** Time as a link needs it: microseconds that never go back, and calls that come about when they should. */
export interface LinkClock {
  /** Monotonic microseconds. */
  nowUs(): number;
  /** Calls once after `us`, not much later; returns what calls it off. */
  after(us: number, call: () => void): () => void;
  /** Calls once as soon as what has come in was read. */
  soon(call: () => void): void;
}
