/**
 * Takes a session up: reads its journal, connects to the gateway, gives every lane its key, and watches the chain for
 * lanes that come later. Closing signs everything that is owed before it closes on chain.
 */
import { createHttpBlobs } from "@ngpu/protocol/blobExchange/httpBlobs";
import { sessionSettlementAbi } from "@ngpu/protocol/generated/abi/sessionSettlement";
import { NgpuError } from "@ngpu/protocol/errors";
import { wrapTaskKey } from "@ngpu/protocol/sealed/wrap";
import { decodeLedgerEntry, type LedgerEntry } from "@ngpu/protocol/session/ledgerEntry";
import { laneKeyOf, laneTarget } from "@ngpu/protocol/session/requestKey";
import { firstHeadOf } from "@ngpu/protocol/session/voucherChain";
import { createVoucherLedger, type LaneBooks } from "@ngpu/protocol/session/voucherLedger";
import { signMessage } from "@ngpu/protocol/signed";
import { loginRole } from "@ngpu/protocol/typedData";
import type { Frame } from "@ngpu/protocol/wire";
import { hexToBytes, toHex, type Hex } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { openLinkAs } from "../link.ts";
import { sleep } from "../sleep.ts";
import type { LaneSeat } from "./laneSeat.ts";
import { fetchRoster, isGoodBinding } from "./nodeBinding.ts";
import type { SessionOptions } from "./openSession.ts";
import { createSessionChain, type ChainLane } from "./sessionChain.ts";
import { createSessionCore, type SessionRequest, type SessionResult } from "./session.ts";
import { keepSessionLink } from "./sessionLink.ts";
import { createVoucherDesk } from "./voucherDesk.ts";

export interface SessionClosing {
  closeTx: Hex;
  lanes: LaneBooks[];
  signedUsd6: bigint;
}

export interface Session {
  sessionId: Hex;
  /** Resolves with the opened answer once its receipt is checked and written down. */
  run(request: SessionRequest): Promise<SessionResult>;
  books(): LaneBooks[];
  /** What the chain has settled. */
  settled(): Promise<ChainLane[]>;
  /** Waits for what is asked, signs what is owed, and begins the settle window on chain. */
  close(): Promise<SessionClosing>;
  /** Leaves without closing: the session can be taken up again. */
  leave(): Promise<void>;
}

/** How often the chain is looked at for lanes: before the session is ready, while a node lacks its key, and else. */
const lookMs = { opening: 250, missing: 1_000, serving: 5_000 };
/** Requests for each slot of a node that may be under way. */
const windowPerSlot = 4;
const defaultHedgeAfterMs = 10_000;
const defaultReadyWithinMs = 60_000;
const rekeyEveryMs = 250;
const flushWithinMs = 15_000;

export async function resumeSession(
  options: SessionOptions & {
    sessionId: Hex;
    /** No event of the session is in an earlier block. */
    fromBlock?: bigint;
    /** Resolves when so many lanes are ready. */
    lanes?: number;
    /** Throws NOBODY_SERVES when they are not ready by then; the session stays open on chain. */
    readyWithinMs?: number;
  },
): Promise<Session> {
  const { chain, wallet, deployment, gatewayUrl, manifest, signerKey, sessionId, random } = options;
  const { onEvent = () => undefined, lanes: wanted = 1 } = options;
  const signer = privateKeyToAccount(signerKey);
  const context = { chainId: wallet.chain.id, verifyingContract: deployment.taskEscrow };
  const { open: openBlobs, carry } = options.coded ?? { open: createHttpBlobs, carry: undefined };
  const blobs = openBlobs({ gatewayUrl, context, signer, nowMs: Date.now });
  const ending = new AbortController();
  const { signal } = ending;
  const fromBlock = options.fromBlock ?? deployment.deploymentBlock;
  const sessionChain = createSessionChain({ chain, deployment, sessionId, fromBlock });
  const terms = await sessionChain.terms();
  if (terms.signer !== signer.address) throw new NgpuError("AUTH_FORBIDDEN", { sessionId, part: "signer" });

  const ledger = createVoucherLedger({ sessionId, ...terms });
  const journal = await options.openJournal(sessionId);
  for (const line of journal.lines) ledger.apply(decodeLedgerEntry(line));

  const seats = new Map<number, LaneSeat>();
  const ready = new Set<number>();
  /** Lanes that ended on chain; what they still answer or get signed is taken all the same. */
  const released = new Set<number>();
  let isOpened = false;
  const rekeyed = new Map<number, number>();
  const core = createSessionCore({
    sessionId,
    manifest,
    ledger,
    journal,
    vouchers: () => vouchers,
    context,
    seats,
    rekey(nodeId) {
      // Until the node says that it has the key, the watch hands it over again: it may not be listed yet.
      ready.delete(nodeId);
      const nowMs = performance.now();
      if (nowMs - (rekeyed.get(nodeId) ?? -Infinity) < rekeyEveryMs) return;
      rekeyed.set(nodeId, nowMs);
      void handKey(nodeId).catch(report);
    },
    unready: (nodeId) => void ready.delete(nodeId),
    send,
    blobs,
    random,
    onEvent,
    hedgeAfterMs: options.hedgeAfterMs ?? defaultHedgeAfterMs,
    signal,
  });
  const vouchers = createVoucherDesk({
    ledger,
    write: core.write,
    signer,
    context: { ...context, verifyingContract: deployment.sessionSettlement },
    send,
    onError: report,
    signal,
    ...(options.voucherTiming === undefined ? {} : { timing: options.voucherTiming }),
  });
  const link = keepSessionLink({
    ...{ gatewayUrl, carry },
    open: () => openLinkAs({ gatewayUrl, context, signal, identity: { role: loginRole.session, subject: sessionId, privateKey: signerKey } }),
    onUp() {
      core.reconnected();
      ready.clear();
      rekeyed.clear();
      for (const nodeId of seats.keys()) void handKey(nodeId).catch(report);
    },
    onFrame: take,
    onError: report,
    signal,
  });
  const watching = watchLanes();

  function report(error: unknown): void {
    if (!signal.aborted) onEvent({ kind: "error", error });
  }

  function send(frame: Frame): boolean {
    return link.send(frame);
  }

  function take(frame: Frame): void {
    core.take(frame);
    if (frame.t !== "laneReady") return;
    const seat = seats.get(frame.nodeId);
    if (seat === undefined) return;
    ready.add(frame.nodeId);
    core.laneReady(seat);
    vouchers.recorded(frame.nodeId);
  }

  /** New lanes get a seat; a lane whose node was offline gets its key when the node is back. */
  async function watchLanes(): Promise<void> {
    while (!signal.aborted) {
      try {
        for (const lane of await sessionChain.lanes()) await watchLane(lane);
      } catch (error) {
        report(error);
      }
      const isMissing = ready.size < seats.size - released.size;
      await sleep(!isOpened ? lookMs.opening : isMissing ? lookMs.missing : lookMs.serving, signal);
    }
  }

  async function watchLane(lane: ChainLane): Promise<void> {
    const { nodeId, isActive } = lane;
    if (!isActive) {
      if (!seats.has(nodeId) || released.has(nodeId)) return;
      released.add(nodeId);
      ready.delete(nodeId);
      return core.laneEnded(nodeId);
    }
    released.delete(nodeId);
    if (!seats.has(nodeId)) await seatLane(lane);
    if (!ready.has(nodeId)) await handKey(nodeId);
  }

  async function seatLane({ nodeId, isPrimary, powerCu, seq }: ChainLane): Promise<void> {
    if (ledger.lane(nodeId) === undefined) {
      // Vouchers were settled that these books know nothing of: signing on could contradict them.
      if (seq > 0n) throw new NgpuError("LANE_UNKNOWN", { nodeId, reason: "its journal is missing" });
      const entry: LedgerEntry = { t: "lane", nodeId, powerCu, seq, head: firstHeadOf({ sessionId, nodeId }), weight: 0n };
      await core.write(entry);
    }
    const operator = await sessionChain.operatorOf(nodeId);
    const laneKey = laneKeyOf({ signerKey, sessionId, nodeId });
    seats.set(nodeId, { nodeId, operator, isPrimary, laneKey, window: windowPerSlot });
    onEvent({ kind: "lane", nodeId, isPrimary });
  }

  async function handKey(nodeId: number): Promise<void> {
    const seat = seats.get(nodeId);
    const entry = (await fetchRoster({ gatewayUrl, signal })).find((listed) => listed.nodeId === nodeId);
    if (seat === undefined || entry === undefined) return;
    const operator = await sessionChain.operatorOf(nodeId);
    const { binding } = entry;
    if (!(await isGoodBinding({ binding, operator, context, nowMs: Date.now() }))) return;
    seats.set(nodeId, { ...seat, operator, window: Math.max(1, entry.slots) * windowPerSlot });
    const target = laneTarget({ sessionId, nodeId });
    const nodePublicKey = hexToBytes(binding.message.publicKey);
    const wrapped = wrapTaskKey({ taskKey: seat.laneKey, nodePublicKey, target, random });
    const message = {
      ...target,
      ephemeralPublicKey: toHex(wrapped.ephemeralPublicKey),
      wrappedKey: toHex(wrapped.wrappedKey),
    };
    send({ t: "laneKey", wrap: await signMessage({ kind: "keyWrap", message, context, signer }) });
  }

  async function leave(): Promise<void> {
    ending.abort();
    await Promise.all([link.ended, watching]);
    await journal.close();
  }

  async function close(): Promise<SessionClosing> {
    await core.idle();
    const late = sleep(flushWithinMs, signal);
    await Promise.race([Promise.all(core.books().map(({ nodeId }) => vouchers.flush(nodeId))), late]);
    const lanes = core.books();
    const settlement = { address: deployment.sessionSettlement, abi: sessionSettlementAbi } as const;
    const call = { ...settlement, functionName: "close", args: [sessionId] } as const;
    const { request } = await chain.simulateContract({ ...call, account: wallet.account });
    const closeTx = await wallet.writeContract(request);
    await chain.waitForTransactionReceipt({ hash: closeTx });
    await leave();
    return { closeTx, lanes, signedUsd6: lanes.reduce((sum, lane) => sum + lane.signedUsd6, 0n) };
  }

  const untilMs = performance.now() + (options.readyWithinMs ?? defaultReadyWithinMs);
  while (ready.size < wanted) {
    if (performance.now() > untilMs) {
      await leave();
      throw new NgpuError("NOBODY_SERVES", { sessionId, ready: ready.size, wanted });
    }
    await sleep(20, signal);
  }
  isOpened = true;
  return { sessionId, run: core.run, books: core.books, settled: sessionChain.lanes, close, leave };
}
