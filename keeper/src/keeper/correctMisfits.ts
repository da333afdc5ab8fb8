/**
 * For tasks of which an RPC told what the chain's digest denies: reads them anew. Nothing is done about a task until
 * its words fit, so an RPC that lies can delay, but not make a keeper act on what is not so.
 */
import { codeOf } from "@ngpu/protocol/errors";
import { explainCode, explainFailure } from "@ngpu/protocol/service/explainFailure";
import type { Log } from "@ngpu/protocol/service/log";
import type { Hex } from "viem";
import type { TaskFollower } from "../chain/taskFollower.ts";

/** Of one pass, so that lies about many tasks do not keep the keeper from the others. */
const mostCorrected = 16;

/** Throws CHAIN_UNREACHABLE. */
export async function correctMisfits(request: {
  follower: Pick<TaskFollower, "correct">;
  misfits: readonly Hex[];
  log: Log;
}): Promise<void> {
  const { follower, misfits, log } = request;
  for (const taskId of misfits.slice(0, mostCorrected)) {
    try {
      await follower.correct(taskId);
      log.warn({ taskId, ...explainCode("TASK_WORDS_MISMATCH") }, "what was told of a task was not so; read anew");
    } catch (error) {
      if (codeOf(error) === "CHAIN_UNREACHABLE") throw error;
      log.warn({ taskId, ...explainFailure(error) }, "the RPC contradicts the chain about a task; it is left alone");
    }
  }
}
