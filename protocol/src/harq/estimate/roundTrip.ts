/** A path's round trip: smoothed, its variation (RFC 6298), and the smallest of the last ten seconds. */
export interface RoundTrip {
  sample(rttUs: number, nowUs: number): void;
  /** False while `smoothedUs` is only assumed. */
  isMeasured(): boolean;
  smoothedUs(): number;
  variationUs(): number;
  latestUs(): number;
  smallestUs(): number;
}

const smallestWindowUs = 10_000_000;

export function createRoundTrip(assumedUs: number): RoundTrip {
  let measured = false;
  let smoothed = assumedUs;
  let variation = assumedUs / 2;
  let latest = assumedUs;
  let minima: { atUs: number; rttUs: number }[] = [];
  return {
    sample(rttUs, nowUs) {
      latest = rttUs;
      if (measured) {
        variation += (Math.abs(smoothed - rttUs) - variation) / 4;
        smoothed += (rttUs - smoothed) / 8;
      } else {
        smoothed = rttUs;
        variation = rttUs / 2;
      }
      measured = true;
      minima = minima.filter((kept) => kept.rttUs < rttUs && kept.atUs > nowUs - smallestWindowUs);
      minima.push({ atUs: nowUs, rttUs });
    },
    isMeasured: () => measured,
    smoothedUs: () => smoothed,
    variationUs: () => variation,
    latestUs: () => latest,
    smallestUs: () => minima[0]?.rttUs ?? assumedUs,
  };
}
