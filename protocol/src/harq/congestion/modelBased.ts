/**
 * The `fair` class: a model of the path (delivery rate, smallest round trip, its own loss) says how fast to send and
 * how much to keep in flight. Losses are the path's own unless they exceed that and a second witness agrees: a standing
 * queue, or more loss when probing than when not. Where others keep a queue on the link, what is in flight follows
 * TCP's law, until the queue is seen to drain.
 *
 *     startup  ─ the rate stopped growing ─▶  drain ─▶ down ─▶ cruise ─▶ up ─▶ down …
 *     any of the last three ─ no small round trip for 5 s ─▶ roundTrip ─▶ up
 */
import type { CongestionController, ControllerOptions, Feedback, PathMemory } from "./controller.ts";
import { createDeliveryRate, type RateSample } from "./deliveryRate.ts";
import { createInflightCap } from "./inflightCap.ts";
import { createPhaseLoss } from "./phaseLoss.ts";
import { createSmallestRoundTrip } from "./smallestRoundTrip.ts";

type Mode = "startup" | "drain" | "down" | "cruise" | "up" | "roundTrip";

const firstPackets = 32;
const firstBytesPerSecond = 500_000;
const longestFirstUs = 300_000;
const defaultRttUs = 200_000;
const leastPackets = 4;
const paceGain: Record<Mode, number> = { startup: 2, drain: 0.5, down: 0.75, cruise: 1, up: 1.25, roundTrip: 0.75 };
const startupPace = 1.6;
const startupShare = 2.25;
/** Twelve hundredths more for a quarter more in flight: less than half of the link is one's own. */
const keptGrowth = 1.12;
/** Less than this of what the path carried before is left: others have taken it. */
const displacedShare = 0.7;
const enoughGrowth = 1.25;
const flatRoundsAllowed = 3;
/** A little is left in the queue, so that no packet that is late finds the link idle. */
const drainedShare = 1.05;
const cruiseRoundTrips = 5;
const calmBeforeLifting = 4;
const lookUs = 5_000_000;
const roundTripForUs = 200_000;
const drainedWithinUs = 2_000_000;
const probeLossMargin = 0.02;
const enoughPackets = 50;
const reportUs = 6_000;
const rememberedShare = 1.25;
const enteredShare = 0.5;

export function createModelBased(options: ControllerOptions): CongestionController {
  const { nowUs: openedUs, packetBytes, assumedRttUs = defaultRttUs } = options;
  const memory = worthEntering(options);
  const leastBytes = leastPackets * packetBytes;
  const rate = createDeliveryRate();
  const losses = createPhaseLoss();
  const cap = createInflightCap({ leastBytes });
  const smallest = createSmallestRoundTrip(options.memory?.smallestRttUs ?? assumedRttUs);
  let nowUs = openedUs;
  let mode: Mode = "startup";
  let modeUs = openedUs;
  let cruiseFor = cruiseRoundTrips;
  let nextNumber = 0;
  const rememberedProduct = memory === undefined ? 0 : (memory.bytesPerSecond * memory.smallestRttUs) / 1e6;
  let windowBytes = Math.max(firstFlightBytes(options), enteredShare * rememberedProduct);
  /** Most that was in flight in this round and the one before: a window that is not used says nothing. */
  let peakBytes = 0;
  let formerPeakBytes = 0;
  let isEntering = memory !== undefined;
  let fullRate = memory === undefined ? 0 : (enteredShare * memory.bytesPerSecond) / 1.6;
  let flatRounds = 0;
  /** Of the round under way. */
  let round = { packets: 0, lost: 0, smallestRttUs: Infinity, bytesPerSecond: 0 };
  let answeredNumber = -1;
  let congestedUntilUs = 0;
  let smoothedRttUs = smallest.us();
  /** Someone keeps a queue on the link, whatever is done here: what is in flight follows TCP's law. */
  let isCompeting = false;
  let standingCycles = 0;
  /** The last look at the smallest round trip saw a queue although next to nothing of it was one's own. */
  let foundOthers = false;
  /** Finds its place among others as TCP starts: what is in flight grows while the share of the link grows with it. */
  let climb: { rounds: number; fromRate: number } | undefined;
  /** Since congestion was last seen, with the queue empty in each. */
  let calmCycles = 0;
  let upFromRate = 0;
  /** Smallest while less is sent than arrives. */
  let downRttUs = Infinity;
  /** False after a look at the smallest round trip, which empties the queue by itself. */
  let looksForOthers = false;
  /** Since when no more is in flight than a look at the smallest round trip allows. */
  let emptyUs = 0;
  /** Of the round before: what arrives now, not what once did. */
  let latestRate = Infinity;

  /** What may be sent a second for the link to be full: what arrives and what the path itself loses of it. */
  const linkRate = (): number => rate.bytesPerSecond() / (1 - losses.own());
  const product = (): number => (linkRate() * smallest.us()) / 1e6;
  const startupWindow = (): number =>
    fullRate === 0 || isEntering
      ? windowBytes
      : Math.min(windowBytes, startupShare * product() + firstPackets * packetBytes);
  /** A round trip that takes longer, even at its shortest, has a queue on its way. */
  const standingUs = (): number => smallest.us() + Math.max(10_000, 0.25 * smallest.us());
  const isQueueStanding = (): boolean => round.smallestRttUs !== Infinity && round.smallestRttUs > standingUs();

  /** Longer than what is left of one's own probe. */
  const isQueueOfOthers = (): boolean =>
    isQueueStanding() && (isCompeting || (mode === "cruise" && nowUs - modeUs > 1.5 * smoothedRttUs));

  /** Half of what the path holds without a queue, as far back as is known. */
  const drainedWindow = (): number =>
    Math.max(leastBytes, (0.5 * Math.min(linkRate(), latestRate) * smallest.floorUs()) / 1e6);
  /** A look that found others costs a twelfth of one's share: the next may wait. */
  const lookEveryUs = (): number => (isCompeting && foundOthers ? 2 * lookUs : lookUs);
  /** A queue of one's own is gone when what is in flight says so; one of others stays for as long as they like. */
  const longestDownUs = (): number => (isCompeting ? smallest.us() : 2 * smoothedRttUs);
  const enter = (next: Mode): void => {
    mode = next;
    modeUs = nowUs;
    losses.begin(next, nextNumber);
  };
  const growStartup = ({ arrived, lost }: Feedback): void => {
    const used = Math.max(windowBytes, 2 * Math.max(peakBytes, formerPeakBytes));
    const most =
      memory === undefined ? used : Math.min(used, Math.max(windowBytes, rememberedShare * rememberedProduct));
    for (const { bytes } of [...arrived, ...lost]) windowBytes = Math.min(most, windowBytes + bytes);
  };
  const endStartupRound = ({ isAppLimited }: RateSample): void => {
    isEntering = false;
    const margin = isAppLimited ? 0.1 : 0.05;
    const isLossNew =
      round.packets >= enoughPackets &&
      round.lost / round.packets > losses.own() + margin &&
      losses.isBeyondOwn(round);
    if (isAppLimited) {
      if (!isQueueStanding() && !(isLossNew && losses.known() >= enoughPackets)) return losses.learnOwn(round);
      answeredNumber = nextNumber - 1;
      return enter("drain");
    }
    if (memory !== undefined && linkRate() >= 0.9 * memory.bytesPerSecond) {
      losses.learnOwn(round);
      enter("cruise");
      return;
    }
    const grew = linkRate() >= enoughGrowth * fullRate;
    if (grew) {
      losses.learnOwn(round);
      fullRate = linkRate();
      flatRounds = 0;
      return;
    }
    flatRounds += 1;
    if (flatRounds < flatRoundsAllowed && !isQueueStanding() && !isLossNew) return;
    answeredNumber = nextNumber - 1;
    enter("drain");
  };
  const respond = (inFlightBytes: number): void => {
    answeredNumber = nextNumber - 1;
    congestedUntilUs = nowUs + smallest.us();
    calmCycles = 0;
    if (climb !== undefined && climb.fromRate > 0) climb = undefined;
    const allowed = cap.bytes(nowUs, smoothedRttUs);
    const used = Math.max(inFlightBytes, peakBytes, formerPeakBytes);
    cap.lower(used > 0.8 * allowed ? allowed : used, nowUs);
    rate.lowerTo(Math.max(round.bytesPerSecond, 0.7 * rate.bytesPerSecond()));
    round = { ...round, packets: 0, lost: 0 };
  };
  const judgeProbe = (inFlightBytes: number): void => {
    const up = losses.of("up");
    const down = losses.of("down");
    const cruise = losses.of("cruise");
    if (downRttUs <= standingUs()) losses.learnOwn(down);
    if (cruise.packets >= enoughPackets && cruise.lost < cruise.packets * losses.own()) losses.learnOwn(cruise);
    if (isCompeting || up.packets < enoughPackets || down.packets < enoughPackets) return;
    const difference = up.lost / up.packets - down.lost / down.packets;
    const deviation = Math.sqrt((losses.own() * (1 - losses.own())) / down.packets);
    if (difference > Math.max(probeLossMargin, 3 * deviation) && losses.isBeyondOwn(up)) respond(inFlightBytes);
  };
  const lookForOthers = (inFlightBytes: number): void => {
    if (downRttUs === Infinity) return;
    if (downRttUs > standingUs()) {
      standingCycles += 1;
      if (isCompeting || standingCycles < 2) return;
      isCompeting = true;
      climb = { rounds: 0, fromRate: 0 };
      if (cap.bytes(nowUs, smoothedRttUs) > 2 * product())
        cap.lower(Math.min(inFlightBytes, 2 * product()) / 0.7, nowUs);
      return;
    }
    standingCycles = 0;
    if (downRttUs > smallest.floorUs() + Math.max(2_000, 0.05 * smallest.floorUs())) return;
    calmCycles += 1;
    if (isCompeting || calmCycles >= calmBeforeLifting) cap.lift();
    isCompeting = false;
  };
  const climbOn = (): void => {
    if (climb === undefined || mode === "roundTrip") return;
    climb.rounds += 1;
    if (climb.rounds % 2 === 1) return;
    const allowed = cap.bytes(nowUs, smoothedRttUs);
    const isDisplaced = allowed * 1e6 < displacedShare * linkRate() * smoothedRttUs;
    const isWorth = climb.fromRate === 0 ? isDisplaced : round.bytesPerSecond >= keptGrowth * climb.fromRate;
    if (!isCompeting || !isWorth) {
      climb = undefined;
      return;
    }
    climb.fromRate = round.bytesPerSecond;
    cap.set(paceGain.up * allowed, nowUs);
  };
  /** What the last probe sent more has come out by now, with no queue behind it: there is room for more. */
  const hasGrown = (): boolean =>
    !isCompeting && upFromRate > 0 && linkRate() > keptGrowth * upFromRate && downRttUs <= standingUs();
  const turn = (inFlightBytes: number): void => {
    const sinceUs = nowUs - modeUs;
    const roundTripUs = smallest.us();
    switch (mode) {
      case "startup":
        return;
      case "drain":
        if (inFlightBytes <= product() || sinceUs > 3 * roundTripUs) enter("down");
        return;
      case "down":
        if (sinceUs < roundTripUs / 2 || (inFlightBytes > drainedShare * product() && sinceUs < longestDownUs())) return;
        cruiseFor = cruiseRoundTrips + (nextNumber % 3);
        return enter("cruise");
      case "cruise":
        if (sinceUs < (hasGrown() ? 1 : cruiseFor) * roundTripUs) return;
        lookForOthers(inFlightBytes);
        judgeProbe(inFlightBytes);
        upFromRate = linkRate();
        return enter("up");
      case "up":
        if (sinceUs < roundTripUs || (inFlightBytes < 1.2 * product() && sinceUs < 2 * roundTripUs)) return;
        if (!isCompeting && linkRate() > keptGrowth * upFromRate) {
          upFromRate = linkRate();
          return enter("up");
        }
        downRttUs = Infinity;
        looksForOthers = true;
        return enter("down");
      case "roundTrip":
        if (inFlightBytes > 1.1 * drainedWindow() && sinceUs < drainedWithinUs) emptyUs = nowUs;
        if (nowUs - emptyUs < roundTripForUs + smallest.floorUs()) return;
        foundOthers = smallest.us() > 1.05 * smallest.floorUs();
        if (isCompeting && !foundOthers) {
          isCompeting = false;
          standingCycles = 1;
        }
        upFromRate = linkRate();
        return enter("up");
    }
  };

  losses.begin("startup", 0);
  return {
    onSent({ number, sentUs }, inFlightBytes) {
      peakBytes = Math.max(peakBytes, inFlightBytes);
      nextNumber = number + 1;
      nowUs = Math.max(nowUs, sentUs);
    },
    onFeedback(feedback) {
      nowUs = feedback.nowUs;
      if (feedback.rttUs !== undefined) {
        smallest.sample(feedback.rttUs, nowUs);
        smoothedRttUs += (feedback.rttUs - smoothedRttUs) / 8;
        if (looksForOthers && (mode === "down" || (mode === "cruise" && nowUs - modeUs < 1.5 * smoothedRttUs)))
          downRttUs = Math.min(downRttUs, feedback.rttUs);
        round.smallestRttUs = Math.min(round.smallestRttUs, feedback.rttUs);
      }
      losses.onFeedback(feedback);
      const counted = feedback.lost.filter(({ number }) => number > answeredNumber).length;
      round.packets += feedback.arrived.length + counted;
      round.lost += counted;
      if (mode === "startup") growStartup(feedback);
      const sample = rate.onFeedback(feedback);
      if (sample !== undefined) round.bytesPerSecond = Math.max(round.bytesPerSecond, sample.bytesPerSecond);
      if (isQueueOfOthers() && round.lost > 0 && losses.isBeyondOwn(round)) {
        respond(feedback.inFlightBytes);
      }
      if (sample?.isNewRound === true) {
        if (mode === "startup") endStartupRound(sample);
        climbOn();
        formerPeakBytes = peakBytes;
        peakBytes = 0;
        if (mode !== "roundTrip") latestRate = round.bytesPerSecond;
        round = { packets: 0, lost: 0, smallestRttUs: Infinity, bytesPerSecond: 0 };
      }
      if (mode !== "startup" && mode !== "roundTrip" && smallest.isStale(nowUs, lookEveryUs())) {
        smallest.startOver(nowUs);
        emptyUs = nowUs;
        downRttUs = Infinity;
        looksForOthers = false;
        enter("roundTrip");
      }
      turn(feedback.inFlightBytes);
    },
    bytesPerSecond() {
      const gain = isEntering ? 1 : paceGain[mode];
      if (mode === "startup") {
        const once = (startupWindow() * 1e6) / smallest.us();
        return isEntering ? once : Math.min(2 * once, Math.max(once, startupPace * linkRate()));
      }
      const competing = isCompeting
        ? (Math.min(gain, 1) * 1.2 * cap.bytes(nowUs, smoothedRttUs) * 1e6) / smoothedRttUs
        : 0;
      return Math.max((leastBytes * 1e6) / smallest.us(), gain * linkRate(), competing);
    },
    windowBytes() {
      if (mode === "startup") return startupWindow();
      if (isCompeting && mode !== "roundTrip") return cap.bytes(nowUs, smoothedRttUs);
      const room = (reportUs * linkRate()) / 1e6 + leastBytes;
      if (mode === "roundTrip") return drainedWindow();
      return Math.max(leastBytes, Math.min(2 * product() + room, cap.bytes(nowUs, smoothedRttUs)));
    },
    isCongested: () => nowUs < congestedUntilUs,
    remember: () => ({ bytesPerSecond: linkRate(), smallestRttUs: smallest.us() }),
  };
}

/**
 * 32 packets, and as many more as a path of 4 Mbit/s takes in a round trip: of a path nothing is known yet, but a long
 * one is no slower than a short one, on which 32 packets a round trip are more.
 */
function firstFlightBytes({ packetBytes, memory, assumedRttUs = defaultRttUs }: ControllerOptions): number {
  const rttUs = Math.min(longestFirstUs, memory?.smallestRttUs ?? assumedRttUs);
  return Math.max(firstPackets * packetBytes, (firstBytesPerSecond * rttUs) / 1e6);
}

/** What was remembered, where it holds more than one begins with anyway. */
function worthEntering(options: ControllerOptions): PathMemory | undefined {
  const { memory } = options;
  if (memory === undefined) return undefined;
  const product = (memory.bytesPerSecond * memory.smallestRttUs) / 1e6;
  return enteredShare * product > firstFlightBytes(options) ? memory : undefined;
}
