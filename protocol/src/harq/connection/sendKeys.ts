/** The keys of what leaves: the phase in use, and the next one while the peer is asked for it. */
import { keptPtos, keyLifetime, type KeyLifetime } from "./keyPhases.ts";
import type { DirectionKeys } from "./protection.ts";

export interface SendKeys {
  /** Keys to seal one more packet with, and the bit to put into its header. */
  take(inNextPhase: boolean): { readonly keys: DirectionKeys; readonly keyPhase: 0 | 1 };
  tick(nowUs: number, ptoUs: () => number): void;
  takeAsking(nowUs: number): number | undefined;
  askingDueUs(): number;
  onAcknowledged(phase: number, nowUs: number): void;
  phase(): number;
}

const longestWaitUs = 1_000_000;

/** Begins with phase 0, and stays in it where the keys have no successor. */
export function createSendKeys(first: DirectionKeys, lifetime: KeyLifetime): SendKeys {
  const { packets: mostPackets, ageUs } = { ...keyLifetime, ...lifetime };
  let phase = 0;
  let keys = first;
  let packets = 0;
  let sinceUs: number | undefined;
  /** The peer lets go of the key before the last one until then. */
  let calmUs = -Infinity;
  let asking: { readonly next: DirectionKeys; readonly ptoUs: number; waitUs: number; dueUs: number } | undefined;
  return {
    take(inNextPhase) {
      if (inNextPhase && asking !== undefined) return { keys: asking.next, keyPhase: bitOf(phase + 1) };
      packets += 1;
      return { keys, keyPhase: bitOf(phase) };
    },
    tick(nowUs, ptoUs) {
      sinceUs ??= nowUs;
      const isWorn = packets >= mostPackets || nowUs - sinceUs >= ageUs;
      if (asking !== undefined || !isWorn || nowUs < calmUs || keys.next === undefined) return;
      const pto = ptoUs();
      asking = { next: keys.next(), ptoUs: pto, waitUs: pto, dueUs: nowUs };
    },
    takeAsking(nowUs) {
      if (asking === undefined || nowUs < asking.dueUs) return undefined;
      asking.dueUs = nowUs + asking.waitUs;
      asking.waitUs = Math.max(asking.ptoUs, Math.min(longestWaitUs, 2 * asking.waitUs));
      return phase + 1;
    },
    askingDueUs: () => asking?.dueUs ?? Infinity,
    onAcknowledged(acknowledged, nowUs) {
      if (asking === undefined || acknowledged !== phase + 1) return;
      phase += 1;
      keys = asking.next;
      packets = 0;
      sinceUs = nowUs;
      calmUs = nowUs + keptPtos * asking.ptoUs;
      asking = undefined;
    },
    phase: () => phase,
  };
}

/** What a header says of a phase. */
export function bitOf(phase: number): 0 | 1 {
  return phase % 2 === 0 ? 0 : 1;
}
