/**
 * Signed progress of one attempt, every 250 ms from its start to its end, so that silence of two seconds means
 * something is wrong.
 */
import type { Clock } from "@ngpu/protocol/service/clock";
import { createLoop } from "@ngpu/protocol/service/loop";
import type { Log } from "@ngpu/protocol/service/log";
import { signMessage, type SigningContext, type TypedDataSigner } from "@ngpu/protocol/signed";
import type { Frame } from "@ngpu/protocol/wire";
import type { Hex } from "viem";

export interface ProgressReport {
  reached(permille: number): void;
  stop(): Promise<void>;
}

const everyMs = 250;

export function reportProgress(options: {
  taskId: Hex;
  assignment: number;
  attempt: number;
  nodeId: number;
  context: SigningContext;
  signer: TypedDataSigner;
  send: (frame: Frame) => void;
  clock: Clock;
  log: Log;
}): ProgressReport {
  const { taskId, assignment, attempt, nodeId, context, signer, send, clock, log } = options;
  let permille = 0;
  // Counts quarters of seconds, so that the numbers still rise when the agent was restarted within an attempt.
  let seq = Math.floor(clock.nowMs() / everyMs) % 2 ** 31;
  const loop = createLoop({
    name: "progress",
    everyMs,
    clock,
    log,
    async pass() {
      seq += 1;
      const message = { taskId, assignment, attempt, nodeId, seq, permille, timeMs: BigInt(clock.nowMs()) };
      send({ t: "progress", progress: await signMessage({ kind: "progress", message, context, signer }) });
    },
  });
  return {
    reached: (value) => void (permille = Math.max(permille, Math.min(1_000, Math.floor(value)))),
    stop: () => loop.stop(),
  };
}
