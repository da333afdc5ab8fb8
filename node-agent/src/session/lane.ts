/**
 * One lane that this node serves: takes requests, executes them on the machine's slots, numbers and signs their
 * receipts, and takes the vouchers that pay for them. Nothing is sent before it is on disk; answers are sent again
 * until a voucher covers them, vouchers until the chain has settled them. What is too large for a frame travels as a blob
 * under the session's id.
 */
import { fromBase64, toBase64 } from "@ngpu/protocol/base64";
import { requireStorable, type Blobs } from "@ngpu/protocol/blobExchange/blobs";
import { codeOf, errorCatalogue, NgpuError, type ErrorCode } from "@ngpu/protocol/errors";
import { gatewayLimits } from "@ngpu/protocol/limits";
import type { ModelManifest } from "@ngpu/protocol/manifest";
import { encodePayload } from "@ngpu/protocol/sealed/payload";
import { open, seal } from "@ngpu/protocol/sealed/seal";
import type { AppendLog } from "@ngpu/protocol/service/appendLog";
import type { Clock } from "@ngpu/protocol/service/clock";
import type { Log } from "@ngpu/protocol/service/log";
import type { Turns } from "@ngpu/protocol/service/turns";
import { isClaimDue } from "@ngpu/protocol/session/floorRule";
import { inputContext, outputContext, requestKeyOf } from "@ngpu/protocol/session/requestKey";
import { sessionLimits } from "@ngpu/protocol/session/sessionLimits";
import { sessionTaskIdOf } from "@ngpu/protocol/session/voucherChain";
import { hashMessage, recoverSigner, signMessage, type SigningContext, type TypedDataSigner } from "@ngpu/protocol/signed";
import { receiptStatus } from "@ngpu/protocol/typedData";
import { capMs } from "@ngpu/protocol/units";
import type { Frame, FrameOf } from "@ngpu/protocol/wire";
import type { Hex } from "viem";
import { checkInput } from "../agent/checkInput.ts";
import { untilAborted } from "../agent/untilAborted.ts";
import { untilDone } from "../agent/untilDone.ts";
import type { RunnerPool } from "../pool/runnerPool.ts";
import { declaredWorkCums } from "./declaredWork.ts";
import type { LaneBodies } from "./laneBodies.ts";
import { createLaneBook, type AnswerEntry, type LaneEntry } from "./laneBook.ts";
import { decodeLaneEntry, encodeLaneEntry } from "./laneEntry.ts";
import type { LaneFacts } from "./laneFacts.ts";

export interface LaneParts {
  /** Domain of receipts, and that of vouchers. */
  context: SigningContext;
  voucherContext: SigningContext;
  signer: TypedDataSigner;
  pool: RunnerPool;
  manifests: ReadonlyMap<Hex, ModelManifest>;
  send: (frame: Frame) => void;
  /** At the gateway, asked for as the node's operator. */
  blobs: Blobs;
  /** Large inputs of all lanes that may be in memory at once. */
  bodyTurns: Turns;
  clock: Clock;
  log: Log;
  random: (length: number) => Uint8Array;
}

export interface Lane {
  /** The client has handed over the key; what it has not signed for is sent to it again. */
  open(laneKey: Uint8Array): void;
  ask(frame: FrameOf<"ask">): Promise<void>;
  voucher(frame: FrameOf<"voucher">): Promise<void>;
  /** The chain says so now, and that so many records are settled for good, where that was looked at. */
  update(facts: LaneFacts, finalSeq?: bigint): void;
  /** Vouchers are kept that the chain may have to settle (again). */
  awaitsFinality(): boolean;
  /** Nothing was asked lately, nothing waits for a voucher, and no voucher waits for the chain. */
  isIdle(): boolean;
  /**
   * Vouchers that wait for the chain go out again; so do, once a connection, the answers of a lane that nobody opened
   * since the process began: a client hands no key over for a lane that ended.
   */
  relay(connection: number): void;
  /** What no voucher covers and what waits for the chain, both again. */
  repeat(): void;
  /** Begins nothing more; resolves when all that executes has ended, with its answers on disk and sent. */
  drain(): Promise<void>;
  /** True when no voucher can be settled any more. */
  isOver(): boolean;
  /** Ends its work; what runs is not waited for. */
  close(): Promise<void>;
}

/** More would wait longer than a client does. */
const mostWaiting = 256;
const idleAfterMs = 60_000;
const firstPauseMs = 250;
const longestPauseMs = 8_000;
const compactAboveBytes = 16 * 1024 * 1024;

export function createLane(
  options: LaneParts & { sessionId: Hex; nodeId: number; facts: LaneFacts; journal: AppendLog; bodies: LaneBodies },
): Lane {
  const { sessionId, nodeId, journal, bodies, context, voucherContext, signer, pool, manifests, send, clock, log } = options;
  const { blobs, bodyTurns } = options;
  let { facts } = options;
  const { modelId, powerCu, priceUsd6PerGcums } = facts;
  const book = createLaneBook({ sessionId, nodeId, powerCu, priceUsd6PerGcums });
  const stopping = new AbortController();
  const draining = new AbortController();
  const executing = new Map<Hex, Promise<void>>();
  let laneKey: Uint8Array | undefined;
  let repeatedOver = 0;
  let askedMs = clock.monotonicMs();
  let pending = 0;
  let pendingMs = 0;
  /** Receipts are numbered one after the other, and vouchers are taken between them. */
  let numbering: Promise<unknown> = Promise.resolve();
  let compactedBytes = 0;
  /** Set when the disk failed: what was applied and is not written must not be built on. */
  let broken: unknown;
  /** Hashes of large answers that the gateway has, or is being given. */
  const stored = new Set<Hex>();
  const storing = new Set<Hex>();

  if (journal.lines.length > 0) for (const line of journal.lines) book.apply(decodeLaneEntry(line));
  else write({ t: "base", seq: facts.seq, head: facts.head, weight: facts.weight, writtenOff: 0n }).catch(() => undefined);
  // Those that a crash left without an answer.
  keepBodies();

  /** Applied at once and in order; resolves when it may be acted on. */
  async function write(entry: LaneEntry): Promise<void> {
    if (broken !== undefined) throw broken;
    book.apply(entry);
    try {
      await journal.append(encodeLaneEntry(entry));
    } catch (error) {
      broken = error;
      log.error({ err: error, sessionId }, "a lane's journal cannot be written; it is not served until a restart");
      throw error;
    }
    if (journal.bytes() < compactedBytes + compactAboveBytes) return;
    compactedBytes = journal.bytes();
    await journal.replace(book.entries().map(encodeLaneEntry));
    compactedBytes = journal.bytes();
  }

  const inTurn = <T>(act: () => Promise<T>): Promise<T> => {
    const done = numbering.then(act);
    numbering = done.catch(() => undefined);
    return done;
  };

  const refuse = (requestId: Hex, code: ErrorCode): void => send({ t: "refusal", sessionId, nodeId, requestId, code });
  const sendAnswer = (entry: AnswerEntry): void => {
    const { seq, receipt, sealed } = entry;
    if (sealed === "" && !stored.has(receipt.message.outputCiphertext)) void storeBody(entry);
    else send({ t: "answer", sessionId, nodeId, seq, receipt, sealed });
  };

  /** Tells the answer once its body is at the gateway; who asks for the answer again, asks for that again too. */
  async function storeBody(entry: AnswerEntry): Promise<void> {
    const hash = entry.receipt.message.outputCiphertext;
    if (storing.has(hash)) return;
    storing.add(hash);
    try {
      await untilTaken({ hash, bytes: bodies.read(hash) });
      stored.add(hash);
      sendAnswer(entry);
    } catch (error) {
      if (!stopping.signal.aborted) log.warn({ err: error, sessionId }, "a large answer could not be left at the gateway");
    } finally {
      storing.delete(hash);
    }
  }

  async function untilTaken({ hash, bytes }: { hash: Hex; bytes: Uint8Array }): Promise<void> {
    const { signal } = stopping;
    const mayHelp = (code: ErrorCode, pauseMs: number): boolean => errorCatalogue[code].retryable && pauseMs <= longestPauseMs;
    const put = (): Promise<void> => blobs.put({ taskId: sessionId, hash, bytes, signal });
    await untilDone(put, { firstPauseMs, mayHelp, clock, signal });
  }

  /** The request's sealed input, of the frame or of the gateway. */
  async function sealedOf({ inputCiphertext, sealed }: FrameOf<"ask">): Promise<Uint8Array> {
    if (sealed !== "") return fromBase64(sealed);
    return blobs.get({ taskId: sessionId, hash: inputCiphertext, signal: draining.signal });
  }

  async function ask(frame: FrameOf<"ask">): Promise<void> {
    const { requestId } = frame;
    askedMs = clock.monotonicMs();
    if (executing.has(requestId)) return;
    if (book.hasAnswered(requestId)) {
      const kept = book.unsigned().find((answer) => answer.requestId === requestId);
      if (kept !== undefined) sendAnswer(kept);
      return;
    }
    if (executing.size >= mostWaiting) return refuse(requestId, "NODE_BUSY");
    const execution = (): Promise<void> => execute(frame);
    const running = (frame.sealed === "" ? bodyTurns.run(execution, draining.signal) : execution()).catch((error: unknown) => {
      if (stopping.signal.aborted) return;
      const code = draining.signal.aborted && codeOf(error) === "INTERNAL" ? "NODE_DRAINING" : codeOf(error);
      if (code === "INTERNAL") log.error({ err: error, sessionId }, "a request failed");
      refuse(requestId, code);
    });
    executing.set(requestId, running);
    await running.finally(() => executing.delete(requestId));
  }

  async function execute(frame: FrameOf<"ask">): Promise<void> {
    const { requestId, inputCommitment } = frame;
    if (draining.signal.aborted) throw new NgpuError("NODE_DRAINING", { sessionId });
    if (!facts.isServing) throw new NgpuError("LANE_UNKNOWN", { sessionId });
    if (laneKey === undefined) throw new NgpuError("LANE_KEY_MISSING", { sessionId });
    const manifest = manifests.get(modelId);
    if (manifest === undefined) throw new NgpuError("MODEL_UNKNOWN", { modelId });
    const place = { sessionId, nodeId, requestId };
    const taskKey = requestKeyOf({ ...place, laneKey });
    const sealed = await sealedOf(frame);
    const body = open({ taskKey, context: inputContext(place), sealed, commitment: inputCommitment });
    const workCums = declaredWorkCums({ body, manifest });
    checkInput({ body, manifest, workCums });

    const nextMs = capMs({ workCums, powerCu });
    const refusal = book.refusal({ pending, pendingMs, nextMs, allotmentUsd6: facts.allotmentUsd6 });
    if (refusal !== undefined) throw new NgpuError(refusal, { sessionId });
    pending += 1;
    pendingMs += nextMs;
    try {
      const slot = await pool.take(draining.signal).catch((cause: unknown) => {
        throw new NgpuError("NODE_DRAINING", { sessionId }, { cause });
      });
      const running = slot.execute({ modelId, body, timeoutMs: manifest.limits.deadlineMs }).finally(() => slot.release());
      const { result, startMs, durationMs } = await untilAborted(running, stopping.signal);
      const output = seal({
        taskKey,
        context: outputContext(place),
        body: encodePayload({
          parameters: { schema: manifest.output.schema },
          parts: [{ name: "result.json", mediaType: manifest.output.mediaType, bytes: result }],
        }),
        random: options.random,
      });
      const inline = inlineOf(output.sealed);
      if (inline === "") {
        requireStorable(output.sealed.length);
        bodies.keep(output.ciphertextHash, output.sealed);
      }
      const decided = {
        ...{ assignment: 0, attempt: 0, nodeId, modelId, inputCommitment, powerCu },
        ...{ outputCommitment: output.commitment, outputCiphertext: output.ciphertextHash },
        ...{ slot: slot.index, startMs: BigInt(startMs), durationMs: Math.min(durationMs, nextMs) },
        status: receiptStatus.succeeded,
      };
      await answer(requestId, decided, inline);
    } finally {
      pending -= 1;
      pendingMs -= nextMs;
    }
  }

  /** Signed in turn, flushed together with those that follow, sent when on disk. */
  async function answer(
    requestId: Hex,
    decided: Omit<AnswerEntry["receipt"]["message"], "taskId">,
    sealed: string,
  ): Promise<void> {
    const { entry, written } = await inTurn(async () => {
      if (broken !== undefined) throw broken;
      const seq = book.nextSeq();
      const message = { taskId: sessionTaskIdOf({ sessionId, nodeId, seq }), ...decided };
      const receipt = await signMessage({ kind: "receipt", message, context, signer });
      const receiptHash = hashMessage("receipt", message, context);
      const entry: AnswerEntry = { t: "answer", seq, requestId, receiptHash, receipt, sealed };
      return { entry, written: write(entry) };
    });
    await written;
    sendAnswer(entry);
  }

  function voucher({ voucher, bills }: FrameOf<"voucher">): Promise<void> {
    return inTurn(async () => {
      const recovered = await recoverSigner({ kind: "voucher", signed: voucher, context: voucherContext });
      const verdict = book.judge({ t: "voucher", voucher, bills }, { recovered, signers: facts.signers });
      if (verdict.kind === "refuse") {
        log.warn({ sessionId, seq: String(voucher.message.seq), code: verdict.code }, "a voucher was refused");
        return;
      }
      if (verdict.kind === "take") {
        await write(verdict.entry);
        keepBodies();
        send({ t: "voucher", voucher, bills });
      }
      send({ t: "voucherTaken", sessionId, nodeId, seq: book.signedSeq() });
    });
  }

  /** Bodies of answers that no voucher covers. */
  function keepBodies(): void {
    const large = book.unsigned().filter(({ sealed }) => sealed === "");
    const hashes = large.map(({ receipt }) => receipt.message.outputCiphertext);
    bodies.keepOnly(hashes);
    for (const hash of stored) if (!hashes.includes(hash)) stored.delete(hash);
  }

  const relayVouchers = (): void => {
    for (const { voucher, bills } of book.unsettled()) {
      if (voucher.message.seq > facts.seq) send({ t: "voucher", voucher, bills });
    }
  };
  /** By rule and not by choice: what a payer withholds is burned on both sides, so nobody gains by it. */
  const claim = (): void => {
    const [oldest] = book.unsigned();
    if (oldest === undefined || !facts.isClaimable) return;
    const { startMs, durationMs } = oldest.receipt.message;
    const { closesAtS, settleWindowS } = facts;
    if (!isClaimDue({ oldestMs: startMs + BigInt(durationMs), nowS: facts.nowS, closesAtS, settleWindowS })) return;
    const receipts = book.unsigned().slice(0, sessionLimits.maxClaimReceipts);
    send({ t: "claim", sessionId, nodeId, seq: oldest.seq, receipts: receipts.map(({ receipt }) => receipt) });
  };
  const repeatAnswers = (): void => {
    for (const kept of book.unsigned()) sendAnswer(kept);
  };

  return {
    open(key) {
      laneKey = key;
      // The client is new, or the gateway is: neither may have what was left there.
      stored.clear();
      send({ t: "laneReady", sessionId, nodeId });
      repeatAnswers();
    },
    ask,
    voucher,
    update(newest, finalSeq) {
      facts = newest;
      if (finalSeq !== undefined) book.settled(finalSeq);
    },
    awaitsFinality: () => book.unsettled().length > 0,
    isIdle() {
      const isSettled = book.unsettled().every(({ voucher }) => voucher.message.seq <= facts.seq);
      const isQuiet = executing.size === 0 && clock.monotonicMs() - askedMs > idleAfterMs;
      return isQuiet && isSettled && book.unsigned().length === 0;
    },
    relay(connection) {
      relayVouchers();
      claim();
      if (laneKey !== undefined || connection === repeatedOver) return;
      repeatedOver = connection;
      repeatAnswers();
    },
    repeat() {
      relayVouchers();
      repeatAnswers();
    },
    async drain() {
      draining.abort();
      await Promise.allSettled(executing.values());
      await numbering;
    },
    isOver: () => facts.isOver,
    async close() {
      draining.abort();
      stopping.abort();
      await Promise.allSettled(executing.values());
      await numbering;
      await journal.close();
    },
  };
}

/** As a frame carries it; empty where it is too large for one. */
function inlineOf(sealed: Uint8Array): string {
  const text = toBase64(sealed);
  return text.length > gatewayLimits.maxInlineBase64 ? "" : text;
}
