/**
 * How much is bound to a stream: what it delivered in a round trip, twice, and a little to begin with. TCP takes far
 * more than it can send, and what waits in it can neither be overtaken nor go by another stream.
 */
export interface StreamWindow {
  onDelivered(bytes: number, nowUs: number): void;
  /** `rttUs`: the smallest round trip, without the queue in TCP. */
  bytes(rttUs: number, nowUs: number): number;
}

/** Twice what TCP sends before it has heard anything. */
const firstBytes = 32_768;
/** Reports do not come more often than every few milliseconds. */
const shortestUs = 20_000;

export function createStreamWindow(): StreamWindow {
  let delivered: { readonly bytes: number; readonly atUs: number }[] = [];
  return {
    onDelivered: (bytes, nowUs) => void delivered.push({ bytes, atUs: nowUs }),
    bytes(rttUs, nowUs) {
      const sinceUs = nowUs - Math.max(shortestUs, rttUs);
      const from = delivered.findIndex(({ atUs }) => atUs > sinceUs);
      delivered = from === -1 ? [] : delivered.slice(from);
      return firstBytes + 2 * delivered.reduce((total, { bytes }) => total + bytes, 0);
    },
  };
}
