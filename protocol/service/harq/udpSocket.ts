/**
 * One UDP socket for any number of links: a datagram belongs to the link whose connection id its header names. It is
 * never connected, so that a peer whose address changes is still heard. Errors of the network (unreachable, too large,
 * refused) are counted and told, and end nothing.
 */
import { createSocket, type RemoteInfo, type Socket } from "node:dgram";
import type { Gate } from "../../src/harq/security/gate.ts";
import { createUdpGate } from "./udpGate.ts";
import { createUdpPath, type UdpAddress, type UdpPath } from "./udpPath.ts";

export interface UdpSocketOptions {
  /** Address to listen at; an IPv6 address makes it an IPv6 socket. */
  readonly host?: string;
  readonly port?: number;
  /** Asked of datagrams from addresses that no path sends to; without one they may speak at once. */
  readonly gate?: Gate;
  /** A gate of its own, for paths that name their `peerId`. */
  readonly asksForTokens?: boolean;
  /** A datagram for nobody known here: garbage, a link that is gone, or a peer that begins. */
  readonly onUnknown?: (bytes: Uint8Array, from: UdpAddress) => void;
  readonly onError?: (error: NodeJS.ErrnoException) => void;
}

export interface UdpPathOptions {
  /** The id that the peer puts into its datagrams: that of this side's receiving direction. */
  readonly connectionId: bigint;
  /** What this side puts into its own datagrams; a gate answers for it. */
  readonly peerId?: bigint;
  /** Where to send; where it is not given, wherever the first authentic datagram came from. */
  readonly remote?: UdpAddress;
}

export interface UdpCounts {
  received: number;
  sent: number;
  /** For no link that is known here. */
  unknown: number;
  /** Not taken by the system, or not taken by us because it is behind. */
  dropped: number;
  errors: number;
  /** Waiting in the socket now. */
  queued: number;
}

export interface UdpSocket {
  readonly address: UdpAddress;
  createPath(options: UdpPathOptions): UdpPath;
  /** Sends outside of any path, as a retry; what cannot be sent is lost. */
  send(bytes: Uint8Array, to: UdpAddress): void;
  counts(): Readonly<UdpCounts>;
  /** Ends all paths with it. */
  close(): Promise<void>;
}

const bufferBytes = 8 * 1024 * 1024;
/** Datagrams that wait in the socket, at most; more are lost, as in any queue. */
const mostQueued = 64;
const idOffset = 1;
const shortest = 32;

/** Rejects where the address cannot be listened at. */
export async function openUdpSocket(options: UdpSocketOptions = {}): Promise<UdpSocket> {
  const { host = "127.0.0.1", port = 0, asksForTokens = false, onUnknown, onError } = options;
  const family = host.includes(":") ? 6 : 4;
  const socket = createSocket({
    type: `udp${family}`,
    // Peers have addresses, not names: to look one up would cost a turn of the event loop per datagram.
    lookup: (address, _options, done) => done(null, address, family),
  });
  await listen(socket, { host, port });
  const counts: UdpCounts = { received: 0, sent: 0, unknown: 0, dropped: 0, errors: 0, queued: 0 };
  const paths = new Map<bigint, UdpPath>();
  const peers = new Map<bigint, bigint>();
  const gate = options.gate ?? (asksForTokens ? createUdpGate((id) => peers.get(id)) : undefined);
  let isClosed = false;

  const fail = (error: NodeJS.ErrnoException): void => {
    counts.errors += 1;
    onError?.(error);
  };
  const sent = (error: Error | null): void => {
    if (error === null) return;
    counts.dropped += 1;
    if (!isClosed) fail(error);
  };
  const queued = (): number => (isClosed ? mostQueued : socket.getSendQueueCount());
  const send = (bytes: Uint8Array, { address, port: to }: UdpAddress): void => {
    if (queued() >= mostQueued) {
      counts.dropped += 1;
      return;
    }
    counts.sent += 1;
    try {
      socket.send(bytes, 0, bytes.length, to, address, sent);
    } catch (error) {
      sent(error as Error);
    }
  };
  const admit = (asked: Gate, bytes: Uint8Array, from: RemoteInfo): void => {
    const admission = asked.judge({ address: from.address, bytes, nowUs: performance.now() * 1_000 });
    if (admission.verdict === "admit") return paths.get(admission.connectionId)?.receive(admission.datagram, from);
    if (admission.verdict === "retry") return send(admission.reply, from);
    counts.unknown += 1;
    onUnknown?.(bytes, from);
  };
  socket.on("error", fail);
  socket.on("message", (bytes: Buffer, from: RemoteInfo) => {
    counts.received += 1;
    const path = bytes.length < shortest ? undefined : paths.get(bytes.readBigUInt64BE(idOffset));
    if (path !== undefined && (gate === undefined || path.isAt(from))) return path.receive(bytes, from);
    if (gate !== undefined) return admit(gate, bytes, from);
    counts.unknown += 1;
    onUnknown?.(bytes, from);
  });

  return {
    address: { address: socket.address().address, port: socket.address().port },
    createPath({ connectionId, peerId, remote }) {
      const path = createUdpPath({
        remote,
        send,
        room: () => mostQueued - queued(),
        stopped() {
          if (paths.get(connectionId) !== path) return;
          paths.delete(connectionId);
          peers.delete(connectionId);
        },
      });
      paths.set(connectionId, path);
      if (peerId !== undefined) peers.set(connectionId, peerId);
      return path;
    },
    send,
    counts: () => ({ ...counts, queued: isClosed ? 0 : queued() }),
    close() {
      if (isClosed) return Promise.resolve();
      isClosed = true;
      for (const path of [...paths.values()]) path.down();
      return new Promise((resolve) => socket.close(() => resolve()));
    },
  };
}

function listen(socket: Socket, { host, port }: { host: string; port: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once("error", reject);
    socket.bind({ address: host, port }, () => {
      socket.off("error", reject);
      // Linux takes as much of it as the machine allows; other systems refuse more than that.
      for (const set of [socket.setRecvBufferSize, socket.setSendBufferSize]) tryLargest(set.bind(socket));
      resolve();
    });
  });
}

function tryLargest(set: (bytes: number) => void): void {
  for (let bytes = bufferBytes; bytes >= 65_536; bytes /= 2) {
    try {
      return set(bytes);
    } catch {
      continue;
    }
  }
}
