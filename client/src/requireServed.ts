/**
 * A backup is assigned together with its primary, so a task that asks for one waits where a single node serves its
 * model. Whether that is so now is said before the post.
 */
import { NgpuError } from "@ngpu/protocol/errors";
import type { Hex } from "viem";
import type { OnlineNode } from "./fetchRoster.ts";
import { servedBy } from "./servedBy.ts";

/** Throws NOBODY_SERVES or BACKUP_MISSING, with how many nodes are `serving` and how many are `needed`. */
export function requireServed(request: { roster: readonly OnlineNode[]; modelId: Hex; backups: number }): void {
  const serving = servedBy(request);
  const needed = 1 + request.backups;
  if (serving >= needed) return;
  const { modelId } = request;
  throw new NgpuError(serving === 0 ? "NOBODY_SERVES" : "BACKUP_MISSING", { modelId, serving, needed });
}
