/**
 * The bound of bytes in flight that congestion leaves: seven tenths of what was in flight, then upwards as CUBIC does
 * (RFC 9438, with its Reno-friendly region), so that a flow which shares a full queue with TCP gives way and comes back
 * as TCP does.
 */
export interface InflightCap {
  lower(inFlightBytes: number, nowUs: number): void;
  /** From here on upwards, as from the curve's middle. */
  set(inFlightBytes: number, nowUs: number): void;
  /** Infinity while nothing says otherwise. */
  bytes(nowUs: number, rttUs: number): number;
  lift(): void;
}

const left = 0.7;
const steepness = 0.4;
const friendly = (3 * (1 - left)) / (1 + left);
/** What a TCP flow counts in. */
const segmentBytes = 1_500;

export function createInflightCap({ leastBytes }: { leastBytes: number }): InflightCap {
  let largest = Infinity;
  let lowest = 0;
  let loweredUs = 0;
  let backAfterS = 0;
  return {
    lower(inFlightBytes, nowUs) {
      const segments = Math.max(leastBytes / left, inFlightBytes) / segmentBytes;
      largest = segments < largest ? (segments * (1 + left)) / 2 : segments;
      lowest = segments * left;
      loweredUs = nowUs;
      backAfterS = Math.cbrt((largest - lowest) / steepness);
    },
    set(inFlightBytes, nowUs) {
      largest = Math.max(leastBytes, inFlightBytes) / segmentBytes;
      lowest = largest;
      loweredUs = nowUs;
      backAfterS = 0;
    },
    bytes(nowUs, rttUs) {
      if (largest === Infinity) return Infinity;
      const seconds = (nowUs - loweredUs) / 1e6;
      const curve = largest + steepness * (seconds - backAfterS) ** 3;
      const straight = lowest + (friendly * (nowUs - loweredUs)) / rttUs;
      return Math.max(leastBytes, Math.max(curve, straight) * segmentBytes);
    },
    lift() {
      largest = Infinity;
    },
  };
}
