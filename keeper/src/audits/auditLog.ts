/**
 * What an auditor remembers across restarts, a line each in its folder: a task is noted before it is posted, so that no
 * crash makes it spend a budget twice, and its end when it has ended.
 */
import { openAppendLog } from "@ngpu/protocol/service/appendLog";
import { wireJson } from "@ngpu/protocol/wireJson";
import type { CanaryResult } from "./judgeCanaries.ts";

/** A task that is going to be posted. */
export interface CanaryPost {
  slot: string;
  canaryId: string;
  mostUsd6: bigint;
}

/** How it ended; without a result it was not billed, or nothing can be said about what was. */
export interface CanaryEnd {
  slot: string;
  amountUsd6: bigint;
  result?: CanaryResult;
}

export interface AuditLog {
  history(): readonly CanaryResult[];
  /** Slots that were used, and what they cost or still may cost. */
  used(): ReadonlyMap<string, bigint>;
  usesOf(canaryId: string): number;
  post(post: CanaryPost): Promise<void>;
  end(end: CanaryEnd): Promise<void>;
  close(): Promise<void>;
}

export async function openAuditLog(path: string): Promise<AuditLog> {
  const file = await openAppendLog(path);
  const history: CanaryResult[] = [];
  const used = new Map<string, bigint>();
  const uses = new Map<string, number>();

  function takePost({ slot, canaryId, mostUsd6 }: CanaryPost): void {
    used.set(slot, mostUsd6);
    uses.set(canaryId, (uses.get(canaryId) ?? 0) + 1);
  }

  function takeEnd({ slot, amountUsd6, result }: CanaryEnd): void {
    used.set(slot, amountUsd6);
    if (result !== undefined) history.push(result);
  }

  for (const text of file.lines) {
    const line = JSON.parse(text) as Record<string, string> & { result?: Record<string, string> };
    if (line.mostUsd6 !== undefined) takePost({ ...(line as never as CanaryPost), mostUsd6: BigInt(line.mostUsd6) });
    if (line.amountUsd6 === undefined) continue;
    const { result, ...rest } = line as never as CanaryEnd;
    const kept = result === undefined ? {} : { result: { ...result, billedCums: BigInt(result.billedCums) } };
    takeEnd({ ...rest, amountUsd6: BigInt(line.amountUsd6), ...kept });
  }

  return {
    history: () => history,
    used: () => used,
    usesOf: (canaryId) => uses.get(canaryId) ?? 0,
    async post(post) {
      await file.append(wireJson(post));
      takePost(post);
    },
    async end(end) {
      await file.append(wireJson(end));
      takeEnd(end);
    },
    close: () => file.close(),
  };
}
