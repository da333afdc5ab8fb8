/** Controllers for tests of what is above them: a fixed rate, and one that starts with 32 packets and doubles. */
import type { CongestionController, ControllerOptions } from "@ngpu/protocol/harq/congestion/controller";

export function createFixedRate({
  bytesPerSecond,
  windowBytes = Infinity,
}: {
  bytesPerSecond: number;
  windowBytes?: number;
}) {
  return (): CongestionController => ({
    onSent() {},
    onFeedback() {},
    bytesPerSecond: () => bytesPerSecond,
    windowBytes: () => windowBytes,
    isCongested: () => false,
    remember: () => ({ bytesPerSecond, smallestRttUs: 200_000 }),
  });
}

/** The window doubles every round trip until the known rate of the path is reached; no reaction to loss. */
export function createDoubling({ bytesPerSecond: mostBytesPerSecond }: { bytesPerSecond: number }) {
  return ({ packetBytes, memory }: ControllerOptions): CongestionController => {
    let windowBytes = memory === undefined ? 32 * packetBytes : Infinity;
    let rttUs = memory?.smallestRttUs ?? 200_000;
    const rate = (): number => Math.min(mostBytesPerSecond, (windowBytes * 1e6) / rttUs);
    return {
      onSent() {},
      onFeedback({ arrived, lost, smallestRttUs }) {
        rttUs = smallestRttUs;
        for (const { bytes } of [...arrived, ...lost]) windowBytes += bytes;
      },
      bytesPerSecond: rate,
      windowBytes: () => Math.min(windowBytes, 2 * ((mostBytesPerSecond * rttUs) / 1e6) + 20 * packetBytes),
      isCongested: () => false,
      remember: () => ({ bytesPerSecond: rate(), smallestRttUs: rttUs }),
    };
  };
}
