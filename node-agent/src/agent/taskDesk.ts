/**
 * All tasks this node serves at the moment. It takes what the gateway sends, starts one duty per task and assignment,
 * and keeps resending journaled receipts until the chain shows that their tasks are over.
 */
import { codeOf } from "@ngpu/protocol/errors";
import { limits } from "@ngpu/protocol/limits";
import type { Signed } from "@ngpu/protocol/signed";
import { createLoop } from "@ngpu/protocol/service/loop";
import type { FrameOf } from "@ngpu/protocol/wire";
import type { Hex } from "viem";
import { isOver, taskStatus } from "@ngpu/protocol/taskStatus";
import { createDelivery } from "./delivery.ts";
import { startDuty, type Duty, type DutyParts } from "./duty.ts";
import type { GatewayLink } from "./gatewayLink.ts";
import type { JournalEntry } from "./journal.ts";
import type { AssignedTask } from "./readTask.ts";
import { createWrapBox } from "./wrapBox.ts";

export interface TaskDesk {
  dispatch(frame: FrameOf<"dispatch">): void;
  wrap(wrap: Signed<"keyWrap">): void;
  /** A task that this node serves now, as the chain has it. */
  taskOf(taskId: Hex): AssignedTask | undefined;
  /** The gateway says a task is over; the chain is asked at once. */
  settled(taskId: Hex): void;
  /** The link is up again: receipts go out at once. */
  connected(): void;
  /** Tasks that execute, or will without further orders; not those whose payer is late with the input. */
  executing(): number;
  /**
   * Takes nothing new, hands over what has not begun, ends what executes, and resolves when the gateway has all
   * receipts, or is not connected and the journal keeps them; the signal ends the wait for that.
   */
  drain(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

const sweepEveryMs = 5_000;
/** A receipt for a task that the chain does not know (any more) is kept so long: blocks can be taken back. */
const keepUnknownMs = 24 * 3_600_000;
/**
 * A payer has so long from the first dispatch to hand over key and input. Later ones are still served, but they keep
 * no slot from others: posting costs next to nothing, so it must not make a node idle.
 */
const inputWithinMs = limits.acceptWindowS * 1_000;
const mostRemembered = 1_024;

export function createTaskDesk(
  options: Omit<DutyParts, "wraps" | "delivery" | "send"> & {
    link: Pick<GatewayLink, "send" | "connection" | "answers">;
  },
): TaskDesk {
  const { nodeId, chain, pool, journal, link, clock, log } = options;
  const wraps = createWrapBox();
  const delivery = createDelivery({ link, clock });
  const parts: DutyParts = { ...options, wraps, delivery, send: (frame) => link.send(frame) };
  const duties = new Map<Hex, Duty>();
  const mostExecuting = pool.slots * 2;
  const mostDuties = pool.slots * 8 + 16;
  let isDraining = false;

  /** When a task was first dispatched under its newest assignment; outlives its duty. */
  const dispatched = new Map<Hex, { assignment: number; atMs: number }>();

  const isLate = ({ taskId }: { taskId: Hex }): boolean =>
    clock.monotonicMs() - (dispatched.get(taskId)?.atMs ?? Infinity) > inputWithinMs;
  const keepsNothing = (duty: Duty): boolean => duty.isWaiting() && isLate(duty);
  const executing = (): number =>
    [...duties.values()].filter((duty) => duty.isPrimary() && !keepsNothing(duty)).length;

  const remember = ({ taskId, assignment }: FrameOf<"dispatch">): void => {
    if (dispatched.get(taskId)?.assignment === assignment) return;
    dispatched.delete(taskId);
    dispatched.set(taskId, { assignment, atMs: clock.monotonicMs() });
    const [oldest] = dispatched.keys();
    if (dispatched.size > mostRemembered && oldest !== undefined) dispatched.delete(oldest);
  };

  const makeRoom = (): void => {
    const late = [...duties.values()].find(keepsNothing);
    if (late === undefined) return;
    late.end();
    duties.delete(late.taskId);
  };

  /** Block at which a task whose receipt is kept was first seen to be over. */
  const overAt = new Map<Hex, bigint>();

  /**
   * Every task that has a receipt or a duty is compared with the chain; what is not over is told again. Until the end
   * of a task is final it may be taken back, and then its receipt is needed again, unchanged: so long it is kept.
   */
  const sweep = createLoop({
    name: "sweep",
    everyMs: sweepEveryMs,
    clock,
    log,
    async pass(signal) {
      const entries = Map.groupBy(journal.entries(), ({ receipt }) => receipt.message.taskId);
      const finalBlock = overAt.size > 0 ? await chain.finalBlock() : 0n;
      for (const taskId of new Set([...entries.keys(), ...duties.keys()])) {
        if (signal.aborted) return;
        if ((overAt.get(taskId) ?? 0n) > finalBlock) continue;
        const { status, assignment } = await chain.state(taskId);
        const duty = duties.get(taskId);
        if (isOver(status) || (duty !== undefined && duty.assignment < assignment)) duty?.end();
        if (isOver(status)) wraps.forget(taskId);
        const kept = entries.get(taskId);
        if (kept === undefined) continue;
        if (!isOver(status)) tellAgain(taskId, status, kept);
        else if (overAt.has(taskId) || (await isFinalNow(taskId))) forget(taskId, kept);
      }
    },
  });

  const tellAgain = (taskId: Hex, status: number, kept: JournalEntry[]): void => {
    overAt.delete(taskId);
    for (const entry of kept) {
      const isForgotten = status === taskStatus.none && clock.nowMs() - entry.writtenMs > keepUnknownMs;
      if (isForgotten) log.warn({ taskId }, "the chain has not known this task for a day; its receipt is dropped");
      if (isForgotten) drop(entry);
      else delivery.tell(entry);
    }
  };

  const isFinalNow = async (taskId: Hex): Promise<boolean> => {
    const seenAt = await chain.blockNumber();
    overAt.set(taskId, seenAt);
    return (await chain.finalBlock()) >= seenAt;
  };

  const forget = (taskId: Hex, kept: JournalEntry[]): void => {
    overAt.delete(taskId);
    kept.forEach(drop);
  };

  const drop = (entry: JournalEntry): void => {
    journal.remove(entry.receipt.message);
    delivery.forget(entry);
  };

  const begin = (frame: FrameOf<"dispatch">): void => {
    const { taskId, assignment, role } = frame;
    if (isDraining) {
      // The roster says so too: the keeper takes the other node, and assigns no more tasks to this one.
      log.info({ code: "NODE_DRAINING", taskId, assignment, role }, "dispatch refused");
      return;
    }
    remember(frame);
    const late = isLate(frame);
    if (duties.size >= mostDuties && !late) makeRoom();
    const isFull = duties.size >= mostDuties || (role === "primary" && !late && executing() >= mostExecuting);
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
        if (receipt !== undefined) return delivery.tell(receipt);
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
    taskOf: (taskId) => duties.get(taskId)?.task(),
    settled: () => sweep.trigger(),
    connected: () => sweep.trigger(),
    executing,
    async drain(signal) {
      isDraining = true;
      const open = [...duties.values()];
      for (const duty of open) duty.drain();
      await Promise.all(open.map((duty) => duty.ended));
      await delivery.complete(signal);
    },
    async close() {
      await sweep.stop();
      for (const duty of duties.values()) duty.end();
      await Promise.all([...duties.values()].map((duty) => duty.ended));
    },
  };
}
