/**
 * All tasks this node serves at the moment. It takes what the gateway sends, starts one duty per task and assignment,
 * and keeps resending journaled receipts until the chain shows that their tasks are over.
 */
import { codeOf } from "@ngpu/protocol/errors";
import type { Signed } from "@ngpu/protocol/signed";
import { createLoop } from "@ngpu/protocol/service/loop";
import type { FrameOf } from "@ngpu/protocol/wire";
import type { Hex } from "viem";
import { isOver, taskStatus } from "@ngpu/protocol/taskStatus";
import { startDuty, type Duty, type DutyParts } from "./duty.ts";
import { createWrapBox } from "./wrapBox.ts";

export interface TaskDesk {
  dispatch(frame: FrameOf<"dispatch">): void;
  wrap(wrap: Signed<"keyWrap">): void;
  /** The gateway says a task is over; the chain is asked at once. */
  settled(taskId: Hex): void;
  /** The link is up again: receipts go out at once. */
  connected(): void;
  /** Tasks that execute, or will without further orders. */
  executing(): number;
  close(): Promise<void>;
}

const sweepEveryMs = 5_000;
/** A receipt for a task that the chain does not know (any more) is kept so long: blocks can be taken back. */
const keepUnknownMs = 24 * 3_600_000;

export function createTaskDesk(options: Omit<DutyParts, "wraps">): TaskDesk {
  const { nodeId, chain, pool, journal, send, clock, log } = options;
  const wraps = createWrapBox();
  const parts: DutyParts = { ...options, wraps };
  const duties = new Map<Hex, Duty>();
  const mostExecuting = pool.slots * 2;
  const mostDuties = pool.slots * 8 + 16;

  const executing = (): number => [...duties.values()].filter((duty) => duty.isPrimary()).length;

  /** Every task that has a receipt or a duty is compared with the chain; what is not over is told again. */
  const sweep = createLoop({
    name: "sweep",
    everyMs: sweepEveryMs,
    clock,
    log,
    async pass(signal) {
      const entries = journal.entries();
      for (const taskId of new Set([...entries.map(({ receipt }) => receipt.message.taskId), ...duties.keys()])) {
        if (signal.aborted) return;
        const { status } = await chain.task(taskId);
        if (isOver(status)) {
          duties.get(taskId)?.end();
          wraps.forget(taskId);
        }
        for (const { receipt, detail, writtenMs } of entries.filter(
          (entry) => entry.receipt.message.taskId === taskId,
        )) {
          const isForgotten = status === taskStatus.none && clock.nowMs() - writtenMs > keepUnknownMs;
          if (isForgotten) log.warn({ taskId }, "the chain has not known this task for a day; its receipt is dropped");
          if (isOver(status) || isForgotten) journal.remove(receipt.message);
          else send({ t: "receipt", receipt, detail });
        }
      }
    },
  });

  const begin = (frame: FrameOf<"dispatch">): void => {
    const { taskId, assignment, role } = frame;
    const isFull = duties.size >= mostDuties || (role === "primary" && executing() >= mostExecuting);
    if (isFull) {
      log.warn({ code: "NODE_BUSY", taskId, assignment, role, slots: pool.slots }, "dispatch refused");
      return;
    }
    const duty = startDuty(parts, frame);
    duties.set(taskId, duty);
    void duty.ended.then(() => {
      if (duties.get(taskId) === duty) duties.delete(taskId);
    });
  };

  return {
    dispatch(frame) {
      if (frame.nodeId !== nodeId) return;
      const { taskId, assignment, attempt } = frame;
      const known = duties.get(taskId);
      if (known !== undefined && known.assignment > assignment) return;
      if (known?.assignment === assignment) return known.remind(frame);
      known?.end();
      try {
        const receipt = journal.find({ taskId, assignment, attempt });
        if (receipt !== undefined) return send({ t: "receipt", receipt: receipt.receipt, detail: receipt.detail });
      } catch (error) {
        log.error(
          { taskId, assignment, attempt, code: codeOf(error) },
          "dispatch refused: its receipt was signed before and cannot be read",
        );
        return;
      }
      begin(frame);
    },
    wrap: (wrap) => wraps.put(wrap),
    settled: () => sweep.trigger(),
    connected: () => sweep.trigger(),
    executing,
    async close() {
      await sweep.stop();
      for (const duty of duties.values()) duty.end();
      await Promise.all([...duties.values()].map((duty) => duty.ended));
    },
  };
}
