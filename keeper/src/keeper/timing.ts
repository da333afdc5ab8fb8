/** How long a keeper waits before it suspects, repeats or takes over: ms of its own clock. */
export interface Timing {
  /** A node or an execution that was not heard of for so long is suspect. */
  silentMs: number;
  /** Nodes have so long to come back after the keeper (re)connected to a gateway. */
  reconnectMs: number;
  /** An executor has so long from dispatch to its first progress. */
  startMs: number;
  /** From first progress to receipt an executor has so long, and three times the longest that it could bill. */
  overdueMs: number;
  /** A heartbeat tells of what its node was told so long before. */
  heartbeatMs: number;
  /** A dispatch that is not known to have arrived is repeated this often. */
  repeatMs: number;
}

export const timing: Timing = {
  silentMs: 2_000,
  reconnectMs: 3_000,
  startMs: 10_000,
  overdueMs: 30_000,
  heartbeatMs: 250,
  repeatMs: 1_000,
};
