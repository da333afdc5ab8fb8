/** One link's part of a UDP socket: where the peer is, and whose datagrams are whose. */
import type { LinkPath, LinkPathEvents } from "./linkPath.ts";

export interface UdpAddress {
  readonly address: string;
  readonly port: number;
}

export interface UdpPath extends LinkPath {
  /** Undefined until the peer was heard. */
  remote(): UdpAddress | undefined;
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

const fullDatagramBytes = 1_452;

export function createUdpPath({ remote: given, send, room, stopped }: UdpPathParts): UdpPath {
  let remote = given;
  let events: LinkPathEvents | undefined;
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
    receive(bytes, from) {
      const { address, port } = from;
      if (remote !== undefined && remote.port === port && remote.address === address) return events?.datagram(bytes);
      events?.datagram(bytes, () => {
        remote = { address, port };
      });
    },
    down: () => events?.down(),
  };
}
