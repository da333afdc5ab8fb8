/**
 * A UDP path whose peer is behind a router, as this side is. Until something authentic came from somewhere, what is
 * sent goes to every address at which the peer may be, and the newest of it a few times more: that opens this side's
 * router for the peer, and reaches the peer once it has done the same. The first address that proves authentic is the
 * path's, and stays it while it is heard.
 */
import type { Target } from "../../../src/harq/direct/targets.ts";
import type { LinkClock } from "../../../src/harq/link/linkClock.ts";
import type { LinkPath, LinkPathEvents } from "../../../src/harq/link/linkPath.ts";
import type { UdpAddress, UdpPath } from "../udpPath.ts";

export interface PunchedPathOptions {
  /** A path of the socket, whose remote nobody knows. */
  readonly inner: UdpPath;
  /** The socket's, outside of any path. */
  send(bytes: Uint8Array, to: UdpAddress): void;
  readonly targets: readonly Target[];
  /** Nothing is sent before; what comes is heard at once. */
  readonly delayUs: number;
  /** Authentic bytes that came over this path so far, by the link's count. */
  heardBytes(): number;
  readonly clock: LinkClock;
}

const repeatsUs = [50_000, 100_000, 200_000, 400_000, 800_000, 1_600_000];
/** To each target. */
const mostSends = 24;
/** After this another address may take the place of the one that was heard. */
const silentUs = 3_000_000;
/** Routers forget a flow on which nothing moves after 30 s or more. */
const keepEveryUs = 10_000_000;
const keepAlive = Uint8Array.of(0xff);

export function createPunchedPath(options: PunchedPathOptions): LinkPath {
  const { inner, send, targets, delayUs, heardBytes, clock } = options;
  const timers = new Set<() => void>();
  let latest: Uint8Array | undefined;
  let isHeldBack = delayUs > 0;
  let sends = 0;
  let heardUs = -Infinity;

  const later = (us: number, act: () => void): void => {
    const callOff = clock.after(us, () => {
      timers.delete(callOff);
      act();
    });
    timers.add(callOff);
  };
  const isKnown = (): boolean => inner.remote() !== undefined;
  const sendToAll = (): void => {
    if (latest === undefined || isHeldBack || isKnown() || sends >= mostSends) return;
    sends += 1;
    for (const target of targets) send(latest, target);
  };
  const keep = (): void => {
    if (isKnown()) inner.send(keepAlive);
    later(keepEveryUs, keep);
  };
  const take = (events: LinkPathEvents, bytes: Uint8Array, adopt?: () => void): void => {
    const before = heardBytes();
    const mayMove = adopt !== undefined && isKnown() && clock.nowUs() - heardUs > silentUs;
    // The first address is found, not moved to: nothing was proved of another one that would have to be proved anew.
    events.datagram(bytes, mayMove ? adopt : undefined);
    if (heardBytes() <= before) return;
    heardUs = clock.nowUs();
    if (!isKnown()) adopt?.();
  };

  return {
    kind: "datagram",
    start(events) {
      inner.start({ datagram: (bytes, adopt) => take(events, bytes, adopt), down: () => events.down() });
      later(delayUs, () => {
        if (isHeldBack) {
          isHeldBack = false;
          sendToAll();
        }
        for (const us of repeatsUs) later(us, sendToAll);
      });
      later(keepEveryUs, keep);
    },
    roomBytes: () => inner.roomBytes(),
    send(bytes) {
      if (isKnown()) return inner.send(bytes);
      latest = bytes;
      sendToAll();
    },
    stop() {
      for (const callOff of timers) callOff();
      timers.clear();
      inner.stop();
    },
  };
}
