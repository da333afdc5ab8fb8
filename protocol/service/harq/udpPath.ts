/** One link's part of a UDP socket: where the peer is, and whose datagrams are whose. */
import type { LinkPath, LinkPathEvents } from "../../src/harq/link/linkPath.ts";

export interface UdpAddress {
  readonly address: string;
  readonly port: number;
}

export interface UdpPath extends LinkPath {
  /** Undefined until the peer was heard. */
  remote(): UdpAddress | undefined;
  /** Whether the peer is known to be there. */
  isAt(from: UdpAddress): boolean;
  /** The socket's part: a datagram with this path's connection id. */
  receive(bytes: Uint8Array, from: UdpAddress): void;
  /** The socket's part: it is closed. */
  down(): void;
}

export interface UdpPathParts {
  readonly remote: UdpAddress | undefined;
  send(bytes: Uint8Array, to: UdpAddress): void;
  /** Datagrams that the socket takes now. */
  room(): number;
  stopped(): void;
}

const fullDatagramBytes = 1_472;

/** Where the peer is not known yet, what is sent is lost. */
export function createUdpPath({ remote: given, send, room, stopped }: UdpPathParts): UdpPath {
  let remote = given;
  let events: LinkPathEvents | undefined;
  const isAt = (from: UdpAddress): boolean =>
    remote !== undefined && remote.port === from.port && remote.address === from.address;
  return {
    kind: "datagram",
    start(to) {
      events = to;
    },
    roomBytes: () => room() * fullDatagramBytes,
    send(bytes) {
      if (remote !== undefined) send(bytes, remote);
    },
    stop() {
      events = undefined;
      stopped();
    },
    remote: () => remote,
    isAt,
    receive(bytes, from) {
      if (isAt(from)) return events?.datagram(bytes);
      events?.datagram(bytes, () => {
        remote = { address: from.address, port: from.port };
      });
    },
    down: () => events?.down(),
  };
}
