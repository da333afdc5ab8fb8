/** Whether a gateway gives an output now, whatever keeps it from doing so: its bytes are fetched and their hash proved. */
import type { Hex } from "viem";
import { taskBlobs, type TaskBlobsOptions } from "./taskBlobs.ts";
import type { TaskSecrets } from "./taskSecrets.ts";

export function isOutputHeld(
  request: TaskBlobsOptions & { secrets: TaskSecrets; hash: Hex; signal?: AbortSignal | undefined },
): Promise<boolean> {
  const { secrets, hash, signal } = request;
  return taskBlobs(request)
    .get({ taskId: secrets.taskId, hash, signal })
    .then(
      () => true,
      () => false,
    );
}
