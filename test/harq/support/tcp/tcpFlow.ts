/**
 * An ideal TCP sender and receiver as a peer in experiments. It sends segments without end through a bottleneck; every
 * arrival is acknowledged and no acknowledgement is lost. A segment is lost when three that left later arrived, or at
 * RFC 6298's timeout (200 ms at least, doubled each time). How much is in flight, and how fast, is a `TcpLaw`'s.
 */
import type { Bottleneck } from "../bottleneck.ts";
import type { EventQueue } from "../eventQueue.ts";
import type { LossModel } from "../lossyLink.ts";

export interface TcpAck {
  readonly nowUs: number;
  readonly rttUs: number;
  readonly inFlight: number;
  /** Segments delivered by now, and when the segment left that is acknowledged. */
  readonly delivered: number;
  readonly deliveredAtSending: number;
  /** Segments a second between the two. */
  readonly deliveryRate: number;
  /** Losses of the same window are still being repaired. */
  readonly isRecovering: boolean;
}

export interface TcpLaw {
  onAck(ack: TcpAck): void;
  /** Once for each window with losses. */
  onLoss(): void;
  onTimeout(): void;
  windowSegments(): number;
  /** Infinity: as acknowledgements come in. */
  segmentsPerSecond(): number;
}

export interface TcpFlow {
  /** Of application data, each byte once. */
  deliveredBytes(): number;
}

export interface TcpFlowOptions {
  readonly queue: EventQueue;
  readonly bottleneck: Bottleneck;
  readonly rttUs: number;
  readonly law: TcpLaw;
  readonly loss?: LossModel;
  readonly startUs?: number;
}

export const segmentBytes = 1_448;
const wireBytes = 1_500;
const overtakenBy = 3;
const shortestTimeoutUs = 200_000;
const longestTimeoutUs = 120_000_000;

interface Transmission {
  readonly segment: number;
  readonly order: number;
  readonly sentUs: number;
  readonly delivered: number;
  readonly deliveredUs: number;
}

export function createTcpFlow(options: TcpFlowOptions): TcpFlow {
  const { queue, bottleneck, rttUs: delayUs, law, loss, startUs = 0 } = options;
  const outstanding = new Map<number, Transmission>();
  let lost: number[] = [];
  let nextSegment = 0;
  let nextOrder = 0;
  let delivered = 0;
  let deliveredUs = startUs;
  let recoverOrder = 0;
  let smoothedUs = 0;
  let variationUs = 0;
  let backoff = 0;
  let timeoutAtUs = Infinity;
  let releaseUs = startUs;
  let isWaking = false;

  const timeoutUs = (): number => {
    const first = smoothedUs === 0 ? 1_000_000 : Math.max(shortestTimeoutUs, smoothedUs + 4 * variationUs);
    return Math.min(longestTimeoutUs, first * 2 ** backoff);
  };
  const armTimeout = (): void => {
    timeoutAtUs = outstanding.size > 0 ? queue.nowUs() + timeoutUs() : Infinity;
    const mine = timeoutAtUs;
    if (mine < Infinity) queue.at(mine, () => mine === timeoutAtUs && onTimeout());
  };
  const onTimeout = (): void => {
    lost = [...lost, ...[...outstanding.values()].map(({ segment }) => segment)];
    outstanding.clear();
    timeoutAtUs = Infinity;
    recoverOrder = nextOrder;
    backoff += 1;
    law.onTimeout();
    pump();
  };
  const transmit = (): void => {
    const nowUs = queue.nowUs();
    const segment = lost.shift() ?? nextSegment++;
    if (outstanding.size === 0) deliveredUs = nowUs;
    const sent: Transmission = {
      segment,
      order: nextOrder++,
      sentUs: nowUs,
      delivered,
      deliveredUs,
    };
    outstanding.set(sent.order, sent);
    if (timeoutAtUs === Infinity) armTimeout();
    const leavesUs = bottleneck.pass(wireBytes);
    if (leavesUs === undefined || loss?.(nowUs) === true) return;
    queue.at(leavesUs + delayUs, () => onAck(sent));
  };
  const pump = (): void => {
    const nowUs = queue.nowUs();
    while (outstanding.size < Math.max(1, Math.floor(law.windowSegments()))) {
      if (releaseUs > nowUs) {
        if (!isWaking) queue.at(releaseUs, wake);
        isWaking = true;
        return;
      }
      releaseUs = Math.max(releaseUs, nowUs - 1_000) + 1e6 / law.segmentsPerSecond();
      transmit();
    }
  };
  const wake = (): void => {
    isWaking = false;
    pump();
  };
  const findLost = (ackedOrder: number): void => {
    let isNewWindow = false;
    for (const { order, segment } of outstanding.values()) {
      if (order > ackedOrder - overtakenBy) break;
      outstanding.delete(order);
      lost.push(segment);
      isNewWindow ||= order >= recoverOrder;
    }
    if (!isNewWindow) return;
    recoverOrder = nextOrder;
    law.onLoss();
  };
  const onAck = (sent: Transmission): void => {
    const nowUs = queue.nowUs();
    const rttUs = nowUs - sent.sentUs;
    if (!outstanding.delete(sent.order)) return;
    variationUs = smoothedUs === 0 ? rttUs / 2 : variationUs + (Math.abs(smoothedUs - rttUs) - variationUs) / 4;
    smoothedUs = smoothedUs === 0 ? rttUs : smoothedUs + (rttUs - smoothedUs) / 8;
    delivered += 1;
    deliveredUs = nowUs;
    backoff = 0;
    findLost(sent.order);
    law.onAck({
      nowUs,
      rttUs,
      inFlight: outstanding.size,
      delivered,
      deliveredAtSending: sent.delivered,
      deliveryRate: ((delivered - sent.delivered) * 1e6) / (nowUs - sent.deliveredUs),
      isRecovering: sent.order < recoverOrder,
    });
    armTimeout();
    pump();
  };
  queue.at(startUs, pump);
  return { deliveredBytes: () => delivered * segmentBytes };
}
