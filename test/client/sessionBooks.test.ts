/**
 * The books of a payer's client and those of its nodes, driven against each other: messages get lost, are repeated and
 * reordered, both sides are killed at any point and start again from what was on disk.
 */
import { describe, it } from "node:test";
import { createLaneBook, type LaneBook, type LaneEntry, type VoucherEntry } from "@ngpu/node-agent/session/laneBook";
import { decodeLaneEntry, encodeLaneEntry } from "@ngpu/node-agent/session/laneEntry";
import { unpackBills, weightOf } from "@ngpu/protocol/session/packedBills";
import { decodeLedgerEntry, encodeLedgerEntry, type LedgerEntry } from "@ngpu/protocol/session/ledgerEntry";
import { dueUsd6 } from "@ngpu/protocol/session/sessionMoney";
import { firstHeadOf, sessionTaskIdOf } from "@ngpu/protocol/session/voucherChain";
import { createVoucherLedger, type VoucherLedger } from "@ngpu/protocol/session/voucherLedger";
import { hashMessage } from "@ngpu/protocol/signed";
import type { Receipt, Voucher } from "@ngpu/protocol/typedData";
import { capMs } from "@ngpu/protocol/units";
import { wireJson } from "@ngpu/protocol/wireJson";
import { expect } from "chai";
import { keccak256, stringToHex, toHex, zeroHash, type Hex } from "viem";
import { createRandom, seedFor, type Random } from "../contracts/support/random.ts";

const sessionId = keccak256("0x01");
const modelId = keccak256("0x02");
const signer = `0x${"aa".repeat(20)}` as const;
const operator = `0x${"bb".repeat(20)}` as const;
const signature = toHex(1, { size: 65 });
const context = { chainId: 31_337, verifyingContract: operator };
const price = 100_000n;
const workCums = 40_000n;
const powers = new Map([
  [1, 1_000],
  [2, 1_700],
]);

/** Lines of a file of which the end may not have reached the disk. */
function aDisk() {
  let lines: string[] = [];
  let flushed = 0;
  return {
    write: (line: string) => void lines.push(line),
    flush: () => void (flushed = lines.length),
    replace(all: string[]) {
      lines = all;
      flushed = lines.length;
    },
    crash: () => (lines = lines.slice(0, flushed)),
  };
}

interface Answer {
  nodeId: number;
  seq: bigint;
  receipt: Receipt;
}

function aWorld(random: Random) {
  const clientDisk = aDisk();
  const nodes = new Map([...powers].map(([nodeId, powerCu]) => [nodeId, { powerCu, disk: aDisk(), book: aBook(nodeId) }]));
  let ledger = aLedger();
  const asks: { nodeId: number; requestId: Hex; inputCommitment: Hex }[] = [];
  const answers: Answer[] = [];
  const vouchers: VoucherEntry[] = [];
  /** Everything that was ever signed, by lane and number. */
  const signed = new Map<string, string>();
  const bills = new Map<number, { seq: bigint; bills: Hex; cumulativeUsd6: bigint }[]>([...powers.keys()].map((id) => [id, []]));
  /** Request of every record, by lane and number, as far as the client took it. */
  const requestOf = new Map<string, Hex>();
  let requests = 0;

  for (const [nodeId, powerCu] of powers) {
    write({ t: "lane", nodeId, powerCu, seq: 0n, head: firstHeadOf({ sessionId, nodeId }), weight: 0n });
    keep(nodeId, { t: "base", seq: 0n, head: firstHeadOf({ sessionId, nodeId }), weight: 0n, writtenOff: 0n });
  }
  clientDisk.flush();
  for (const { disk } of nodes.values()) disk.flush();

  function aLedger(): VoucherLedger {
    return createVoucherLedger({ sessionId, modelId, priceUsd6PerGcums: price, spendCapUsd6: 10n ** 12n });
  }
  function aBook(nodeId: number): LaneBook {
    return createLaneBook({ sessionId, nodeId, powerCu: powers.get(nodeId) ?? 0, priceUsd6PerGcums: price });
  }
  function nodeOf(nodeId: number) {
    const node = nodes.get(nodeId);
    if (node === undefined) throw new Error("no such node");
    return node;
  }
  function write(entry: LedgerEntry): void {
    ledger.apply(entry);
    clientDisk.write(encodeLedgerEntry(entry));
  }
  function keep(nodeId: number, entry: LaneEntry): void {
    const node = nodeOf(nodeId);
    node.book.apply(entry);
    node.disk.write(encodeLaneEntry(entry));
  }
  const anyNode = (): number => random.pick([...powers.keys()]);

  function ask(): void {
    const requestId = random.below(3) === 0 && requests > 0 ? requestNumber(random.below(requests)) : requestNumber(requests++);
    const nodeId = anyNode();
    const inputCommitment = keccak256(stringToHex(`${requestId}-${nodeId}`));
    if (asks.some((known) => known.inputCommitment === inputCommitment)) return;
    write({ t: "asked", requestId, nodeId, inputCommitment, workCums });
    clientDisk.flush();
    asks.push({ nodeId, requestId, inputCommitment });
  }

  function execute(): void {
    const asked = asks.length > 0 ? random.pick(asks) : undefined;
    if (asked === undefined) return;
    const { nodeId, requestId, inputCommitment } = asked;
    const { book, powerCu, disk } = nodeOf(nodeId);
    if (book.hasAnswered(requestId)) return;
    const seq = book.nextSeq();
    const message: Receipt = {
      taskId: sessionTaskIdOf({ sessionId, nodeId, seq }),
      ...{ assignment: 0, attempt: 0, nodeId, modelId, inputCommitment, outputCommitment: zeroHash },
      ...{ outputCiphertext: zeroHash, slot: 0, powerCu, startMs: 1n, status: 0 },
      durationMs: random.below(capMs({ workCums, powerCu }) + 1),
    };
    const receiptHash = hashMessage("receipt", message, context);
    keep(nodeId, { t: "answer", seq, requestId, receiptHash, receipt: { message, signature }, sealed: "" });
    if (random.below(4) === 0) return void crashNode(nodeId);
    disk.flush();
    answers.push({ nodeId, seq, receipt: message });
  }

  function deliverAnswer(): void {
    if (answers.length === 0) return;
    const [answer] = answers.splice(random.below(answers.length), 1);
    if (answer === undefined) return;
    if (random.below(5) === 0) answers.push(answer);
    take(answer);
  }

  function take({ nodeId, seq, receipt }: Answer): void {
    const asked = ledger.asked(nodeId, receipt.inputCommitment);
    const verdict = ledger.judge({
      ...{ nodeId, seq, receipt, signer: operator, operator },
      receiptHash: hashMessage("receipt", receipt, context),
      outputCiphertext: receipt.outputCiphertext,
      isOutputProven: true,
    });
    if (verdict.kind === "halt") throw new Error(`an honest lane was halted: ${verdict.entry.code}`);
    if (verdict.kind !== "take") return;
    write(verdict.entry);
    if (verdict.entry.kind === "execution" && asked !== undefined) requestOf.set(`${nodeId}:${seq}`, asked.requestId);
    else requestOf.delete(`${nodeId}:${seq}`);
  }

  function sign(): void {
    const nodeId = anyNode();
    const lane = ledger.lane(nodeId);
    if (lane?.voucher === undefined) {
      const entry = ledger.draw(nodeId);
      if (entry === undefined) return;
      write(entry);
      if (random.below(4) === 0) return void crashClient();
      clientDisk.flush();
    }
    const drawn = ledger.lane(nodeId)?.voucher;
    if (drawn === undefined) return;
    remember(drawn.message, drawn.bills);
    vouchers.push({ t: "voucher", voucher: { message: drawn.message, signature }, bills: drawn.bills });
  }

  function remember(message: Voucher, packed: Hex): void {
    const key = `${message.nodeId}:${message.seq}`;
    const text = wireJson(message);
    expect(signed.get(key) ?? text, `two vouchers for ${key}`).to.equal(text);
    if (signed.has(key)) return;
    signed.set(key, text);
    const lane = bills.get(message.nodeId) ?? [];
    const last = lane.at(-1);
    expect(message.seq > (last?.seq ?? 0n), "numbers only rise").to.equal(true);
    expect(message.cumulativeUsd6 >= (last?.cumulativeUsd6 ?? 0n), "amounts only rise").to.equal(true);
    lane.push({ seq: message.seq, bills: packed, cumulativeUsd6: message.cumulativeUsd6 });
  }

  function deliverVoucher(): void {
    if (vouchers.length === 0) return;
    const [entry] = vouchers.splice(random.below(vouchers.length), 1);
    if (entry === undefined || random.below(5) === 0) return;
    const { nodeId } = entry.voucher.message;
    const { book, disk } = nodeOf(nodeId);
    const verdict = book.judge(entry, { recovered: signer, signers: [signer] });
    expect(verdict.kind === "refuse" ? verdict.code : "", "an honest voucher").to.equal("");
    if (verdict.kind === "take") {
      keep(nodeId, verdict.entry);
      if (random.below(4) === 0) return void crashNode(nodeId);
      disk.flush();
    }
    ledger.delivered(nodeId, book.signedSeq());
  }

  /** What either side does when it is connected again. */
  function repeat(): void {
    for (const [nodeId, { book }] of nodes) {
      for (const { seq, receipt } of book.unsigned()) take({ nodeId, seq, receipt: receipt.message });
    }
    clientDisk.flush();
  }

  function crashClient(): void {
    ledger = aLedger();
    for (const line of clientDisk.crash()) ledger.apply(decodeLedgerEntry(line));
  }

  function crashNode(nodeId: number): void {
    const node = nodeOf(nodeId);
    node.book = aBook(nodeId);
    for (const line of node.disk.crash()) node.book.apply(decodeLaneEntry(line));
  }

  function shorten(): void {
    clientDisk.replace(ledger.entries().map(encodeLedgerEntry));
    crashClient();
    const nodeId = anyNode();
    const { disk, book } = nodeOf(nodeId);
    disk.replace(book.entries().map(encodeLaneEntry));
    crashNode(nodeId);
  }

  const steps = [ask, ask, execute, execute, execute, deliverAnswer, deliverAnswer, deliverAnswer, sign, deliverVoucher, deliverVoucher, repeat];
  return {
    step() {
      const rare = random.below(40);
      if (rare === 0) crashClient();
      else if (rare === 1) crashNode(anyNode());
      else if (rare === 2) shorten();
      else random.pick(steps)();
    },
    /** Everything that is under way arrives. */
    settle() {
      for (let round = 0; round < 400; round += 1) {
        execute();
        repeat();
        sign();
        deliverVoucher();
        const isQuiet = [...nodes.values()].every(({ book }) => book.unsigned().length === 0);
        if (isQuiet && round > 100) return;
      }
    },
    check() {
      const paid = new Map<Hex, string>();
      for (const [nodeId, lane] of bills) {
        const records = lane.flatMap((voucher) => unpackBills(voucher.bills));
        const weight = weightOf(records);
        const due = dueUsd6({ weight, powerCu: powers.get(nodeId) ?? 0, priceUsd6PerGcums: price });
        expect(lane.at(-1)?.cumulativeUsd6 ?? 0n, "the last voucher is the sum of all bills").to.equal(due);
        expect(nodeOf(nodeId).book.signedSeq(), "the node has every voucher").to.equal(lane.at(-1)?.seq ?? 0n);
        expect(ledger.lane(nodeId)?.signedUsd6 ?? 0n).to.equal(due);
        records.forEach(({ kind }, index) => {
          const place = `${nodeId}:${index + 1}`;
          const requestId = requestOf.get(place);
          if (kind !== "execution" || requestId === undefined) return;
          expect(paid.get(requestId) ?? place, "a request is paid once").to.equal(place);
          paid.set(requestId, place);
        });
      }
      return { paid: paid.size, requests };
    },
  };

  function requestNumber(index: number): Hex {
    return toHex(index + 1, { size: 32 });
  }
}

describe("books of a session", () => {
  it("agree, pay a request once and sign one voucher per number, whatever is lost and whoever is killed", () => {
    const seed = seedFor("session books");
    let paid = 0;
    for (let run = 0; run < 25; run += 1) {
      const world = aWorld(createRandom(seed + run));
      for (let step = 0; step < 400; step += 1) world.step();
      world.settle();
      paid += world.check().paid;
    }
    expect(paid, "the runs did something").to.be.greaterThan(300);
  });
});
