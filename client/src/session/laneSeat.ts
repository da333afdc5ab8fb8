/** A node of the session as the client uses it. */
import type { Address } from "viem";

export interface LaneSeat {
  nodeId: number;
  operator: Address;
  isPrimary: boolean;
  laneKey: Uint8Array;
  /** Requests that may be with the node at a time: enough to keep its slots busy over the way there and back. */
  window: number;
}
