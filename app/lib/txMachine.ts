/**
 * Phases of one step that may need the wallet and the chain:
 *
 *   idle ──ask──▶ wallet ──sent──▶ chain ──done──▶ idle
 *                   └──────────done (a signature, a dialog)──▶ idle
 *   wallet, chain ──stop──▶ idle, with the explanation kept
 *
 * An event that the table does not name leaves the phase as it is.
 */
import type { Explanation } from "./explainError.ts";

export type Phase = "idle" | "wallet" | "chain";

export type TxEvent =
  | { type: "ask" }
  | { type: "sent" }
  | { type: "done" }
  | { type: "stop"; explanation: Explanation };

export interface TxState {
  phase: Phase;
  explanation?: Explanation;
}

const table: Record<Phase, Partial<Record<TxEvent["type"], Phase>>> = {
  idle: { ask: "wallet" },
  wallet: { sent: "chain", done: "idle", stop: "idle" },
  chain: { done: "idle", stop: "idle" },
};

export const idle: TxState = { phase: "idle" };

export function txMachine(state: TxState, event: TxEvent): TxState {
  const phase = table[state.phase][event.type];
  if (phase === undefined) return state;
  return event.type === "stop" ? { phase, explanation: event.explanation } : { phase };
}
