/** A stack that runs out of disk in the middle of a task is worse than one that does not start. */
import { statfs } from "node:fs/promises";
import { StackError } from "./stackError.ts";

const neededMiB = 1_024;

export async function requireFreeDisk(folder: string): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  const freeMiB = Math.floor((bavail * bsize) / (1_024 * 1_024));
  if (freeMiB < neededMiB)
    throw new StackError(
      `Only ${freeMiB} MiB are free where ${folder} is; NGPU needs ${neededMiB} MiB: free some space.`,
    );
}
