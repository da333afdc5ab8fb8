/**
 * All sessions that this node has a lane in. A lane comes into being when its client hands over the lane's key, lives
 * in one journal file, and is there again after a restart so that its vouchers reach the chain:
 *
 *   <dataDir>/sessions/<sessionId>.log
 *   <dataDir>/sessions/<sessionId>.bodies/    answers that are too large for a frame
 *
 * Files are removed when the chain can settle nothing of their session any more.
 */
import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Deployment } from "@ngpu/protocol/deployment";
import { codeOf, NgpuError } from "@ngpu/protocol/errors";
import { unwrapTaskKey } from "@ngpu/protocol/sealed/wrap";
import { openAppendLog } from "@ngpu/protocol/service/appendLog";
import { createLoop } from "@ngpu/protocol/service/loop";
import { createTurns } from "@ngpu/protocol/service/turns";
import { laneTarget } from "@ngpu/protocol/session/requestKey";
import { recoverSigner, type Signed } from "@ngpu/protocol/signed";
import type { Frame } from "@ngpu/protocol/wire";
import { hexToBytes, isAddressEqual, zeroHash, type Hex, type PublicClient } from "viem";
import type { AgentChain } from "../agent/chain.ts";
import type { GatewayLink } from "../agent/gatewayLink.ts";
import { createLane, type Lane, type LaneParts } from "./lane.ts";
import { createLaneBodies } from "./laneBodies.ts";
import { createLaneFactsReader, type LaneFacts } from "./laneFacts.ts";

export interface SessionDesk {
  /** False when the frame is not about sessions. */
  take(frame: Frame): boolean;
  /** The link is up again. */
  connected(): void;
  /**
   * Takes no new request, ends what executes, and resolves when the gateway has all answers and vouchers, or is not
   * connected and the journals keep them; the signal ends the wait for that.
   */
  drain(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

const sweepEveryMs = 5_000;
/** A lane in which nothing happens costs the chain no more than this. */
const quietSweepMs = 60_000;
const keepUnknownMs = 24 * 3_600_000;
const deliveryPollMs = 50;
/** Each holds an open file; what costs a payer a deposit and a keeper's assignment is not made in masses. */
const mostLanes = 512;
/** Large inputs in memory at once, sealed and open: at most half a GiB. */
const mostBodies = 8;
const fileName = /^(0x[0-9a-f]{64})\.log$/;

export function createSessionDesk(
  options: Omit<LaneParts, "bodyTurns"> & {
    nodeId: number;
    secret: Uint8Array;
    dataDir: string;
    client: PublicClient;
    deployment: Deployment;
    chain: Pick<AgentChain, "finalBlock">;
    link: Pick<GatewayLink, "connection" | "answers">;
  },
): SessionDesk {
  const { nodeId, secret, context, send, link, clock, log } = options;
  const folder = join(options.dataDir, "sessions");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const { read: readFacts, readFinalSeq } = createLaneFactsReader(options);
  const lanes = new Map<Hex, Promise<Lane>>();
  /** When the chain was last asked about a lane, and until when not again about a session that it does not know. */
  const refreshedMs = new Map<Hex, number>();
  const unknown = new Map<Hex, number>();
  let isDraining = false;
  const fileOf = (sessionId: Hex): string => join(folder, `${sessionId}.log`);
  const bodiesOf = (sessionId: Hex): string => join(folder, `${sessionId}.bodies`);
  const bodyTurns = createTurns(mostBodies);

  /** The lane, made when the chain has it; one at a time. Throws SESSION_UNKNOWN, MODEL_UNKNOWN or NODE_BUSY. */
  function laneOf(sessionId: Hex): Promise<Lane> {
    const known = lanes.get(sessionId);
    if (known !== undefined) return known;
    if (lanes.size >= mostLanes) return Promise.reject(new NgpuError("NODE_BUSY", { lanes: lanes.size }));
    const opening = openLane(sessionId);
    lanes.set(sessionId, opening);
    opening.catch(() => lanes.delete(sessionId));
    return opening;
  }

  async function openLane(sessionId: Hex): Promise<Lane> {
    const facts = await readFacts({ sessionId, nodeId });
    if (facts === undefined) throw new NgpuError("SESSION_UNKNOWN", { sessionId });
    const isKept = existsSync(fileOf(sessionId));
    // Without its journal nobody knows which numbers of the lane were signed already.
    if (!isKept && facts.seq > 0n) throw new NgpuError("LANE_UNKNOWN", { sessionId, reason: "its journal is missing" });
    if (!isKept && !options.manifests.has(facts.modelId)) throw new NgpuError("MODEL_UNKNOWN", { modelId: facts.modelId });
    const journal = await openAppendLog(fileOf(sessionId));
    try {
      const bodies = createLaneBodies(bodiesOf(sessionId));
      const lane = createLane({ ...options, bodyTurns, sessionId, facts, journal, bodies });
      lane.update(facts);
      return lane;
    } catch (error) {
      await journal.close();
      throw error;
    }
  }

  async function takeKey(wrap: Signed<"keyWrap">): Promise<void> {
    const { taskId: sessionId, assignment, nodeId: named, ephemeralPublicKey, wrappedKey } = wrap.message;
    if (named !== nodeId || assignment !== 0) return;
    try {
      if (isDraining) throw new NgpuError("NODE_DRAINING", { sessionId });
      const facts = await readFacts({ sessionId, nodeId });
      if (facts === undefined) throw new NgpuError("SESSION_UNKNOWN", { sessionId });
      await requireSigner(wrap, facts);
      const lane = await laneOf(sessionId);
      lane.update(facts);
      lane.open(
        unwrapTaskKey({
          nodeSecret: secret,
          ephemeralPublicKey: hexToBytes(ephemeralPublicKey),
          wrappedKey: hexToBytes(wrappedKey),
          target: laneTarget({ sessionId, nodeId }),
        }),
      );
      log.info({ sessionId }, "serving a session");
    } catch (error) {
      log.warn({ err: error, sessionId }, "a session's key was not taken");
      send({ t: "refusal", sessionId, nodeId, requestId: zeroHash, code: codeOf(error) });
    }
  }

  async function requireSigner(wrap: Signed<"keyWrap">, { signers }: LaneFacts): Promise<void> {
    const found = await recoverSigner({ kind: "keyWrap", signed: wrap, context });
    const isTheirs = found !== undefined && signers.some((signer) => isAddressEqual(signer, found));
    if (!isTheirs) throw new NgpuError("AUTH_FORBIDDEN", { part: "lane key" });
  }

  /** Only lanes that are there: a request or voucher opens none. */
  async function withLane(sessionId: Hex, act: (lane: Lane) => Promise<void>, otherwise: () => void): Promise<void> {
    const lane = await lanes.get(sessionId)?.catch(() => undefined);
    if (lane === undefined) return otherwise();
    await act(lane).catch((error: unknown) => log.warn({ err: error, sessionId }, "a frame of a session was not taken"));
  }

  const sweep = createLoop({
    name: "sessions",
    everyMs: sweepEveryMs,
    clock,
    log,
    async pass(signal) {
      const files = readdirSync(folder).map((name) => fileName.exec(name)?.[1] as Hex | undefined);
      for (const sessionId of files) {
        if (signal.aborted) return;
        if (sessionId === undefined) continue;
        await refresh(sessionId).catch((error: unknown) => log.warn({ err: error, sessionId }, "a session is not served"));
      }
    },
  });

  async function refresh(sessionId: Hex): Promise<void> {
    if ((unknown.get(sessionId) ?? -Infinity) > clock.monotonicMs()) return;
    const lane = await laneOf(sessionId).catch((error: unknown) => forgetUnknown(sessionId, error));
    if (lane === undefined) return;
    if (lane.isIdle() && clock.monotonicMs() - (refreshedMs.get(sessionId) ?? -Infinity) < quietSweepMs) return;
    refreshedMs.set(sessionId, clock.monotonicMs());
    const facts = await readFacts({ sessionId, nodeId });
    if (facts === undefined) return;
    lane.update(facts, lane.awaitsFinality() ? await readFinalSeq({ sessionId, nodeId }) : undefined);
    lane.relay(link.connection());
    if (!lane.isOver()) return;
    lanes.delete(sessionId);
    refreshedMs.delete(sessionId);
    await lane.close();
    forget(sessionId);
    log.info({ sessionId }, "a session is over");
  }

  function forget(sessionId: Hex): void {
    rmSync(fileOf(sessionId));
    rmSync(bodiesOf(sessionId), { recursive: true, force: true });
  }

  /**
   * A session that the chain does not know may come with the next blocks, or be of a chain that is gone: it is looked
   * for now and then, and its journal is dropped when nothing was written to it for a day, as receipts of tasks are.
   */
  function forgetUnknown(sessionId: Hex, error: unknown): undefined {
    if (codeOf(error) !== "SESSION_UNKNOWN") throw error;
    const { mtimeMs } = statSync(fileOf(sessionId));
    const isForgotten = clock.nowMs() - mtimeMs > keepUnknownMs;
    if (isForgotten) forget(sessionId);
    if (isForgotten || !unknown.has(sessionId))
      log.warn({ sessionId, isForgotten }, "the chain does not know this session");
    if (isForgotten) unknown.delete(sessionId);
    else unknown.set(sessionId, clock.monotonicMs() + quietSweepMs);
    return undefined;
  }

  return {
    take(frame) {
      if (frame.t === "laneKey") void takeKey(frame.wrap);
      else if (frame.t === "ask") {
        const { sessionId, requestId } = frame;
        const missing = { t: "refusal", sessionId, nodeId, requestId, code: "LANE_KEY_MISSING" } as const;
        void withLane(sessionId, (lane) => lane.ask(frame), () => send(missing));
      } else if (frame.t === "voucher") {
        void withLane(frame.voucher.message.sessionId, (lane) => lane.voucher(frame), () => undefined);
      } else return false;
      return true;
    },
    connected() {
      refreshedMs.clear();
      sweep.trigger();
    },
    async drain(signal) {
      isDraining = true;
      const open = (await Promise.allSettled(lanes.values())).flatMap((opened) =>
        opened.status === "fulfilled" ? [opened.value] : [],
      );
      await Promise.all(open.map((lane) => lane.drain()));
      while (open.length > 0 && !signal.aborted) {
        const connection = link.connection();
        if (connection === 0) return;
        for (const lane of open) lane.repeat();
        if ((await link.answers()) && link.connection() === connection) return;
        await clock.sleep(deliveryPollMs, signal);
      }
    },
    async close() {
      await sweep.stop();
      for (const opening of lanes.values()) await opening.then((lane) => lane.close()).catch(() => undefined);
    },
  };
}
