/**
 * Signs what the books say is owed, and sees to it that the node gets it. One voucher per lane is under way at a time:
 * written down first, then signed, then sent until the node says that it has it. A signature is a function of the
 * message, so sending again signs nothing else.
 */
import type { LedgerEntry } from "@ngpu/protocol/session/ledgerEntry";
import { billing, weightOf } from "@ngpu/protocol/session/packedBills";
import { sessionLimits } from "@ngpu/protocol/session/sessionLimits";
import type { VoucherLedger } from "@ngpu/protocol/session/voucherLedger";
import { signMessage, type SigningContext, type TypedDataSigner } from "@ngpu/protocol/signed";
import type { Frame } from "@ngpu/protocol/wire";
import { sleep } from "../sleep.ts";

export interface VoucherDesk {
  /** The lane has a new record, or its node is back: what is owed is signed soon, at once where it is much. */
  recorded(nodeId: number): void;
  /** Signs everything and resolves when the node has it, or when the signal aborts. */
  flush(nodeId: number): Promise<void>;
  /** The node has the lane's voucher up to `seq`. */
  taken(nodeId: number, seq: bigint): void;
}

export interface VoucherTiming {
  /** So many records are signed together: half of what a node leaves unsigned, so that work goes on meanwhile. */
  records: number;
  /** A record waits so long for others. */
  waitMs: number;
  /** So much unsigned execution is signed at once: well within what nodes do on credit. */
  unsignedMs: number;
  /** A voucher that the node does not confirm is sent again after so long. */
  repeatMs: number;
}

export const voucherTiming: VoucherTiming = {
  records: sessionLimits.maxClaimReceipts / 2,
  ...{ waitMs: 30_000, unsignedMs: 20_000, repeatMs: 2_000 },
};

interface Desk {
  timer?: ReturnType<typeof setTimeout>;
  working?: Promise<void>;
  /** Wakes who waits for the node's word. */
  wake?: () => void;
}

export function createVoucherDesk(options: {
  ledger: VoucherLedger;
  /** Applies and writes down; resolves when it may be acted on. */
  write: (entry: LedgerEntry) => Promise<void>;
  signer: TypedDataSigner;
  context: SigningContext;
  send: (frame: Frame) => void;
  onError: (error: unknown) => void;
  signal: AbortSignal;
  timing?: Partial<VoucherTiming>;
}): VoucherDesk {
  const { ledger, write, signer, context, send, onError, signal } = options;
  const timing = { ...voucherTiming, ...options.timing };
  const desks = new Map<number, Desk>();

  function deskOf(nodeId: number): Desk {
    const desk = desks.get(nodeId) ?? {};
    desks.set(nodeId, desk);
    return desk;
  }

  function isDue(nodeId: number): boolean {
    const pending = ledger.lane(nodeId)?.pending ?? [];
    const weight = weightOf(pending);
    return pending.length >= timing.records || weight >= BigInt(timing.unsignedMs) * billing.executionBps;
  }

  /** Until nothing is under way and, if asked for all, nothing is owed. */
  async function work(nodeId: number, desk: Desk, all: () => boolean): Promise<void> {
    clearTimeout(desk.timer);
    delete desk.timer;
    for (let isFirst = true; !signal.aborted; isFirst = false) {
      const lane = ledger.lane(nodeId);
      if (lane === undefined) return;
      if (lane.voucher !== undefined) {
        const { message, bills } = lane.voucher;
        send({ t: "voucher", voucher: await signMessage({ kind: "voucher", message, context, signer }), bills });
        await confirmed(nodeId, desk, message.seq);
        continue;
      }
      if (!isFirst && !all() && !isDue(nodeId)) break;
      const entry = ledger.draw(nodeId);
      if (entry === undefined) return;
      await write(entry);
    }
    waitForMore(nodeId, desk);
  }

  async function confirmed(nodeId: number, desk: Desk, seq: bigint): Promise<void> {
    const waiting = new AbortController();
    desk.wake = () => waiting.abort();
    if (ledger.lane(nodeId)?.voucher?.message.seq === seq) {
      await sleep(timing.repeatMs, AbortSignal.any([waiting.signal, signal]));
    }
    delete desk.wake;
  }

  let flushing = 0;
  function begin(nodeId: number): Promise<void> {
    const desk = deskOf(nodeId);
    desk.working ??= work(nodeId, desk, () => flushing > 0)
      .catch(onError)
      .finally(() => delete desk.working);
    return desk.working;
  }

  function waitForMore(nodeId: number, desk: Desk): void {
    const hasMore = (ledger.lane(nodeId)?.pending.length ?? 0) > 0;
    if (!hasMore || signal.aborted || desk.timer !== undefined) return;
    desk.timer = setTimeout(() => void begin(nodeId), timing.waitMs);
  }

  signal.addEventListener("abort", () => {
    for (const { timer } of desks.values()) clearTimeout(timer);
  });

  return {
    recorded(nodeId) {
      const isUnderWay = ledger.lane(nodeId)?.voucher !== undefined;
      if (isUnderWay || isDue(nodeId)) void begin(nodeId);
      else waitForMore(nodeId, deskOf(nodeId));
    },
    async flush(nodeId) {
      flushing += 1;
      try {
        for (;;) {
          await begin(nodeId);
          const lane = ledger.lane(nodeId);
          const isClear = lane === undefined || (lane.voucher === undefined && lane.pending.length === 0);
          if (isClear || signal.aborted) return;
        }
      } finally {
        flushing -= 1;
      }
    },
    taken(nodeId, seq) {
      ledger.delivered(nodeId, seq);
      desks.get(nodeId)?.wake?.();
    },
  };
}
