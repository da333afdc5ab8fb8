/** The session rail as both sides compute it: what a payer's client takes, refuses and signs, and what travels. */
import { describe, it } from "node:test";
import { fromBase64, toBase64 } from "@ngpu/protocol/base64";
import { gatewayLimits } from "@ngpu/protocol/limits";
import { decodeLedgerEntry } from "@ngpu/protocol/session/ledgerEntry";
import { unpackBills } from "@ngpu/protocol/session/packedBills";
import { receiptsRootOf } from "@ngpu/protocol/session/receiptsRoot";
import { laneKeyOf, requestKeyOf } from "@ngpu/protocol/session/requestKey";
import { firstHeadOf, sessionTaskIdOf } from "@ngpu/protocol/session/voucherChain";
import { createVoucherLedger, type JudgedAnswer, type VoucherLedger } from "@ngpu/protocol/session/voucherLedger";
import { signMessage } from "@ngpu/protocol/signed";
import type { Receipt } from "@ngpu/protocol/typedData";
import { capMs } from "@ngpu/protocol/units";
import { decodeFrame, encodeFrame, type Frame } from "@ngpu/protocol/wire";
import { expect } from "chai";
import { keccak256, stringToHex, toHex, zeroHash, type Hex } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { codeThrownBy } from "../harness/codeThrownBy.ts";

const sessionId = keccak256("0x01");
const modelId = keccak256("0x02");
const operator = `0x${"bb".repeat(20)}` as const;
const powerCu = 1_000;
const workCums = 40_000n;
const cap = capMs({ workCums, powerCu });
const priceUsd6PerGcums = 100_000n;

function aLedger(change: { spendCapUsd6?: bigint } = {}): VoucherLedger {
  const ledger = createVoucherLedger({ sessionId, modelId, priceUsd6PerGcums, spendCapUsd6: 10n ** 9n, ...change });
  for (const nodeId of [1, 2]) {
    ledger.apply({ t: "lane", nodeId, powerCu, seq: 0n, head: firstHeadOf({ sessionId, nodeId }), weight: 0n });
  }
  return ledger;
}

/** Asks one node one request and returns the input commitment of it. */
function ask(ledger: VoucherLedger, nodeId: number, request: number): Hex {
  const inputCommitment = keccak256(stringToHex(`${nodeId}-${request}`));
  ledger.apply({ t: "asked", requestId: toHex(request, { size: 32 }), nodeId, inputCommitment, workCums });
  return inputCommitment;
}

function anAnswer(given: {
  nodeId?: number;
  seq?: bigint;
  inputCommitment: Hex;
  receipt?: Partial<Receipt>;
  facts?: Partial<JudgedAnswer>;
}): JudgedAnswer {
  const { nodeId = 1, seq = 1n, inputCommitment, facts = {} } = given;
  const receipt: Receipt = {
    ...{ taskId: sessionTaskIdOf({ sessionId, nodeId, seq }), assignment: 0, attempt: 0, nodeId, modelId },
    ...{ inputCommitment, outputCommitment: zeroHash, outputCiphertext: zeroHash, slot: 0, powerCu },
    ...{ startMs: 1n, durationMs: 20, status: 0 },
    ...given.receipt,
  };
  const proven = { receiptHash: keccak256(toHex(seq)), signer: operator, operator, isOutputProven: true };
  return { nodeId, seq, receipt, outputCiphertext: zeroHash, ...proven, ...facts };
}

/** The code of a verdict, after its entry was applied. */
function judged(ledger: VoucherLedger, answer: JudgedAnswer): string {
  const verdict = ledger.judge(answer);
  if (verdict.kind === "refuse") return verdict.code;
  ledger.apply(verdict.entry);
  if (verdict.kind === "halt") return `halted ${verdict.entry.code}`;
  return verdict.code ?? "paid";
}

describe("voucher ledger", () => {
  it("signs the sum of what was executed, each voucher following the one before", () => {
    const ledger = aLedger();
    for (const seq of [1n, 2n]) {
      expect(judged(ledger, anAnswer({ seq, inputCommitment: ask(ledger, 1, Number(seq)) }))).to.equal("paid");
    }
    const first = ledger.draw(1);
    if (first === undefined) throw new Error("nothing was drawn");
    expect(first.message).to.include({ nodeId: 1, seq: 2n, cumulativeUsd6: 4n, prevHead: firstHeadOf({ sessionId, nodeId: 1 }) });
    ledger.apply(first);
    expect(ledger.draw(1), "nothing is owed twice").to.equal(undefined);
    expect(judged(ledger, anAnswer({ seq: 3n, inputCommitment: ask(ledger, 1, 3) }))).to.equal("paid");
    const second = ledger.draw(1);
    expect(second?.message).to.include({ seq: 3n, cumulativeUsd6: 6n });
    expect(codeThrownBy(() => ledger.apply(first)), "an old voucher").to.equal("INTERNAL");
  });

  it("pays a request that ran on two nodes once, and the other node for standing by", () => {
    const ledger = aLedger();
    const [onOne, onTwo] = [ask(ledger, 1, 7), ask(ledger, 2, 7)];
    expect(judged(ledger, anAnswer({ nodeId: 2, inputCommitment: onTwo }))).to.equal("paid");
    expect(judged(ledger, anAnswer({ nodeId: 1, inputCommitment: onOne }))).to.equal("REQUEST_PAID");
    expect(unpackBills(ledger.draw(2)?.bills ?? "0x")).to.deep.equal([{ kind: "execution", ms: 20 }]);
    expect(unpackBills(ledger.draw(1)?.bills ?? "0x")).to.deep.equal([{ kind: "standby", ms: 20 }]);
  });

  it("pays nothing for a request that the node was not asked, or has answered before", () => {
    const ledger = aLedger();
    const inputCommitment = ask(ledger, 1, 1);
    expect(judged(ledger, anAnswer({ inputCommitment }))).to.equal("paid");
    expect(judged(ledger, anAnswer({ seq: 2n, inputCommitment }))).to.equal("REQUEST_UNKNOWN");
    expect(unpackBills(ledger.draw(1)?.bills ?? "0x")[1]).to.deep.equal({ kind: "standby", ms: 0 });
  });

  it("refuses numbers that are repeated or leave a gap, and what somebody on the way made up", () => {
    const ledger = aLedger();
    const inputCommitment = ask(ledger, 1, 1);
    const other = `0x${"cc".repeat(20)}` as const;
    expect(judged(ledger, anAnswer({ seq: 2n, inputCommitment }))).to.equal("RECEIPT_GAP");
    expect(judged(ledger, anAnswer({ inputCommitment, facts: { signer: other } }))).to.equal("AUTH_FORBIDDEN");
    expect(judged(ledger, anAnswer({ inputCommitment, facts: { signer: undefined } }))).to.equal("AUTH_FORBIDDEN");
    expect(judged(ledger, anAnswer({ inputCommitment, facts: { seq: 2n } }))).to.equal("RECEIPT_MISFIT");
    expect(judged(ledger, anAnswer({ inputCommitment, facts: { outputCiphertext: modelId } }))).to.equal("BLOB_MISMATCH");
    expect(judged(ledger, anAnswer({ nodeId: 3, inputCommitment }))).to.equal("LANE_UNKNOWN");
    expect(judged(ledger, anAnswer({ inputCommitment })), "none of it cost the lane anything").to.equal("paid");
    expect(judged(ledger, anAnswer({ inputCommitment }))).to.equal("RECEIPT_REPEATED");
  });

  it("takes a receipt at its work cap, and nothing more from a node that signed above it", () => {
    const atCap = aLedger();
    expect(judged(atCap, anAnswer({ inputCommitment: ask(atCap, 1, 1), receipt: { durationMs: cap } }))).to.equal("paid");
    const above = aLedger();
    const receipt = { durationMs: cap + 1 };
    expect(judged(above, anAnswer({ inputCommitment: ask(above, 1, 1), receipt }))).to.equal("halted RECEIPT_ABOVE_CAP");
    expect(judged(above, anAnswer({ inputCommitment: ask(above, 1, 2) }))).to.equal("LANE_UNKNOWN");
    expect(above.draw(1), "nothing is signed for it").to.equal(undefined);
  });

  it("stops paying a node that signed another model, power, node, status or output than was agreed", () => {
    const misfits: Partial<Receipt>[] = [
      { modelId: zeroHash },
      { powerCu: powerCu + 1 },
      { nodeId: 2 },
      { status: 2 },
      { assignment: 1 },
      { attempt: 1 },
    ];
    for (const receipt of misfits) {
      const ledger = aLedger();
      const code = judged(ledger, anAnswer({ inputCommitment: ask(ledger, 1, 1), receipt }));
      expect(code, Object.keys(receipt).join()).to.equal("halted RECEIPT_MISFIT");
    }
    const ledger = aLedger();
    const unproven = anAnswer({ inputCommitment: ask(ledger, 1, 1), facts: { isOutputProven: false } });
    expect(judged(ledger, unproven)).to.equal("halted COMMITMENT_MISMATCH");
  });

  it("signs no more than the session may cost, all lanes together", () => {
    const ledger = aLedger({ spendCapUsd6: 3n });
    for (const nodeId of [1, 2]) judged(ledger, anAnswer({ nodeId, inputCommitment: ask(ledger, nodeId, nodeId) }));
    const first = ledger.draw(1);
    if (first === undefined) throw new Error("nothing was drawn");
    ledger.apply(first);
    expect(codeThrownBy(() => ledger.draw(2))).to.equal("SESSION_SPENT");
  });

  it("signs nothing from a journal that cannot be read or contradicts itself", () => {
    for (const line of ["", "{", '{"t":"record"}', '{"t":"voucher","message":{}}', '{"t":"lane","nodeId":-1}']) {
      expect(codeThrownBy(() => decodeLedgerEntry(line)), line).to.equal("INTERNAL");
    }
    const ledger = aLedger();
    const record = { t: "record", nodeId: 1, inputCommitment: zeroHash, kind: "execution", ms: 1, receiptHash: zeroHash } as const;
    expect(codeThrownBy(() => ledger.apply({ ...record, seq: 2n }))).to.equal("INTERNAL");
    expect(codeThrownBy(() => ledger.apply({ ...record, nodeId: 9, seq: 1n }))).to.equal("INTERNAL");
  });
});

describe("root over receipts", () => {
  it("depends on every receipt and on their order, and no inner node passes for a receipt", () => {
    const hashes = Array.from({ length: 5 }, (_, index) => keccak256(toHex(index)));
    const roots = new Set([
      receiptsRootOf(hashes),
      receiptsRootOf(hashes.toReversed()),
      ...hashes.map((_, left) => receiptsRootOf(hashes.filter((__, index) => index !== left))),
      ...hashes.map((_, changed) => receiptsRootOf(hashes.with(changed, zeroHash))),
      receiptsRootOf([receiptsRootOf(hashes.slice(0, 2)), receiptsRootOf(hashes.slice(2))]),
    ]);
    expect(roots.size).to.equal(13);
    expect(receiptsRootOf([])).to.equal(zeroHash);
  });
});

describe("keys of a session", () => {
  it("differ by session, node and request, and come again from the voucher key alone", () => {
    const signerKey = keccak256("0x05");
    const place = { signerKey, sessionId, nodeId: 1 };
    const laneKey = laneKeyOf(place);
    expect(laneKeyOf({ ...place })).to.deep.equal(laneKey);
    const request = { laneKey, sessionId, nodeId: 1, requestId: modelId };
    const keys = [
      laneKey,
      laneKeyOf({ ...place, nodeId: 2 }),
      laneKeyOf({ ...place, sessionId: modelId }),
      laneKeyOf({ ...place, signerKey: modelId }),
      requestKeyOf(request),
      requestKeyOf({ ...request, requestId: sessionId }),
      requestKeyOf({ ...request, nodeId: 2 }),
    ];
    expect(new Set(keys.map((key) => toHex(key))).size).to.equal(keys.length);
  });
});

describe("frames of a session", () => {
  const signer = privateKeyToAccount(`0x${"11".repeat(32)}`);
  const context = { chainId: 31_337, verifyingContract: operator };

  it("come out as they went in", async () => {
    const message = anAnswer({ inputCommitment: zeroHash }).receipt;
    const receipt = await signMessage({ kind: "receipt", message, context, signer });
    const voucher = await signMessage({
      kind: "voucher",
      message: { ...{ sessionId, nodeId: 1, seq: 2n ** 60n, cumulativeUsd6: 2n ** 100n }, prevHead: zeroHash, billsHash: zeroHash, receiptsRoot: zeroHash },
      context,
      signer,
    });
    const place = { sessionId, nodeId: 1 };
    const bytes = Uint8Array.from({ length: 1_000 }, (_, index) => (index * 7) & 0xff);
    const frames: Frame[] = [
      { t: "ask", ...place, requestId: modelId, inputCommitment: zeroHash, inputCiphertext: modelId, sealed: toBase64(bytes) },
      { t: "ask", ...place, requestId: modelId, inputCommitment: zeroHash, inputCiphertext: modelId, sealed: "" },
      { t: "answer", ...place, seq: 2n ** 60n, receipt, sealed: toBase64(bytes) },
      { t: "refusal", ...place, requestId: modelId, code: "NODE_BUSY" },
      { t: "laneReady", ...place },
      { t: "voucher", voucher, bills: "0x0000000780000001" },
      { t: "voucherTaken", ...place, seq: 9n },
    ];
    for (const frame of frames) expect(decodeFrame(encodeFrame(frame)), frame.t).to.deep.equal(frame);
    expect(fromBase64(toBase64(bytes))).to.deep.equal(bytes);
  });

  it("are refused where bills are no whole records or sealed bytes are no base64 or too long for a frame", async () => {
    const ask = { v: 1, t: "ask", sessionId, nodeId: 1, requestId: modelId, inputCommitment: zeroHash, inputCiphertext: zeroHash };
    const long = "AAAA".repeat(gatewayLimits.maxInlineBase64 / 4);
    expect(decodeFrame(JSON.stringify({ ...ask, sealed: long })).t).to.equal("ask");
    for (const sealed of ["A", "AA=A", "A===", "A-__", 7, `${long}AAAA`]) {
      expect(codeThrownBy(() => decodeFrame(JSON.stringify({ ...ask, sealed }))), String(sealed).slice(0, 9)).to.equal("WIRE_MALFORMED");
    }
    const voucher = await signMessage({
      kind: "voucher",
      message: { sessionId, nodeId: 1, seq: 1n, cumulativeUsd6: 1n, prevHead: zeroHash, billsHash: zeroHash, receiptsRoot: zeroHash },
      context,
      signer,
    });
    for (const bills of ["0x", "0x000000", `0x${"00".repeat(4 * 1_025)}`] as const) {
      const text = encodeFrame({ t: "voucher", voucher, bills });
      expect(codeThrownBy(() => decodeFrame(text)), bills.slice(0, 9)).to.equal("WIRE_MALFORMED");
    }
  });
});
