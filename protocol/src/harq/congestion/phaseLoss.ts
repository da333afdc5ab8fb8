/**
 * What became of packets, by the phase they left in, and the loss of the path itself: that of phases which left room
 * on the link. Loss beyond it is what the sender may have caused.
 */
import type { Feedback } from "./controller.ts";

export interface LossCount {
  readonly packets: number;
  readonly lost: number;
}

export interface PhaseLoss {
  /** What leaves from packet `number` on belongs to a phase of this name. */
  begin(name: string, number: number): void;
  onFeedback(feedback: Feedback): void;
  /** Of the latest phase of that name. */
  of(name: string): LossCount;
  /** Such packets left while there was room. */
  learnOwn(count: LossCount): void;
  /** Loss of the path itself. */
  own(): number;
  /** Of so many packets that is known, old ones counting less. */
  known(): number;
  /** More than chance would have it, given the path's own loss. */
  isBeyondOwn(count: LossCount): boolean;
}

const rememberedPhases = 12;
const rememberedPackets = 2_000;
const most = 0.6;
const deviations = 3;
const nothing: LossCount = { packets: 0, lost: 0 };

export function createPhaseLoss(): PhaseLoss {
  const phases: { name: string; from: number; packets: number; lost: number }[] = [];
  let packets = 0;
  let lost = 0;
  const own = (): number => Math.min(most, packets === 0 ? 0 : lost / packets);
  const countAt = (number: number, isLost: boolean): void => {
    const phase = phases.findLast(({ from }) => from <= number);
    if (phase === undefined) return;
    phase.packets += 1;
    if (isLost) phase.lost += 1;
  };
  return {
    begin(name, number) {
      phases.push({ name, from: number, packets: 0, lost: 0 });
      if (phases.length > rememberedPhases) phases.shift();
    },
    onFeedback(feedback) {
      for (const { number } of feedback.arrived) countAt(number, false);
      for (const { number } of feedback.lost) countAt(number, true);
    },
    of: (name) => phases.findLast((phase) => phase.name === name) ?? nothing,
    learnOwn(count) {
      const kept = Math.exp(-count.packets / rememberedPackets);
      packets = packets * kept + count.packets;
      lost = lost * kept + count.lost;
    },
    own,
    known: () => packets,
    isBeyondOwn(count) {
      // The path's own loss is itself only known from so many packets.
      const variance = count.packets * own() * (1 + count.packets / Math.max(1, packets));
      return count.lost > count.packets * own() + deviations * Math.sqrt(variance);
    },
  };
}
