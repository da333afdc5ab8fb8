/**
 * How much is bound to one of several streams: what it delivered in a round trip, twice, and a little to begin with.
 * TCP takes far more than it can send; what waits in it cannot go by another stream.
 */
export interface StripeWindow {
  onDelivered(bytes: number, nowUs: number): void;
  /** `rttUs`: the smallest round trip, without the queue in TCP. */
  bytes(rttUs: number, nowUs: number): number;
}

/** Twice what TCP sends before it has heard anything. */
const firstBytes = 32_768;

export function createStripeWindow(): StripeWindow {
  let delivered: { readonly bytes: number; readonly atUs: number }[] = [];
  return {
    onDelivered: (bytes, nowUs) => void delivered.push({ bytes, atUs: nowUs }),
    bytes(rttUs, nowUs) {
      const from = delivered.findIndex(({ atUs }) => atUs > nowUs - rttUs);
      delivered = from === -1 ? [] : delivered.slice(from);
      return firstBytes + 2 * delivered.reduce((total, { bytes }) => total + bytes, 0);
    },
  };
}
