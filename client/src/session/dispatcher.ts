/**
 * Which request goes to which node. Requests wait in order; a node gets as many as its window; the node with the most
 * room is asked first, primaries before backups. A request that a node refuses or does not answer goes to another one,
 * a few times; asking the same node again is harmless, because it answers a request once. An input that is too large for
 * a frame is left at the gateway first.
 */
import { toBase64 } from "@ngpu/protocol/base64";
import { requireStorable, type Blobs } from "@ngpu/protocol/blobExchange/blobs";
import { codeOf, errorCatalogue, NgpuError, type ErrorCode } from "@ngpu/protocol/errors";
import { gatewayLimits } from "@ngpu/protocol/limits";
import { seal } from "@ngpu/protocol/sealed/seal";
import type { AskedEntry, LedgerEntry } from "@ngpu/protocol/session/ledgerEntry";
import { inputContext, requestKeyOf } from "@ngpu/protocol/session/requestKey";
import { sessionLimits } from "@ngpu/protocol/session/sessionLimits";
import type { Signed } from "@ngpu/protocol/signed";
import type { Frame, FrameOf } from "@ngpu/protocol/wire";
import type { Hex } from "viem";
import type { LaneSeat } from "./laneSeat.ts";
import type { SessionResult } from "./session.ts";

export interface PendingRequest {
  requestId: Hex;
  body: Uint8Array;
  workCums: bigint;
  copies: number;
  withinMs: number;
  resolve: (result: SessionResult) => void;
  reject: (error: unknown) => void;
}

export interface Dispatcher {
  add(request: PendingRequest): void;
  ready(seat: LaneSeat): void;
  disconnected(): void;
  answered(asked: AskedEntry, answer: { nodeId: number; receipt: Signed<"receipt">; payload: unknown }): void;
  refused(refusal: { nodeId: number; requestId: Hex; code: ErrorCode }): void;
  halted(nodeId: number): void;
  /** The node has a voucher: it takes more. */
  signed(): void;
  /** Requests that are not over. */
  count(): number;
  /** What nodes were sent and have neither answered nor refused, of requests that are over too. */
  outstanding(): number;
  /** Nothing can go on. */
  fail(error: unknown): void;
}

interface Open extends PendingRequest {
  asked: Map<number, Asked>;
  refusals: number;
  addedMs: number;
}

interface Asked {
  frame: FrameOf<"ask">;
  /** The sealed input, where the frame does not carry it. */
  large: Uint8Array | undefined;
  /** It is on its way to the gateway. */
  isLeaving: boolean;
  firstMs: number;
  sentMs: number;
  isRefused: boolean;
}

const tickMs = 250;
const repeatMs = 3_000;
const pauseMs = 500;
const mostRefusals = 20;
/** The node is asked again once it says anew that it has the lane's key. */
const isUntilReady = (code: ErrorCode): boolean => code === "LANE_KEY_MISSING" || code === "NODE_DRAINING";
/** The payer's own fault, or no other node would do better. */
const finalCodes: readonly ErrorCode[] = [
  "PAYLOAD_MALFORMED",
  "INPUT_NOT_IMAGE",
  "INPUT_TOO_LARGE",
  "INPUT_DIMENSIONS",
  "WORK_TOO_LOW",
  "SEAL_BROKEN",
  "COMMITMENT_MISMATCH",
  "BLOB_TOO_LARGE",
];

export function createDispatcher(options: {
  sessionId: Hex;
  send: (frame: Frame) => boolean;
  /** At the gateway, asked for as the session's signer. */
  blobs: Pick<Blobs, "put">;
  write: (entry: LedgerEntry) => Promise<void>;
  random: (length: number) => Uint8Array;
  /** Records of a lane whose voucher its node does not have: it takes no request beyond a certain number of them. */
  unsigned: (nodeId: number) => number;
  hedgeAfterMs: number;
  signal: AbortSignal;
}): Dispatcher {
  const { sessionId, send, blobs, write, random, unsigned, hedgeAfterMs, signal } = options;
  const open = new Map<Hex, Open>();
  const seats = new Map<number, { seat: LaneSeat; load: number; notBeforeMs: number }>();
  const outstanding = new Set<string>();
  const timer = setInterval(() => tick(), tickMs);
  signal.addEventListener("abort", () => {
    clearInterval(timer);
    fail(new NgpuError("SESSION_CLOSED", { sessionId }));
  });

  function add(request: PendingRequest): void {
    open.set(request.requestId, { ...request, asked: new Map(), refusals: 0, addedMs: performance.now() });
    pump();
  }

  function pump(): void {
    for (const request of open.values()) {
      const live = [...request.asked.values()].filter(({ isRefused }) => !isRefused).length;
      for (let missing = request.copies - live; missing > 0; missing -= 1) {
        const nodeId = freeNode(request);
        if (nodeId === undefined) {
          // Who wants more nodes than there are must not hold up those behind.
          if (freeNode() === undefined) return;
          break;
        }
        void ask(request, nodeId);
      }
    }
  }

  function freeNode(request?: Open): number | undefined {
    const nowMs = performance.now();
    const free = [...seats.values()].filter(({ seat, load, notBeforeMs }) => {
      const before = request?.asked.get(seat.nodeId);
      const isOnCredit = load + unsigned(seat.nodeId) < sessionLimits.maxClaimReceipts;
      return isOnCredit && load < seat.window && nowMs >= notBeforeMs && (before === undefined || before.isRefused);
    });
    free.sort(
      (a, b) => a.load / a.seat.window - b.load / b.seat.window || Number(b.seat.isPrimary) - Number(a.seat.isPrimary),
    );
    return free[0]?.seat.nodeId;
  }

  async function ask(request: Open, nodeId: number): Promise<void> {
    const place = seats.get(nodeId);
    if (place === undefined) return;
    place.load += 1;
    outstanding.add(keyOf(nodeId, request.requestId));
    const known = request.asked.get(nodeId);
    if (known !== undefined) {
      known.isRefused = false;
      known.firstMs = performance.now();
      deliver(request, known);
      return;
    }
    try {
      const { frame, large } = frameFor(request, place.seat);
      const nowMs = performance.now();
      const asked = { frame, large, isLeaving: false, firstMs: nowMs, sentMs: nowMs, isRefused: false };
      request.asked.set(nodeId, asked);
      const { requestId, inputCommitment } = frame;
      await write({ t: "asked", requestId, nodeId, inputCommitment, workCums: request.workCums });
      deliver(request, asked);
    } catch (error) {
      outstanding.delete(keyOf(nodeId, request.requestId));
      end(request);
      request.reject(error);
    }
  }

  function frameFor({ requestId, body }: Open, { nodeId, laneKey }: LaneSeat): Pick<Asked, "frame" | "large"> {
    const place = { sessionId, nodeId, requestId };
    const taskKey = requestKeyOf({ ...place, laneKey });
    const { sealed, commitment, ciphertextHash } = seal({ taskKey, context: inputContext(place), body, random });
    requireStorable(sealed.length);
    const text = toBase64(sealed);
    const isLarge = text.length > gatewayLimits.maxInlineBase64;
    const named = { t: "ask", ...place, inputCommitment: commitment, inputCiphertext: ciphertextHash } as const;
    return { frame: { ...named, sealed: isLarge ? "" : text }, large: isLarge ? sealed : undefined };
  }

  /** Sends the frame, behind its body where that is large. What does not get through is sent again, or asked elsewhere. */
  function deliver(request: Open, asked: Asked): void {
    const { frame, large } = asked;
    if (large === undefined) {
      asked.sentMs = performance.now();
      send(frame);
      return;
    }
    if (asked.isLeaving) return;
    asked.isLeaving = true;
    const leaving = blobs.put({ taskId: sessionId, hash: frame.inputCiphertext, bytes: large, signal });
    void leaving.then(
      () => {
        asked.isLeaving = false;
        if (asked.isRefused || !open.has(request.requestId)) return;
        // The node has had no time yet.
        asked.firstMs = asked.sentMs = performance.now();
        send(frame);
      },
      (error: unknown) => {
        asked.isLeaving = false;
        const code = codeOf(error);
        // Without the session's own link the gateway does not know what the blob is for.
        refused({ ...frame, code: code === "TASK_UNKNOWN" ? "GATEWAY_UNREACHABLE" : code });
      },
    );
  }

  /** Its places are free again, whether or not the other nodes still answer. */
  function end(request: Open): void {
    open.delete(request.requestId);
    for (const [nodeId, { isRefused }] of request.asked) if (!isRefused) release(nodeId);
  }

  function release(nodeId: number): void {
    const place = seats.get(nodeId);
    if (place !== undefined) place.load = Math.max(0, place.load - 1);
  }

  function tick(): void {
    const nowMs = performance.now();
    for (const request of open.values()) {
      if (nowMs - request.addedMs > request.withinMs) abandon(request);
      const live = [...request.asked].filter(([, { isRefused }]) => !isRefused);
      for (const [, asked] of live) {
        if (asked.isLeaving || nowMs - asked.sentMs < repeatMs) continue;
        // A large body is at the gateway: a node that does not find it there says so.
        asked.sentMs = nowMs;
        send(asked.frame);
      }
      const [first] = live;
      const isSlow = first !== undefined && !first[1].isLeaving && nowMs - first[1].firstMs > hedgeAfterMs;
      const other = isSlow && live.length === 1 ? freeNode(request) : undefined;
      if (other !== undefined) void ask(request, other);
    }
    pump();
  }

  function refused({ nodeId, requestId, code }: { nodeId: number; requestId: Hex; code: ErrorCode }): void {
    outstanding.delete(keyOf(nodeId, requestId));
    const place = seats.get(nodeId);
    if (place !== undefined && !finalCodes.includes(code)) {
      place.notBeforeMs = isUntilReady(code) ? Infinity : performance.now() + pauseMs;
    }
    const request = open.get(requestId);
    const asked = request?.asked.get(nodeId);
    if (request === undefined || asked === undefined || asked.isRefused) return;
    asked.isRefused = true;
    release(nodeId);
    request.refusals += errorCatalogue[code].retryable ? 1 : mostRefusals / 2;
    const isFinal = finalCodes.includes(code) || request.refusals > mostRefusals;
    const isElsewhere = [...request.asked.values()].some(({ isRefused }) => !isRefused);
    if (isFinal && !isElsewhere) {
      end(request);
      request.reject(new NgpuError(code, { nodeId, requestId }));
    }
  }

  /** A node that answers all the same is paid: it did the work. */
  function abandon(request: Open): void {
    end(request);
    request.reject(new NgpuError("TASK_ABANDONED", { requestId: request.requestId, withinMs: request.withinMs }));
    request.asked.clear();
  }

  function fail(error: unknown): void {
    for (const request of open.values()) request.reject(error);
    open.clear();
  }

  return {
    add,
    ready(seat) {
      const before = seats.get(seat.nodeId);
      seats.set(seat.nodeId, { seat, load: before?.load ?? 0, notBeforeMs: 0 });
      for (const request of open.values()) {
        const mine = request.asked.get(seat.nodeId);
        if (mine !== undefined && !mine.isRefused) deliver(request, mine);
      }
      pump();
    },
    disconnected() {
      for (const place of seats.values()) place.notBeforeMs = Infinity;
    },
    answered({ requestId }, { nodeId, receipt, payload }) {
      outstanding.delete(keyOf(nodeId, requestId));
      const request = open.get(requestId);
      if (request === undefined) return;
      end(request);
      const { json } = payload as { json: unknown };
      request.resolve({ requestId, nodeId, receipt, json });
      pump();
    },
    refused,
    halted(nodeId) {
      seats.delete(nodeId);
      for (const key of outstanding) if (key.startsWith(keyOf(nodeId, "0x"))) outstanding.delete(key);
      for (const { asked } of open.values()) {
        const mine = asked.get(nodeId);
        if (mine !== undefined) mine.isRefused = true;
      }
      pump();
    },
    signed: pump,
    count: () => open.size,
    outstanding: () => outstanding.size,
    fail,
  };
}

function keyOf(nodeId: number, requestId: Hex): string {
  return `${nodeId}:${requestId}`;
}
