/**
 * All lanes of a node: what its stop does to them, what they cost the chain while nothing happens, and what becomes of
 * them when the chain begins anew. Real keys, seals and journals; the chain and the runners are in memory, and time
 * passes as fast as it is waited for.
 */
import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { setImmediate } from "node:timers/promises";
import type { RunnerPool } from "@ngpu/node-agent/pool/runnerPool";
import { createSessionDesk, type SessionDesk } from "@ngpu/node-agent/session/sessionDesk";
import { toBase64 } from "@ngpu/protocol/base64";
import { catalogue } from "@ngpu/protocol/catalogue";
import { deploymentOf } from "@ngpu/protocol/deployment";
import { encodePayload } from "@ngpu/protocol/sealed/payload";
import { seal } from "@ngpu/protocol/sealed/seal";
import { transportPublicKey, wrapTaskKey } from "@ngpu/protocol/sealed/wrap";
import type { Clock } from "@ngpu/protocol/service/clock";
import { inputContext, laneTarget, requestKeyOf } from "@ngpu/protocol/session/requestKey";
import { floorState, laneState, sessionState } from "@ngpu/protocol/session/sessionStates";
import { firstHeadOf } from "@ngpu/protocol/session/voucherChain";
import { signMessage } from "@ngpu/protocol/signed";
import type { Frame, FrameOf } from "@ngpu/protocol/wire";
import { expect } from "chai";
import { keccak256, toHex, zeroAddress, type PublicClient } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { testLog } from "../harness/services.ts";
import { createBlobsInMemory } from "../harness/blobsInMemory.ts";
import { until } from "../harness/until.ts";
import { photo } from "./support/images.ts";

const nodeId = 7;
const sessionId = keccak256("0x07");
const place = { sessionId, nodeId };
const laneKey = new Uint8Array(32).fill(3);
const operator = privateKeyToAccount(generatePrivateKey());
const payer = privateKeyToAccount(generatePrivateKey());
const context = { chainId: 31_337, verifyingContract: `0x${"11".repeat(20)}` } as const;
const random = (length: number): Uint8Array => new Uint8Array(randomBytes(length));
const secret = random(32);
const minuteMs = 60_000;
const face = catalogue.find(({ manifest }) => manifest.adapter === "face.v1");
if (face === undefined) throw new Error("the catalogue holds no face model");
const { modelId, manifest } = face;

describe("sessions of a node", () => {
  let folder: string;
  let desk: SessionDesk;
  let sent: Frame[];
  let nowMs: number;
  /** Reads of the lane. */
  let reads: number;
  let isKnown: boolean;
  let line: { connection: number; answers: boolean };
  let gate: PromiseWithResolvers<void>;
  let executions: number;

  const clock: Clock = {
    nowMs: () => nowMs,
    monotonicMs: () => nowMs,
    async sleep(ms, signal) {
      await setImmediate();
      if (signal?.aborted !== true) nowMs += ms;
    },
  };
  const client = {
    getBlock: async () => ({ timestamp: 1_000n, number: 100n }),
    async readContract({ functionName }: { functionName: string }) {
      if (functionName === "settleWindow") return 60;
      const terms = { state: isKnown ? sessionState.open : sessionState.none, closesAt: 5_000, priceUsd6PerGcums: 1n };
      if (functionName === "session")
        return { terms: { ...terms, signer: payer.address }, formerSigner: zeroAddress, formerUntil: 0, modelId };
      reads += 1;
      const money = { powerCu: 1_000, allotmentUsd6: 10_000_000n, seq: 0, weight: 0n };
      const state = isKnown ? laneState.active : laneState.none;
      return { money, head: firstHeadOf(place), state, floor: floorState.unclaimed };
    },
  };

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "ngpu-test-sessions-"));
    [nowMs, reads, executions, isKnown, line] = [Date.now(), 0, 0, true, { connection: 1, answers: true }];
    gate = Promise.withResolvers();
    start();
  });
  afterEach(async () => {
    gate.resolve();
    await desk.close();
    rmSync(folder, { recursive: true, force: true });
  });

  function start(): void {
    sent = [];
    const pool: Pick<RunnerPool, "take"> = {
      take: async () => ({
        index: 0,
        execute: async () => {
          executions += 1;
          await gate.promise;
          return { result: new TextEncoder().encode("{}"), startMs: nowMs, durationMs: 10 };
        },
        release: () => undefined,
      }),
    };
    desk = createSessionDesk({
      ...{ nodeId, secret, context, clock, random, signer: operator, dataDir: folder, log: testLog },
      voucherContext: { ...context, verifyingContract: `0x${"22".repeat(20)}` },
      pool: pool as RunnerPool,
      manifests: new Map([[modelId, manifest]]),
      send: (frame) => void sent.push(frame),
      blobs: createBlobsInMemory(),
      client: client as unknown as PublicClient,
      chain: { finalBlock: async () => 0n },
      deployment: { ...deploymentOf(31_337), deploymentBlock: 1 },
      link: { connection: () => line.connection, answers: async () => line.answers },
    });
  }

  const kept = (): boolean => existsSync(join(folder, "sessions", `${sessionId}.log`));
  const typesOf = (...types: Frame["t"][]): string[] => sent.map(({ t }) => t).filter((t) => types.includes(t));
  const refusals = (): string[] => sent.flatMap((frame) => (frame.t === "refusal" ? [frame.code] : []));

  async function handKey(): Promise<void> {
    const nodePublicKey = transportPublicKey(secret);
    const wrapped = wrapTaskKey({ taskKey: laneKey, nodePublicKey, target: laneTarget(place), random });
    const message = {
      ...laneTarget(place),
      ephemeralPublicKey: toHex(wrapped.ephemeralPublicKey),
      wrappedKey: toHex(wrapped.wrappedKey),
    };
    desk.take({ t: "laneKey", wrap: await signMessage({ kind: "keyWrap", message, context, signer: payer }) });
  }

  function anAsk(): FrameOf<"ask"> {
    const at = { ...place, requestId: toHex(random(32)) };
    const picture = { name: "face.jpg", mediaType: "image/jpeg", bytes: photo(1) };
    const body = encodePayload({ parameters: { images: 1 }, parts: [picture] });
    const taskKey = requestKeyOf({ ...at, laneKey });
    const { sealed, commitment, ciphertextHash } = seal({ taskKey, context: inputContext(at), body, random });
    return { t: "ask", ...at, inputCommitment: commitment, inputCiphertext: ciphertextHash, sealed: toBase64(sealed) };
  }

  async function serving(): Promise<void> {
    await handKey();
    await until("the lane is ready", () => typesOf("laneReady").length === 1);
  }

  /** Time runs fast: resolves with how much has passed, which is no less than asked for. */
  async function after(ms: number): Promise<number> {
    const fromMs = nowMs;
    await until("time has passed", () => nowMs >= fromMs + ms);
    return nowMs - fromMs;
  }

  it("end what executes when the node stops, and are over when the gateway surely has the answers", async () => {
    await serving();
    desk.take(anAsk());
    await until("it executes", () => executions === 1);
    line.answers = false;
    let isOver = false;
    const drained = desk.drain(new AbortController().signal).then(() => void (isOver = true));
    desk.take(anAsk());
    await handKey();
    await until("the new ones are refused", () => refusals().length === 2);
    expect(refusals()).to.deep.equal(["NODE_DRAINING", "NODE_DRAINING"]);
    gate.resolve();
    await until("the answer is told again and again", () => typesOf("answer").length > 2);
    expect(isOver, "nobody said that it arrived").to.equal(false);
    line = { connection: 2, answers: true };
    await drained;
    expect(executions).to.equal(1);
    expect(kept(), "the journal stays until the chain has settled").to.equal(true);
  });

  it("wait for no gateway that is not there, and for no answer beyond the node's patience", async () => {
    await serving();
    line.answers = false;
    const patience = new AbortController();
    const drained = desk.drain(patience.signal);
    patience.abort();
    await drained;
    line.connection = 0;
    await desk.drain(new AbortController().signal);
  });

  it("ask the chain once a minute while nothing happens, and every few seconds while something waits", async () => {
    await serving();
    await after(2 * minuteMs);
    reads = 0;
    const quietMs = await after(10 * minuteMs);
    const [most, least] = [quietMs / minuteMs + 1, (quietMs / minuteMs) * 0.8];
    expect(reads).to.be.within(least, most);
    gate.resolve();
    desk.take(anAsk());
    await until("it is answered", () => typesOf("answer").length === 1);
    reads = 0;
    const waitingMs = await after(minuteMs);
    expect(reads, "its receipt is not signed for").to.be.within((waitingMs / 5_000) * 0.8, waitingMs / 5_000 + 1);
  });

  it("are dropped when the chain does not know them any more, with their journals a day later", async () => {
    await serving();
    gate.resolve();
    desk.take(anAsk());
    await until("it is answered", () => typesOf("answer").length === 1);
    await desk.close();
    isKnown = false;
    start();
    desk.connected();
    await after(10 * minuteMs);
    expect(typesOf("answer", "voucher", "claim", "laneReady")).to.deep.equal([]);
    desk.take(anAsk());
    await until("nothing is served", () => refusals().length > 0);
    expect(refusals()).to.deep.equal(["LANE_KEY_MISSING"]);
    expect(kept(), "blocks may come back").to.equal(true);
    nowMs += 24 * 60 * minuteMs;
    await until("its journal is dropped", () => !kept());
  });
});
