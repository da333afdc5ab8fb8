/**
 * The `background` class, after LEDBAT (RFC 6817) with the slowdowns of LEDBAT++: what is in flight grows while the
 * queue adds less than 15 ms to the round trip and shrinks above, so that whoever builds a longer queue has the link.
 * Loss halves it only where a queue stands as well.
 */
import type { CongestionController, ControllerOptions } from "./controller.ts";
import { createDeliveryRate } from "./deliveryRate.ts";

const targetUs = 15_000;
const initialPackets = 4;
const leastPackets = 2;
/** How much more may be in flight than was, while the application offers less. */
const unusedShare = 2;
const pace = 1.25;
/** A slowdown shows the round trip without one's own queue; it lasts two round trips, then nine times as long none. */
const slowRoundTrips = 2;
const slowdownEvery = 9;

export function createBackground(options: ControllerOptions): CongestionController {
  const { nowUs: openedUs, packetBytes, memory, assumedRttUs = 200_000 } = options;
  const leastBytes = leastPackets * packetBytes;
  const rate = createDeliveryRate();
  let windowBytes = initialPackets * packetBytes;
  let thresholdBytes = Infinity;
  let baseUs = memory?.smallestRttUs ?? assumedRttUs;
  let smoothedUs = baseUs;
  let nextNumber = 0;
  let answeredNumber = -1;
  let nowUs = openedUs;
  let congestedUntilUs = 0;
  let slowUntilUs = 0;
  let slowdownAtUs = Infinity;
  let beganStartUs = openedUs;

  const isSlow = (): boolean => nowUs < slowUntilUs;
  const slowDown = (): void => {
    thresholdBytes = windowBytes;
    windowBytes = leastBytes;
    slowUntilUs = nowUs + slowRoundTrips * smoothedUs;
    slowdownAtUs = Infinity;
    beganStartUs = slowUntilUs;
  };
  const grow = (ackedBytes: number, queueUs: number): void => {
    if (windowBytes < thresholdBytes && queueUs < 0.75 * targetUs) {
      windowBytes += ackedBytes;
      return;
    }
    if (slowdownAtUs === Infinity) slowdownAtUs = nowUs + slowdownEvery * Math.max(smoothedUs, nowUs - beganStartUs);
    thresholdBytes = Math.min(thresholdBytes, windowBytes);
    const offTarget = Math.max(-1, (targetUs - queueUs) / targetUs);
    windowBytes += (offTarget * ackedBytes * packetBytes) / windowBytes;
    if (queueUs > targetUs) windowBytes -= ackedBytes * Math.min(0.5, 0.25 * (queueUs / targetUs - 1));
  };
  return {
    onSent({ number }) {
      nextNumber = number + 1;
    },
    onFeedback(feedback) {
      nowUs = feedback.nowUs;
      rate.onFeedback(feedback);
      baseUs = feedback.smallestRttUs;
      if (feedback.rttUs !== undefined) smoothedUs += (feedback.rttUs - smoothedUs) / 8;
      const queueUs = Math.max(0, (feedback.rttUs ?? smoothedUs) - baseUs);
      if (isSlow()) return;
      if (nowUs >= slowdownAtUs) return slowDown();
      const ackedBytes = feedback.arrived.reduce((sum, { bytes }) => sum + bytes, 0);
      const before = windowBytes;
      grow(ackedBytes, queueUs);
      const isLost = feedback.lost.some(({ number }) => number > answeredNumber);
      if (isLost && queueUs > 0.25 * targetUs) {
        answeredNumber = nextNumber - 1;
        windowBytes = Math.min(windowBytes, before / 2);
        thresholdBytes = windowBytes;
        congestedUntilUs = nowUs + smoothedUs;
      }
      const usedBytes = unusedShare * (feedback.inFlightBytes + ackedBytes) + initialPackets * packetBytes;
      windowBytes = Math.max(leastBytes, Math.min(windowBytes, Math.max(before, usedBytes)));
    },
    bytesPerSecond: () => (pace * windowBytes * 1e6) / smoothedUs,
    windowBytes: () => windowBytes,
    isCongested: () => nowUs < congestedUntilUs,
    remember: () => ({ bytesPerSecond: rate.bytesPerSecond(), smallestRttUs: baseUs }),
  };
}
