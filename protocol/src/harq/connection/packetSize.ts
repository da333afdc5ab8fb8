/**
 * How large a datagram a path carries: 1,200 bytes at least, more once a probe of that size arrived. The largest is
 * tried first, with the path's first challenge, so that most paths are known before anything is cut for them; where
 * it is lost, sizes are tried upwards. It falls back to the floor when packets above it keep being lost between
 * smaller ones that arrive; loss alone never lowers it.
 */
export interface PacketSize {
  packetBytes(): number;
  /** A size to try now, as a padded packet. */
  probe(nowUs: number): number | undefined;
  /** Whoever is to hear of it was not listening yet: the largest is tried anew. */
  startOver(nowUs: number): void;
  /** Nothing will be heard of what is under way. */
  abandon(): void;
  onProbeFate(bytes: number, isLost: boolean, nowUs: number): void;
  /** Fates of packets in their order; the size may fall. */
  onFate(bytes: number, isLost: boolean, loss: number): void;
  /** True once when a small packet should tell whether it is the size that is lost. */
  takeSmallPacket(): boolean;
  nextUs(): number;
}

export interface PacketSizeOptions {
  readonly smallestBytes: number;
  readonly largestBytes: number;
  readonly nowUs: number;
}

/** The last two are what Ethernet leaves under IPv6 and under IPv4. */
const steps = [1_280, 1_392, 1_452, 1_472];
const tries = 3;
const retryUs = 600_000_000;
const betweenProbesUs = 50_000;
const suspicious = 3;
/** A run of losses this improbable is not chance. */
const improbable = 1e-9;
const shortestRun = 10;

export function createPacketSize({ smallestBytes, largestBytes, nowUs: openedUs }: PacketSizeOptions): PacketSize {
  let current = smallestBytes;
  let failures = 0;
  let isFirst = true;
  let underWay: number | undefined;
  let nextUs = openedUs;
  let run = 0;
  /** Large packets lost since a small one arrived; undefined before one did. */
  let lostSince: number | undefined;
  let wantsSmall = false;
  const larger = (): number | undefined => {
    const left = steps.filter((bytes) => bytes > current && bytes <= largestBytes);
    return isFirst ? left.at(-1) : left[0];
  };
  const calm = (): void => {
    run = 0;
    lostSince = undefined;
    wantsSmall = false;
  };
  return {
    packetBytes: () => current,
    probe(nowUs) {
      const bytes = larger();
      if (bytes === undefined || underWay !== undefined || nowUs < nextUs) return undefined;
      underWay = bytes;
      isFirst = false;
      return bytes;
    },
    startOver(nowUs) {
      isFirst = true;
      underWay = undefined;
      nextUs = nowUs;
    },
    abandon() {
      underWay = undefined;
    },
    onProbeFate(bytes, isLost, nowUs) {
      underWay = undefined;
      failures = isLost ? failures + 1 : 0;
      if (!isLost) current = Math.max(current, bytes);
      nextUs = nowUs + (failures >= tries ? retryUs : betweenProbesUs);
      if (failures >= tries) failures = 0;
    },
    onFate(bytes, isLost, loss) {
      if (current === smallestBytes) return;
      const enough = Math.max(shortestRun, Math.ceil(Math.log(improbable) / Math.log(loss)));
      if (bytes > smallestBytes) {
        if (!isLost) calm();
        else {
          run += 1;
          if (lostSince !== undefined) lostSince += 1;
          wantsSmall ||= run >= suspicious && (lostSince === undefined || lostSince >= enough);
        }
        return;
      }
      if (run < suspicious) return;
      if (isLost) {
        wantsSmall = true;
        return;
      }
      if (lostSince !== undefined && lostSince >= enough) {
        current = smallestBytes;
        calm();
        return;
      }
      lostSince ??= 0;
    },
    takeSmallPacket() {
      const wanted = wantsSmall;
      wantsSmall = false;
      return wanted;
    },
    nextUs: () => (larger() === undefined || underWay !== undefined ? Infinity : nextUs),
  };
}
