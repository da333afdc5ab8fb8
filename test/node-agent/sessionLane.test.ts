/** One lane of a session at the node: real keys, seals, signatures and journal; runners in memory that keep to their port. */
import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { createLane, type Lane } from "@ngpu/node-agent/session/lane";
import { createLaneBodies } from "@ngpu/node-agent/session/laneBodies";
import type { LaneFacts } from "@ngpu/node-agent/session/laneFacts";
import type { RunnerPool } from "@ngpu/node-agent/pool/runnerPool";
import { fromBase64, toBase64 } from "@ngpu/protocol/base64";
import { catalogue } from "@ngpu/protocol/catalogue";
import { NgpuError } from "@ngpu/protocol/errors";
import { gatewayLimits } from "@ngpu/protocol/limits";
import { encodePayload } from "@ngpu/protocol/sealed/payload";
import { open, seal } from "@ngpu/protocol/sealed/seal";
import { openAppendLog, type AppendLog } from "@ngpu/protocol/service/appendLog";
import { systemClock } from "@ngpu/protocol/service/clock";
import { createTurns } from "@ngpu/protocol/service/turns";
import { floorRule } from "@ngpu/protocol/session/floorRule";
import type { Log } from "@ngpu/protocol/service/log";
import { packBills, weightOf, type BillRecord } from "@ngpu/protocol/session/packedBills";
import { receiptsRootOf } from "@ngpu/protocol/session/receiptsRoot";
import { inputContext, outputContext, requestKeyOf } from "@ngpu/protocol/session/requestKey";
import { sessionLimits } from "@ngpu/protocol/session/sessionLimits";
import { dueUsd6 } from "@ngpu/protocol/session/sessionMoney";
import { billsHashOf, firstHeadOf, sessionTaskIdOf } from "@ngpu/protocol/session/voucherChain";
import { hashMessage, recoverSigner, signMessage } from "@ngpu/protocol/signed";
import type { Voucher } from "@ngpu/protocol/typedData";
import { decodeFrame, encodeFrame, type Frame, type FrameOf, type FrameType } from "@ngpu/protocol/wire";
import { expect } from "chai";
import { keccak256, toHex, zeroHash, type Hex } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { createBlobsInMemory } from "../harness/blobsInMemory.ts";
import { until } from "../harness/until.ts";
import { testLog } from "../harness/services.ts";
import { photo } from "./support/images.ts";

const nodeId = 7;
const sessionId = keccak256("0x07");
const laneKey = new Uint8Array(32).fill(3);
const operator = privateKeyToAccount(generatePrivateKey());
const payer = privateKeyToAccount(generatePrivateKey());
const context = { chainId: 31_337, verifyingContract: `0x${"11".repeat(20)}` } as const;
const voucherContext = { chainId: 31_337, verifyingContract: `0x${"22".repeat(20)}` } as const;
const priceUsd6PerGcums = 100_000n;
const random = (length: number): Uint8Array => new Uint8Array(randomBytes(length));
const face = catalogue.find(({ manifest }) => manifest.adapter === "face.v1");
if (face === undefined) throw new Error("the catalogue holds no face model");
const { modelId, manifest } = face;
const picture = { name: "face.jpg", mediaType: "image/jpeg", bytes: photo(1) };

describe("lane of a session", () => {
  let folder: string;
  let journal: AppendLog;
  let lane: Lane;
  let sent: Frame[];
  let executions: number;
  /** What the model makes of a picture. */
  let output: string;
  /** At the gateway. */
  let blobs: ReturnType<typeof createBlobsInMemory>;
  let taken: number;
  let durationMs: number;
  /** Codes of what was refused and is only logged. */
  let logged: string[];
  /** What executes waits for it; more than one at a time is not executed. */
  let gate: Promise<void> | undefined;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "ngpu-test-lane-"));
    executions = 0;
    output = '{"images":[]}';
    blobs = createBlobsInMemory();
    taken = 0;
    durationMs = 20;
    gate = undefined;
    await start();
    lane.open(laneKey);
  });
  afterEach(async () => {
    await lane.close();
    rmSync(folder, { recursive: true, force: true });
  });

  function facts(change: Partial<LaneFacts> = {}): LaneFacts {
    return {
      ...{ isServing: true, isOver: false, signers: [payer.address], modelId, priceUsd6PerGcums, powerCu: 1_000 },
      ...{ nowS: 0, closesAtS: 3_600, settleWindowS: 60, isClaimable: true },
      ...{ allotmentUsd6: 10_000_000n, seq: 0n, head: firstHeadOf({ sessionId, nodeId }), weight: 0n },
      ...change,
    };
  }

  /** A new process over the same folder. */
  async function start(change: Partial<LaneFacts> = {}): Promise<void> {
    [sent, logged] = [[], []];
    journal = await openAppendLog(join(folder, "lane.log"));
    const pool: Pick<RunnerPool, "take"> = {
      take: async (signal) => ({
        index: await freeSlot(signal),
        execute: async () => {
          executions += 1;
          await gate;
          return { result: new TextEncoder().encode(output), startMs: 1, durationMs };
        },
        release: () => undefined,
      }),
    };
    lane = createLane({
      ...{ sessionId, nodeId, context, voucherContext, signer: operator, journal, random, blobs },
      bodies: createLaneBodies(bodiesFolder()),
      bodyTurns: createTurns(2),
      facts: facts(change),
      pool: pool as RunnerPool,
      manifests: new Map([[modelId, manifest]]),
      send: (frame) => void sent.push(frame),
      clock: systemClock,
      log: Object.assign(Object.create(testLog), { warn: ({ code }: { code: string }) => logged.push(code) }) as Log,
    });
  }

  /** The first that is held back by the gate has the only slot. */
  async function freeSlot(signal: AbortSignal): Promise<number> {
    taken += 1;
    if (gate === undefined || taken === 1) return 0;
    await new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("no slot")), { once: true }));
    return 0;
  }

  const bodiesFolder = (): string => join(folder, "lane.bodies");
  const bodiesOnDisk = (): string[] => (existsSync(bodiesFolder()) ? readdirSync(bodiesFolder()) : []);

  const framesOf = <T extends FrameType>(type: T): FrameOf<T>[] => sent.filter((frame): frame is FrameOf<T> & Frame => frame.t === type) as FrameOf<T>[];
  const refusals = (): string[] => framesOf("refusal").map(({ code }) => code);

  function aRequest(change: { key?: Uint8Array; images?: number; isLarge?: boolean } = {}): FrameOf<"ask"> {
    const place = { sessionId, nodeId, requestId: toHex(random(32)) };
    const taskKey = requestKeyOf({ ...place, laneKey: change.key ?? laneKey });
    const body = encodePayload({ parameters: { images: change.images ?? 1 }, parts: [picture] });
    const { sealed, commitment, ciphertextHash } = seal({ taskKey, context: inputContext(place), body, random });
    const named = { t: "ask", ...place, inputCommitment: commitment, inputCiphertext: ciphertextHash } as const;
    if (change.isLarge !== true) return { ...named, sealed: toBase64(sealed) };
    blobs.held.set(ciphertextHash, sealed);
    return { ...named, sealed: "" };
  }

  /** The voucher that a payer signs for the answers so far, unless told otherwise. */
  async function aVoucher(change: { records?: BillRecord[]; message?: Partial<Voucher>; by?: typeof payer } = {}): Promise<FrameOf<"voucher">> {
    const answers = framesOf("answer");
    const records = change.records ?? answers.map(({ receipt }): BillRecord => ({ kind: "execution", ms: receipt.message.durationMs }));
    const bills = packBills(records);
    const message = {
      ...{ sessionId, nodeId, seq: BigInt(records.length), prevHead: firstHeadOf({ sessionId, nodeId }), billsHash: billsHashOf(bills) },
      receiptsRoot: receiptsRootOf(answers.map(({ receipt }) => hashMessage("receipt", receipt.message, context))),
      cumulativeUsd6: dueUsd6({ weight: weightOf(records), powerCu: 1_000, priceUsd6PerGcums }),
      ...change.message,
    };
    const voucher = await signMessage({ kind: "voucher", message, context: voucherContext, signer: change.by ?? payer });
    return { t: "voucher", voucher, bills };
  }

  it("answers each request once with a numbered, signed receipt over an output that the client can open", async () => {
    const asks = [aRequest(), aRequest()];
    for (const ask of asks) await lane.ask(ask);
    const answers = framesOf("answer");
    expect(answers.map(({ seq }) => seq)).to.deep.equal([1n, 2n]);
    for (const [index, { receipt, sealed, seq }] of answers.entries()) {
      const ask = asks[index];
      if (ask === undefined) throw new Error("an answer too many");
      expect(await recoverSigner({ kind: "receipt", signed: receipt, context })).to.equal(operator.address);
      expect(receipt.message).to.include({ taskId: sessionTaskIdOf({ sessionId, nodeId, seq }), inputCommitment: ask.inputCommitment });
      const place = { sessionId, nodeId, requestId: ask.requestId };
      const taskKey = requestKeyOf({ ...place, laneKey });
      const { outputCommitment: commitment, outputCiphertext } = receipt.message;
      expect(keccak256(fromBase64(sealed))).to.equal(outputCiphertext);
      const opened = open({ taskKey, context: outputContext(place), sealed: fromBase64(sealed), commitment });
      expect(new TextDecoder().decode(opened)).to.contain('{"images":[]}');
    }
  });

  it("executes nothing twice, and repeats the same bytes after a crash until a voucher covers them", async () => {
    const ask = aRequest();
    await Promise.all([lane.ask(ask), lane.ask(ask)]);
    await lane.ask(ask);
    const [first, ...repeated] = framesOf("answer");
    expect(executions).to.equal(1);
    expect(repeated.every((answer) => answer.receipt.signature === first?.receipt.signature)).to.equal(true);

    await lane.close();
    await start();
    lane.open(laneKey);
    expect(framesOf("answer")).to.deep.equal([first]);
    await lane.ask(aRequest());
    expect(framesOf("answer").map(({ seq }) => seq), "numbers go on").to.deep.equal([1n, 2n]);
    await lane.voucher(await aVoucher());
    await lane.close();
    await start();
    lane.open(laneKey);
    expect(framesOf("answer"), "what is signed for is not repeated").to.deep.equal([]);
    await lane.ask(ask);
    expect(executions, "nor executed again").to.equal(2);
  });

  it("takes the voucher that covers its receipts, relays it until it is settled, and no other", async () => {
    await lane.ask(aRequest());
    await lane.ask(aRequest());
    const wrong = [
      await aVoucher({ by: operator }),
      await aVoucher({ message: { cumulativeUsd6: 1n } }),
      await aVoucher({ message: { receiptsRoot: sessionId } }),
      await aVoucher({ message: { prevHead: sessionId } }),
      await aVoucher({ message: { seq: 3n } }),
      await aVoucher({ records: [20, 19].map((ms) => ({ kind: "execution", ms })) }),
      await aVoucher({ records: [20, 21].map((ms) => ({ kind: "standby", ms })) }),
      { ...(await aVoucher()), bills: packBills([{ kind: "execution", ms: 40 }]) },
    ];
    for (const voucher of wrong) await lane.voucher(voucher);
    expect(framesOf("voucherTaken")).to.deep.equal([]);
    expect(logged).to.deep.equal(["AUTH_FORBIDDEN", ...wrong.slice(1).map(() => "VOUCHER_MISFIT")]);
    expect(framesOf("voucher")).to.deep.equal([]);

    const right = await aVoucher();
    await lane.voucher(right);
    await lane.voucher(right);
    expect(framesOf("voucherTaken").map(({ seq }) => seq)).to.deep.equal([2n, 2n]);
    expect(framesOf("voucher")).to.deep.equal([right]);
    lane.relay(1);
    expect(framesOf("voucher").length, "until it is settled").to.equal(2);
    lane.update(facts({ seq: 2n }), 0n);
    lane.relay(1);
    expect(framesOf("voucher").length).to.equal(2);
    lane.update(facts(), 0n);
    lane.relay(1);
    expect(framesOf("voucher").length, "again where the chain takes the settlement back").to.equal(3);
    lane.update(facts({ seq: 2n }), 2n);
    expect(lane.awaitsFinality(), "no more once that is final").to.equal(false);
  });

  it("works one credit window ahead of vouchers, and goes on once they come", async () => {
    await lane.close();
    // So slow a node may bill 19,250 ms for one picture: three of them fit the window of 60,000 ms.
    await start({ powerCu: 10 });
    lane.open(laneKey);
    durationMs = 19_250;
    for (let count = 0; count < 4; count += 1) await lane.ask(aRequest());
    expect(framesOf("answer").length).to.equal(3);
    expect(refusals()).to.deep.equal(["SESSION_UNSIGNED"]);
    const cumulativeUsd6 = dueUsd6({ weight: 3n * 19_250n * 10_000n, powerCu: 10, priceUsd6PerGcums });
    await lane.voucher(await aVoucher({ message: { cumulativeUsd6 } }));
    await lane.ask(aRequest());
    expect(framesOf("answer").length).to.equal(4);
  });

  it("leaves no more receipts unsigned than one claim on its floor can show, however short their work", async () => {
    durationMs = 1;
    for (let count = 0; count <= sessionLimits.maxClaimReceipts; count += 1) await lane.ask(aRequest());
    expect(framesOf("answer").length).to.equal(sessionLimits.maxClaimReceipts);
    expect(refusals()).to.deep.equal(["SESSION_UNSIGNED"]);
    await lane.voucher(await aVoucher());
    await lane.ask(aRequest());
    expect(framesOf("answer").length).to.equal(sessionLimits.maxClaimReceipts + 1);
  });

  it("counts work that was written down as standby as unsigned once it is too much of all", async () => {
    await lane.close();
    await start({ powerCu: 10 });
    lane.open(laneKey);
    durationMs = 19_250;
    for (let count = 0; count < 3; count += 1) await lane.ask(aRequest());
    const records: BillRecord[] = Array.from({ length: 3 }, () => ({ kind: "standby", ms: 19_250 }));
    const cumulativeUsd6 = dueUsd6({ weight: weightOf(records), powerCu: 10, priceUsd6PerGcums });
    await lane.voucher(await aVoucher({ records, message: { cumulativeUsd6 } }));
    expect(framesOf("voucherTaken").length).to.equal(1);
    await lane.ask(aRequest());
    expect(refusals()).to.deep.equal(["SESSION_UNSIGNED"]);
  });

  it("takes nothing new once it drains: ends what executes, refuses what waits with a code, and takes vouchers", async () => {
    const begun = Promise.withResolvers<void>();
    gate = begun.promise;
    const asks = [aRequest(), aRequest()];
    const asked = asks.map((ask) => lane.ask(ask));
    await until("one executes", () => executions === 1);
    const drained = lane.drain();
    await lane.ask(aRequest());
    begun.resolve();
    await Promise.all([drained, ...asked]);
    expect(refusals()).to.deep.equal(["NODE_DRAINING", "NODE_DRAINING"]);
    expect(framesOf("answer").length).to.equal(1);
    lane.repeat();
    expect(framesOf("answer").length, "told again until it surely arrived").to.equal(2);
    sent = sent.filter(({ t }) => t !== "answer").concat(framesOf("answer").slice(0, 1));
    await lane.voucher(await aVoucher());
    expect(framesOf("voucherTaken").map(({ seq }) => seq)).to.deep.equal([1n]);
  });

  it("shows its receipts once the payer withholds, in a frame that a gateway takes, and no more once it signed", async () => {
    durationMs = 900;
    for (let count = 0; count < sessionLimits.maxClaimReceipts; count += 1) await lane.ask(aRequest());
    const claimsAt = (change: Partial<LaneFacts>): number => {
      const before = framesOf("claim").length;
      lane.update(facts(change));
      lane.relay(1);
      return framesOf("claim").length - before;
    };
    expect(claimsAt({ nowS: floorRule.claimAfterS }), "a client has time to come back").to.equal(0);
    expect(claimsAt({ nowS: floorRule.claimAfterS + 1, isClaimable: false }), "once a lane").to.equal(0);
    expect(claimsAt({ nowS: 100, closesAtS: 69 }), "a session that ended a moment ago").to.equal(1);
    expect(claimsAt({ nowS: 130, closesAtS: 69 }), "one that takes no voucher any more").to.equal(0);
    expect(claimsAt({ nowS: floorRule.claimAfterS + 1 })).to.equal(1);
    const [claim] = framesOf("claim");
    if (claim === undefined) throw new Error("there is no claim");
    expect(claim).to.include({ sessionId, nodeId, seq: 1n });
    expect(claim.receipts).to.deep.equal(framesOf("answer").map(({ receipt }) => receipt));
    const largest = claim.receipts.map(({ message, signature }) => ({
      message: { ...message, startMs: 2n ** 48n, durationMs: 2 ** 31, nodeId: 2 ** 32 - 1, powerCu: 2 ** 32 - 1 },
      signature,
    }));
    expect(encodeFrame({ ...claim, receipts: largest }).length).to.be.lessThan(gatewayLimits.maxFrameBytes);
    expect(decodeFrame(encodeFrame(claim))).to.deep.equal(claim);
    await lane.voucher(await aVoucher());
    expect(claimsAt({ nowS: 2_000 })).to.equal(0);
  });

  it("repeats once a connection what no voucher covers of a lane whose key nobody hands over any more", async () => {
    await lane.ask(aRequest());
    await lane.close();
    await start({ isServing: false });
    for (const connection of [1, 1, 2]) lane.relay(connection);
    expect(framesOf("answer").map(({ seq }) => seq)).to.deep.equal([1n, 1n]);
  });

  it("gives no number to what it refuses: no lane, no key, another key, false dimensions, an allotment that is spent", async () => {
    lane.update(facts({ isServing: false }));
    await lane.ask(aRequest());
    lane.update(facts({ allotmentUsd6: 18n }));
    await lane.ask(aRequest());
    lane.update(facts());
    await lane.ask(aRequest({ key: new Uint8Array(32) }));
    await lane.ask(aRequest({ images: 0 }));
    await lane.close();
    const before = refusals();
    await start();
    await lane.ask(aRequest());
    expect([...before, ...refusals()]).to.deep.equal(["LANE_UNKNOWN", "SESSION_SPENT", "SEAL_BROKEN", "INPUT_DIMENSIONS", "LANE_KEY_MISSING"]);
    expect(executions).to.equal(0);
    lane.open(laneKey);
    await lane.ask(aRequest());
    expect(framesOf("answer").map(({ seq }) => seq)).to.deep.equal([1n]);
  });

  it("takes a request that is too large for a frame from the gateway, and says so where it is not there", async () => {
    const [there, gone] = [aRequest({ isLarge: true }), aRequest({ isLarge: true })];
    blobs.held.delete(gone.inputCiphertext);
    await Promise.all([lane.ask(there), lane.ask(gone)]);
    expect(framesOf("answer").map(({ receipt }) => receipt.message.inputCommitment)).to.deep.equal([there.inputCommitment]);
    expect(refusals()).to.deep.equal(["BLOB_UNKNOWN"]);
    const other = aRequest({ isLarge: true });
    blobs.held.set(gone.inputCiphertext, blobs.held.get(other.inputCiphertext) ?? new Uint8Array());
    await lane.ask(gone);
    expect(refusals(), "another body under its hash opens to nothing").to.deep.equal(["BLOB_UNKNOWN", "SEAL_BROKEN"]);
    expect(executions).to.equal(1);
  });

  it("holds no more large requests in memory at once than it has turns for", async () => {
    const begun = Promise.withResolvers<void>();
    gate = begun.promise;
    const fetched: Hex[] = [];
    const { get } = blobs;
    blobs.get = (blob) => (fetched.push(blob.hash), get(blob));
    const asks = Array.from({ length: 4 }, () => aRequest({ isLarge: true }));
    const asked = asks.map((ask) => lane.ask(ask));
    await until("one executes", () => executions === 1);
    expect(fetched).to.deep.equal(asks.slice(0, 2).map(({ inputCiphertext }) => inputCiphertext));
    const drained = lane.drain();
    begun.resolve();
    await Promise.all([drained, ...asked]);
    expect(fetched.length, "those that waited were never fetched").to.equal(2);
    expect(refusals()).to.deep.equal(["NODE_DRAINING", "NODE_DRAINING", "NODE_DRAINING"]);
  });

  it("leaves a large answer at the gateway before it names it, again after a crash, and drops it once it is signed for", async () => {
    output = JSON.stringify({ images: [], notes: "x".repeat(gatewayLimits.maxInlineBase64) });
    const ask = aRequest();
    await lane.ask(ask);
    await until("it is told", () => framesOf("answer").length === 1);
    const [told] = framesOf("answer");
    const hash = told?.receipt.message.outputCiphertext ?? "0x";
    expect([told?.sealed, blobs.puts, bodiesOnDisk()]).to.deep.equal(["", [hash], [hash]]);
    const place = { sessionId, nodeId, requestId: ask.requestId };
    const sealed = blobs.held.get(hash) ?? new Uint8Array();
    const commitment = told?.receipt.message.outputCommitment ?? "0x";
    const opened = open({ taskKey: requestKeyOf({ ...place, laneKey }), context: outputContext(place), sealed, commitment });
    expect(new TextDecoder().decode(opened)).to.contain("xxx");

    await lane.close();
    // The gateway was restarted too, and a crash left a body that no answer names.
    blobs.held.clear();
    writeFileSync(join(bodiesFolder(), zeroHash), "");
    await start();
    expect(bodiesOnDisk()).to.deep.equal([hash]);
    lane.open(laneKey);
    await until("it is told again", () => framesOf("answer").length === 1);
    expect(framesOf("answer")).to.deep.equal([told]);
    expect(keccak256(blobs.held.get(hash) ?? new Uint8Array())).to.equal(hash);
    await lane.voucher(await aVoucher());
    expect(bodiesOnDisk()).to.deep.equal([]);
  });

  it("tells no large answer that the gateway does not take yet, and tries again", async () => {
    output = "y".repeat(gatewayLimits.maxInlineBase64);
    const { put } = blobs;
    let tries = 0;
    blobs.put = async (blob) => {
      if (++tries === 1) throw new NgpuError("STORE_FULL");
      return put(blob);
    };
    await lane.ask(aRequest());
    await until("it was refused", () => tries === 1);
    expect(framesOf("answer")).to.deep.equal([]);
    await until("it is told", () => framesOf("answer").length === 1);
    expect(tries).to.equal(2);
  });
});
