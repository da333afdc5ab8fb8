/**
 * A session as an AI app uses it: requests go to the session's nodes, answers are opened and their receipts checked,
 * and what is owed is signed, so that a request is paid once, whichever nodes it ran on.
 */
import { fromBase64 } from "@ngpu/protocol/base64";
import type { Blobs } from "@ngpu/protocol/blobExchange/blobs";
import { isErrorCode, NgpuError, type ErrorCode } from "@ngpu/protocol/errors";
import type { ModelManifest } from "@ngpu/protocol/manifest";
import { decodePayload, encodePayload, type Part } from "@ngpu/protocol/sealed/payload";
import { open } from "@ngpu/protocol/sealed/seal";
import { encodeLedgerEntry, type AskedEntry, type LedgerEntry } from "@ngpu/protocol/session/ledgerEntry";
import { outputContext, requestKeyOf } from "@ngpu/protocol/session/requestKey";
import type { LaneBooks, VoucherLedger } from "@ngpu/protocol/session/voucherLedger";
import { hashMessage, recoverSigner, type Signed, type SigningContext } from "@ngpu/protocol/signed";
import type { Frame, FrameOf } from "@ngpu/protocol/wire";
import { workCumsOf, type Dimensions } from "@ngpu/protocol/work";
import { keccak256, toHex, type Hex } from "viem";
import { measureInput } from "../measureInput.ts";
import { sleep } from "../sleep.ts";
import { createAnswerOrder } from "./answerOrder.ts";
import { createDispatcher } from "./dispatcher.ts";
import type { SessionJournal } from "./journal.ts";
import type { LaneSeat } from "./laneSeat.ts";
import type { VoucherDesk } from "./voucherDesk.ts";

export interface SessionRequest {
  parts: Part[];
  declared?: Dimensions;
  /** Ask so many nodes at once; the first answer counts and is paid. */
  copies?: number;
  /** Throws TASK_ABANDONED when no node has answered by then. */
  withinMs?: number;
}

export interface SessionResult {
  requestId: Hex;
  nodeId: number;
  receipt: Signed<"receipt">;
  json: unknown;
}

export type SessionEvent =
  | { kind: "lane"; nodeId: number; isPrimary: boolean }
  /** A receipt that is not paid as an execution, with the reason. */
  | { kind: "refused"; nodeId: number; code: ErrorCode; receipt: Signed<"receipt"> }
  | { kind: "error"; error: unknown };

export interface SessionCore {
  run(request: SessionRequest): Promise<SessionResult>;
  /** A node has the lane's key. */
  laneReady(seat: LaneSeat): void;
  /** A node gets no more requests. */
  laneEnded(nodeId: number): void;
  take(frame: Frame): void;
  /** The connection is new: what is not answered is asked again once the lanes are ready. */
  reconnected(): void;
  /**
   * Resolves when nothing waits any more, and gives nodes that were asked for nothing in the end a moment to say so:
   * their receipts are signed for too, or they would count as withheld.
   */
  idle(): Promise<void>;
  books(): LaneBooks[];
}

const compactAboveBytes = 4 * 1024 * 1024;
const defaultWithinMs = 300_000;
const lateAnswersMs = 5_000;

export function createSessionCore(options: {
  sessionId: Hex;
  manifest: ModelManifest;
  ledger: VoucherLedger;
  journal: SessionJournal;
  vouchers: () => VoucherDesk;
  context: SigningContext;
  seats: ReadonlyMap<number, LaneSeat>;
  /** Hands the lane's key over again: the node then repeats what is not signed. */
  rekey: (nodeId: number) => void;
  /** The node is stopping: it gets the key again when it is back. */
  unready: (nodeId: number) => void;
  send: (frame: Frame) => boolean;
  /** Requests and answers that are too large for a frame. */
  blobs: Pick<Blobs, "get" | "put">;
  random: (length: number) => Uint8Array;
  onEvent: (event: SessionEvent) => void;
  /** A request that is not answered for so long is asked of another node as well. */
  hedgeAfterMs: number;
  signal: AbortSignal;
}): SessionCore & { write(entry: LedgerEntry): Promise<void> } {
  const { sessionId, manifest, ledger, journal, vouchers, context, seats, blobs, random, onEvent, signal } = options;
  const { unready } = options;
  let judging: Promise<unknown> = Promise.resolve();
  const order = createAnswerOrder({
    nextSeq: (nodeId) => ledger.lane(nodeId)?.nextSeq ?? 1n,
    deliver(frame) {
      // Large ones are fetched side by side, and judged in the order of their numbers.
      const fetched = sealedOf(frame);
      judging = judging.then(async () => takeAnswer(frame, await fetched)).catch((error: unknown) => onEvent({ kind: "error", error }));
    },
  });
  signal.addEventListener("abort", () => order.close());
  const rekey = (nodeId: number): void => {
    order.restart(nodeId);
    options.rekey(nodeId);
  };
  let failure: unknown;

  const dispatcher = createDispatcher({ ...options, write, unsigned: (nodeId) => ledger.unsigned(nodeId) });

  /** Applied at once and in order; resolves when it may be acted on. A journal that fails ends the session here. */
  async function write(entry: LedgerEntry): Promise<void> {
    if (failure !== undefined) throw failure;
    ledger.apply(entry);
    try {
      await journal.append(encodeLedgerEntry(entry));
      if (journal.bytes() > compactAboveBytes) await compact();
    } catch (error) {
      failure = error;
      dispatcher.fail(error);
      throw error;
    }
  }

  let isCompacting = false;
  let compactedBytes = 0;
  async function compact(): Promise<void> {
    if (isCompacting || journal.bytes() < compactedBytes * 2) return;
    isCompacting = true;
    await journal.replace(ledger.entries().map(encodeLedgerEntry));
    compactedBytes = journal.bytes();
    isCompacting = false;
  }

  async function run({ parts, declared = {}, copies = 1, withinMs = defaultWithinMs }: SessionRequest): Promise<SessionResult> {
    if (signal.aborted) throw new NgpuError("SESSION_CLOSED", { sessionId });
    if (failure !== undefined) throw failure;
    const { dimensions } = measureInput({ manifest, parts, declared });
    const body = encodePayload({ parameters: dimensions, parts });
    const workCums = workCumsOf({ manifest, dimensions });
    return new Promise((resolve, reject) => {
      dispatcher.add({ requestId: toHex(random(32)), body, workCums, copies, withinMs, resolve, reject });
    });
  }

  /** What the answer says, of the frame or of the gateway; undefined where that does not have it. */
  async function sealedOf({ receipt, sealed }: FrameOf<"answer">): Promise<Uint8Array | undefined> {
    if (sealed !== "") return fromBase64(sealed);
    const hash = receipt.message.outputCiphertext;
    return blobs.get({ taskId: sessionId, hash, signal }).catch(() => undefined);
  }

  async function takeAnswer(frame: FrameOf<"answer">, sealed: Uint8Array | undefined): Promise<void> {
    const { nodeId, seq, receipt } = frame;
    const seat = seats.get(nodeId);
    if (seat === undefined) return;
    // The node then leaves it there again.
    if (sealed === undefined) return rekey(nodeId);
    const asked = ledger.asked(nodeId, receipt.message.inputCommitment);
    const payload = asked === undefined ? undefined : openAnswer(seat, asked, receipt, sealed);
    const signer = await recoverSigner({ kind: "receipt", signed: receipt, context });
    const verdict = ledger.judge({
      nodeId,
      seq,
      receipt: receipt.message,
      receiptHash: hashMessage("receipt", receipt.message, context),
      signer,
      operator: seat.operator,
      outputCiphertext: keccak256(sealed),
      isOutputProven: payload !== undefined,
    });
    const refusedWith = verdict.kind === "halt" ? verdict.entry.code : verdict.code;
    if (refusedWith !== undefined) onEvent({ kind: "refused", nodeId, code: refusedWith, receipt });
    if (verdict.kind === "refuse") {
      if (verdict.code === "RECEIPT_GAP" || verdict.code === "BLOB_MISMATCH") rekey(nodeId);
      return;
    }
    // Applied before the next answer is judged; what follows from it waits for the disk and holds up nobody.
    const written = write(verdict.entry);
    if (verdict.kind === "halt") dispatcher.halted(nodeId);
    void written.then(
      () => {
        if (verdict.kind === "halt") return;
        vouchers().recorded(nodeId);
        if (asked !== undefined) dispatcher.answered(asked, { nodeId, receipt, payload });
      },
      (error: unknown) => onEvent({ kind: "error", error }),
    );
  }

  function openAnswer(seat: LaneSeat, asked: AskedEntry, receipt: Signed<"receipt">, sealed: Uint8Array): unknown {
    const place = { sessionId, nodeId: seat.nodeId, requestId: asked.requestId };
    const taskKey = requestKeyOf({ ...place, laneKey: seat.laneKey });
    const { outputCommitment: commitment } = receipt.message;
    try {
      const { parts } = decodePayload(open({ taskKey, context: outputContext(place), sealed, commitment }));
      const document = parts.find(({ mediaType }) => mediaType === manifest.output.mediaType);
      if (document === undefined) return undefined;
      return { json: JSON.parse(new TextDecoder().decode(document.bytes)) as unknown };
    } catch {
      return undefined;
    }
  }

  function takeRefusal({ nodeId, requestId, code }: FrameOf<"refusal">): void {
    const known: ErrorCode = isErrorCode(code) ? code : "MODEL_FAILED";
    if (known === "LANE_KEY_MISSING") rekey(nodeId);
    if (known === "NODE_DRAINING") unready(nodeId);
    if (known === "SESSION_UNSIGNED") void vouchers().flush(nodeId);
    dispatcher.refused({ nodeId, requestId, code: known });
  }

  return {
    write,
    run,
    laneReady: (seat) => dispatcher.ready(seat),
    laneEnded: (nodeId) => dispatcher.halted(nodeId),
    reconnected: () => dispatcher.disconnected(),
    take(frame) {
      if (frame.t === "answer") order.take(frame);
      else if (frame.t === "refusal") takeRefusal(frame);
      else if (frame.t === "voucherTaken") {
        vouchers().taken(frame.nodeId, frame.seq);
        dispatcher.signed();
      }
    },
    async idle() {
      while (dispatcher.count() > 0 && !signal.aborted) await sleep(20, signal);
      const untilMs = performance.now() + lateAnswersMs;
      while (dispatcher.outstanding() > 0 && performance.now() < untilMs && !signal.aborted) await sleep(20, signal);
      await judging;
    },
    books: () => ledger.lanes(),
  };
}
