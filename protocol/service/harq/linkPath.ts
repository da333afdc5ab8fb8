/** One way to the peer as a link drives it: something that carries datagrams, may be full, and may end. */
import type { PathKind } from "../../src/harq/connection/path.ts";

export interface LinkPathEvents {
  /**
   * A datagram came in. `adopt` is there when it came from another address than the path sends to; it is called once
   * the datagram proved authentic and newer than all before, and moves the path there.
   */
  datagram(bytes: Uint8Array, adopt?: () => void): void;
  /** The path carries nothing any more, in either direction. */
  down(): void;
}

export interface LinkPath {
  readonly kind: PathKind;
  /** Begins to tell what happens; called once, before anything else. */
  start(events: LinkPathEvents): void;
  /** How many bytes it takes now without holding more than it should. */
  roomBytes(): number;
  /** Never throws and never waits; what cannot be carried is lost, as on any network. */
  send(bytes: Uint8Array): void;
  /** Lets go of the socket, or of this path's part of one. */
  stop(): void;
}
