/** CUBIC as RFC 9438 has it: slow start, the cubic curve, its Reno-friendly region, fast convergence. */
import type { TcpLaw } from "./tcpFlow.ts";

const beta = 0.7;
const steepness = 0.4;
const friendly = (3 * (1 - beta)) / (1 + beta);
const initialSegments = 10;

export function createCubic(): TcpLaw {
  let window = initialSegments;
  let threshold = Infinity;
  let largest = 0;
  let before = 0;
  let epochUs: number | undefined;
  let originS = 0;
  let estimate = 0;

  const reduce = (): void => {
    largest = window < largest ? (window * (1 + beta)) / 2 : window;
    before = window;
    threshold = Math.max(2, window * beta);
    epochUs = undefined;
  };
  return {
    onAck({ nowUs, rttUs, isRecovering }) {
      if (isRecovering) return;
      if (window < threshold) {
        window += 1;
        return;
      }
      if (epochUs === undefined) {
        epochUs = nowUs;
        originS = largest > window ? Math.cbrt((largest - window) / steepness) : 0;
        largest = Math.max(largest, window);
        estimate = window;
      }
      const seconds = (nowUs - epochUs + rttUs) / 1e6;
      const target = Math.min(1.5 * window, Math.max(window, largest + steepness * (seconds - originS) ** 3));
      estimate += (estimate < before ? friendly : 1) / window;
      window = Math.max(window + (target - window) / window, estimate);
    },
    onLoss() {
      reduce();
      window = threshold;
    },
    onTimeout() {
      reduce();
      window = 1;
    },
    windowSegments: () => window,
    segmentsPerSecond: () => Infinity,
  };
}
