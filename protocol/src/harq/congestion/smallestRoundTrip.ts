/** The path's round trip without a queue: the smallest seen, looked for anew when nothing came near it for long. */
export interface SmallestRoundTrip {
  sample(rttUs: number, nowUs: number): void;
  us(): number;
  /** Of the last minute, whatever was looked for anew. */
  floorUs(): number;
  /** Nothing came near it for this long. */
  isStale(nowUs: number, forUs: number): boolean;
  /** From here on what is seen counts, whatever was smaller before. */
  startOver(nowUs: number): void;
}

const floorForUs = 60_000_000;
const near = 1.1;

export function createSmallestRoundTrip(assumedUs: number): SmallestRoundTrip {
  let isMeasured = false;
  let smallestUs = assumedUs;
  let seenUs = 0;
  let floorUs = assumedUs;
  let floorAtUs = -Infinity;
  return {
    sample(rttUs, nowUs) {
      if (!isMeasured || rttUs < smallestUs) smallestUs = rttUs;
      isMeasured = true;
      if (floorAtUs === -Infinity || rttUs <= floorUs || nowUs - floorAtUs > floorForUs) {
        floorUs = rttUs <= floorUs || floorAtUs === -Infinity ? rttUs : smallestUs;
        floorAtUs = nowUs;
      }
      if (rttUs <= near * smallestUs) seenUs = nowUs;
    },
    us: () => smallestUs,
    floorUs: () => floorUs,
    isStale: (nowUs, forUs) => isMeasured && nowUs - seenUs > forUs,
    startOver(nowUs) {
      isMeasured = false;
      seenUs = nowUs;
    },
  };
}
