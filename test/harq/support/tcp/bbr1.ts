/** The first BBR in outline: start-up, drain, the cycle of eight gains, a visit to the smallest round trip every 10 s. */
import type { TcpLaw } from "./tcpFlow.ts";

const startupGain = 2.885;
const cycle = [1.25, 0.75, 1, 1, 1, 1, 1, 1];
const rateRounds = 10;
const smallestForUs = 10_000_000;
const probeForUs = 200_000;
const leastSegments = 4;

export function createBbr1(): TcpLaw {
  let mode: "startup" | "drain" | "cycle" | "roundTrip" = "startup";
  let phase = 2;
  let phaseUs = 0;
  let round = 0;
  let roundEnd = 0;
  let rates: { round: number; rate: number }[] = [];
  let smallestUs = Infinity;
  let smallestAtUs = 0;
  let probeEndUs = Infinity;
  let full = 0;
  let flatRounds = 0;
  let timedOut = false;

  const rate = (): number => rates.reduce((most, sample) => Math.max(most, sample.rate), 0);
  const product = (): number => (rate() * smallestUs) / 1e6;
  const lookForFull = (): void => {
    if (rate() >= 1.25 * full) {
      full = rate();
      flatRounds = 0;
    } else if ((flatRounds += 1) >= 3) mode = "drain";
  };
  const turn = (nowUs: number, inFlight: number): void => {
    const gain = cycle[phase]!;
    const isOver = nowUs - phaseUs > smallestUs;
    const isDone = gain > 1 ? isOver && inFlight >= gain * product() : gain < 1 ? inFlight <= product() : isOver;
    if (!isDone && nowUs - phaseUs < 2 * smallestUs) return;
    phase = (phase + 1) % cycle.length;
    phaseUs = nowUs;
  };
  return {
    onAck({ nowUs, rttUs, inFlight, delivered, deliveredAtSending, deliveryRate }) {
      timedOut = false;
      if (deliveredAtSending >= roundEnd) {
        roundEnd = delivered;
        round += 1;
        rates = rates.filter((sample) => sample.round > round - rateRounds);
        if (mode === "startup") lookForFull();
      }
      rates = rates.filter((sample) => sample.rate > deliveryRate);
      rates.push({ round, rate: deliveryRate });
      const isStale = nowUs - smallestAtUs > smallestForUs;
      if (rttUs <= smallestUs || isStale) {
        smallestUs = rttUs;
        smallestAtUs = nowUs;
      }
      if (isStale && mode !== "roundTrip") {
        mode = "roundTrip";
        probeEndUs = Infinity;
      }
      if (mode === "drain" && inFlight <= product()) mode = "cycle";
      if (mode === "cycle") turn(nowUs, inFlight);
      if (mode !== "roundTrip") return;
      if (probeEndUs === Infinity && inFlight <= leastSegments) probeEndUs = nowUs + probeForUs;
      if (nowUs < probeEndUs) return;
      smallestAtUs = nowUs;
      mode = flatRounds >= 3 ? "cycle" : "startup";
      phaseUs = nowUs;
    },
    onLoss() {},
    onTimeout() {
      timedOut = true;
    },
    windowSegments() {
      if (timedOut) return 1;
      if (mode === "roundTrip") return leastSegments;
      if (rates.length === 0) return 10;
      return Math.max(leastSegments, (mode === "startup" || mode === "drain" ? startupGain : 2) * product());
    },
    segmentsPerSecond() {
      if (rates.length === 0) return Infinity;
      const gain = {
        startup: startupGain,
        drain: 1 / startupGain,
        cycle: cycle[phase]!,
        roundTrip: 1,
      }[mode];
      return Math.max(1, gain * rate());
    },
  };
}
