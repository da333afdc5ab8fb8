/**
 * SessionSettlement: the life of a session, and one immutable bill for each record that a voucher billed. A record's
 * amount is the difference of the lane's cumulative amount after and before it, so that a lane's bills add up to what
 * the contract says is due.
 */
import { Address, BigInt, ByteArray, Bytes, crypto, ethereum } from "@graphprotocol/graph-ts";
import {
  BillsSettled,
  FloorBurned,
  FloorClaimed,
  FloorClaimEnded,
  LaneReclaimed,
  OwedCollected,
  ReplicaAssigned,
  ReplicaReleased,
  SessionClosed,
  SessionFinished,
  SessionOpened,
  SessionToppedUp,
  SignerReplaced,
  VoucherRefused,
} from "../generated/SessionSettlement/SessionSettlement";
import { Lane, Session, SessionBill } from "../generated/schema";
import { loadAccount } from "./entities/account";
import { countServed, countSession, countSessionBills, laneId, newLane, newSessionEvent } from "./entities/session";
import { ONE, ZERO } from "./numbers";
import { positionOf } from "./position";

const BYTES_PER_RECORD = 4;
const EXECUTION_WEIGHT = BigInt.fromI32(10000);
const STANDBY_WEIGHT = BigInt.fromI32(1000);
/** 10⁹ CU·ms of a price × 10⁴ of a weight. */
const WEIGHT_PER_PRICE = BigInt.fromString("10000000000000");

export function handleSessionOpened(event: SessionOpened): void {
  const session = new Session(event.params.sessionId);
  session.payer = event.params.payer;
  session.modelId = event.params.modelId;
  session.openedBy = event.params.openedBy;
  session.signer = event.params.signer;
  session.priceUsd6PerGcums = event.params.priceUsd6PerGcums;
  session.stakeWeiPerUsd6 = event.params.stakeWeiPerUsd6;
  session.feeBps = event.params.feeBps;
  session.putInUsd6 = event.params.spendCapUsd6;
  session.minReplicas = event.params.minReplicas;
  session.maxReplicas = event.params.maxReplicas;
  session.slaMs = event.params.slaMs;
  session.closesAt = event.params.expiresAt;
  session.status = "Open";
  session.bills = ZERO;
  session.executions = ZERO;
  session.billedUsd6 = ZERO;
  session.paidUsd6 = ZERO;
  session.feeUsd6 = ZERO;
  session.owedUsd6 = ZERO;
  session.servedCums = ZERO;
  session.returnedUsd6 = ZERO;
  session.openedAt = event.block.timestamp;
  session.openedBlock = event.block.number;
  session.openedTx = event.transaction.hash;
  session.save();
  loadAccount(event.params.payer).save();

  const row = newSessionEvent(event, session.id, "Opened");
  row.amountUsd6 = event.params.spendCapUsd6;
  row.signer = event.params.signer;
  row.save();
  countSession();
}

export function handleSessionToppedUp(event: SessionToppedUp): void {
  const session = Session.load(event.params.sessionId);
  if (session == null) return;
  session.putInUsd6 = event.params.putInUsd6;
  session.save();

  const row = newSessionEvent(event, session.id, "ToppedUp");
  row.amountUsd6 = event.params.amountUsd6;
  row.save();
}

export function handleSessionClosed(event: SessionClosed): void {
  const session = Session.load(event.params.sessionId);
  if (session == null) return;
  session.status = "Closed";
  session.closesAt = event.params.closesAt;
  session.settleUntil = event.params.settleUntil;
  session.save();
  newSessionEvent(event, session.id, "Closed").save();
}

export function handleSessionFinished(event: SessionFinished): void {
  const session = Session.load(event.params.sessionId);
  if (session == null) return;
  session.status = "Finished";
  session.returnedUsd6 = event.params.returnedUsd6;
  session.save();

  const row = newSessionEvent(event, session.id, "Finished");
  row.amountUsd6 = event.params.returnedUsd6;
  row.save();
}

export function handleSignerReplaced(event: SignerReplaced): void {
  const session = Session.load(event.params.sessionId);
  if (session == null) return;
  session.signer = event.params.signer;
  session.save();

  const row = newSessionEvent(event, session.id, "SignerReplaced");
  row.signer = event.params.signer;
  row.save();
}

export function handleReplicaAssigned(event: ReplicaAssigned): void {
  const session = Session.load(event.params.sessionId);
  if (session == null) return;
  const known = Lane.load(laneId(session.id, event.params.nodeId));
  const lane = known == null ? newLane(session.id, event.params.nodeId, event.block.timestamp) : known;
  lane.role = event.params.role == 0 ? "Primary" : "Backup";
  lane.status = "Active";
  lane.powerCu = event.params.powerCu;
  lane.allotmentUsd6 = event.params.allotmentUsd6;
  lane.save();

  const row = newSessionEvent(event, session.id, "Assigned");
  row.node = lane.node;
  row.amountUsd6 = event.params.allotmentUsd6;
  row.save();
}

export function handleReplicaReleased(event: ReplicaReleased): void {
  const lane = Lane.load(laneId(event.params.sessionId, event.params.nodeId));
  if (lane == null) return;
  lane.status = "Releasing";
  lane.save();

  const row = newSessionEvent(event, lane.session, "Released");
  row.node = lane.node;
  row.save();
}

export function handleLaneReclaimed(event: LaneReclaimed): void {
  const lane = Lane.load(laneId(event.params.sessionId, event.params.nodeId));
  if (lane == null) return;
  lane.status = "Reclaimed";
  lane.allotmentUsd6 = lane.allotmentUsd6.minus(event.params.unspentUsd6);
  lane.save();

  const row = newSessionEvent(event, lane.session, "LaneReclaimed");
  row.node = lane.node;
  row.amountUsd6 = event.params.unspentUsd6;
  row.save();
}

export function handleBillsSettled(event: BillsSettled): void {
  const session = Session.load(event.params.sessionId);
  const lane = Lane.load(laneId(event.params.sessionId, event.params.nodeId));
  if (session == null || lane == null) return;
  const beforeUsd6 = lane.billedUsd6;
  const owedBefore = lane.owedUsd6;
  const sums = unpack(event, session, lane);
  const billedUsd6 = lane.billedUsd6.minus(beforeUsd6);
  const records = lane.seq.minus(event.params.firstSeq).plus(ONE);

  lane.paidUsd6 = lane.paidUsd6.plus(event.params.paidUsd6);
  lane.feeUsd6 = lane.feeUsd6.plus(event.params.feeUsd6);
  lane.owedUsd6 = event.params.owedUsd6;
  lane.save();
  session.bills = session.bills.plus(records);
  session.executions = session.executions.plus(sums.executions);
  session.billedUsd6 = session.billedUsd6.plus(billedUsd6);
  session.paidUsd6 = session.paidUsd6.plus(event.params.paidUsd6);
  session.feeUsd6 = session.feeUsd6.plus(event.params.feeUsd6);
  session.owedUsd6 = session.owedUsd6.plus(event.params.owedUsd6).minus(owedBefore);
  session.servedCums = session.servedCums.plus(sums.cums);
  session.save();

  const payer = loadAccount(event.params.payer);
  payer.heldUsd6 = payer.heldUsd6.minus(event.params.paidUsd6);
  payer.spentUsd6 = payer.spentUsd6.plus(event.params.paidUsd6);
  payer.save();
  countSessionBills(event, event.params.payer, records, billedUsd6, sums.cums);
  const earnedUsd6 = event.params.paidUsd6.minus(event.params.feeUsd6);
  countServed(event.params.nodeId, sums.executions, earnedUsd6, sums.cums, event.block.timestamp);

  const row = newSessionEvent(event, session.id, "Settled");
  row.node = lane.node;
  row.amountUsd6 = billedUsd6;
  row.paidUsd6 = event.params.paidUsd6;
  row.owedUsd6 = event.params.owedUsd6;
  row.firstSeq = event.params.firstSeq;
  row.records = records;
  row.receiptsRoot = event.params.receiptsRoot;
  row.save();
}

/** What the executions of a voucher come to. */
class Sums {
  executions: BigInt = ZERO;
  cums: BigInt = ZERO;
}

/** Makes the bills of a voucher and moves the lane on by them; the caller saves the lane. */
function unpack(event: BillsSettled, session: Session, lane: Lane): Sums {
  const sums = new Sums();
  const bills = event.params.bills;
  const powerCu = event.params.powerCu;
  for (let at = 0; at + BYTES_PER_RECORD <= bills.length; at += BYTES_PER_RECORD) {
    const isStandby = (bills[at] & 0x80) != 0;
    const ms = BigInt.fromU32(
      ((<u32>(bills[at] & 0x7f)) << 24) | ((<u32>bills[at + 1]) << 16) | ((<u32>bills[at + 2]) << 8) | <u32>bills[at + 3],
    );
    const seq = event.params.firstSeq.plus(BigInt.fromI32(at / BYTES_PER_RECORD));
    const beforeUsd6 = lane.billedUsd6;
    lane.weight = lane.weight.plus(ms.times(isStandby ? STANDBY_WEIGHT : EXECUTION_WEIGHT));
    lane.billedUsd6 = lane.weight.times(powerCu).times(event.params.priceUsd6PerGcums).div(WEIGHT_PER_PRICE);
    lane.seq = seq;
    if (!isStandby) {
      sums.executions = sums.executions.plus(ONE);
      sums.cums = sums.cums.plus(ms.times(powerCu));
    }

    const bill = new SessionBill(taskIdOf(session.id, event.params.nodeId, seq));
    bill.session = session.id;
    bill.lane = lane.id;
    bill.payer = event.params.payer;
    bill.node = lane.node;
    bill.modelId = session.modelId;
    bill.seq = seq;
    bill.kind = isStandby ? "Standby" : "Execution";
    bill.powerCu = powerCu;
    bill.durationMs = ms;
    bill.priceUsd6PerGcums = event.params.priceUsd6PerGcums;
    bill.amountUsd6 = lane.billedUsd6.minus(beforeUsd6);
    bill.receiptsRoot = event.params.receiptsRoot;
    bill.position = positionOf(event);
    bill.block = event.block.number;
    bill.timestamp = event.block.timestamp;
    bill.tx = event.transaction.hash;
    bill.save();
  }
  return sums;
}

/** keccak256(abi.encode(sessionId, nodeId, seq)). */
function taskIdOf(sessionId: Bytes, nodeId: BigInt, seq: BigInt): Bytes {
  const encoded = sessionId.concat(word(nodeId)).concat(word(seq));
  return Bytes.fromByteArray(crypto.keccak256(encoded));
}

/** A number as abi.encode writes it: 32 bytes, big-endian. */
function word(value: BigInt): Bytes {
  const bytes = new ByteArray(32);
  for (let index = 0; index < value.length && index < 32; index++) bytes[31 - index] = value[index];
  return Bytes.fromByteArray(bytes);
}

export function handleVoucherRefused(event: VoucherRefused): void {
  const session = Session.load(event.params.sessionId);
  if (session == null) return;
  const lane = Lane.load(laneId(session.id, event.params.nodeId));
  const row = newSessionEvent(event, session.id, "VoucherRefused");
  if (lane != null) row.node = lane.node;
  row.fault = event.params.code;
  row.save();
}

export function handleOwedCollected(event: OwedCollected): void {
  const session = Session.load(event.params.sessionId);
  const lane = Lane.load(laneId(event.params.sessionId, event.params.nodeId));
  if (session == null || lane == null) return;
  const paidUsd6 = event.params.paidUsd6;
  session.owedUsd6 = session.owedUsd6.plus(event.params.owedUsd6).minus(lane.owedUsd6);
  session.paidUsd6 = session.paidUsd6.plus(paidUsd6);
  session.feeUsd6 = session.feeUsd6.plus(event.params.feeUsd6);
  session.save();
  lane.paidUsd6 = lane.paidUsd6.plus(paidUsd6);
  lane.feeUsd6 = lane.feeUsd6.plus(event.params.feeUsd6);
  lane.owedUsd6 = event.params.owedUsd6;
  // What the lane lacked was allotted to it by the same call.
  if (lane.allotmentUsd6.lt(lane.paidUsd6)) lane.allotmentUsd6 = lane.paidUsd6;
  lane.save();

  const payer = loadAccount(event.params.payer);
  payer.heldUsd6 = payer.heldUsd6.minus(paidUsd6.minus(event.params.recoveredUsd6));
  payer.spentUsd6 = payer.spentUsd6.plus(paidUsd6);
  payer.save();
  countServed(event.params.nodeId, ZERO, paidUsd6.minus(event.params.feeUsd6), ZERO, event.block.timestamp);

  const row = newSessionEvent(event, session.id, "OwedCollected");
  row.node = lane.node;
  row.amountUsd6 = paidUsd6;
  row.paidUsd6 = paidUsd6;
  row.owedUsd6 = event.params.owedUsd6;
  row.save();
}

export function handleFloorClaimed(event: FloorClaimed): void {
  recordFloor(event, event.params.sessionId, event.params.nodeId, "FloorClaimed", event.params.claimUsd6);
}

export function handleFloorBurned(event: FloorBurned): void {
  const session = Session.load(event.params.sessionId);
  const lane = Lane.load(laneId(event.params.sessionId, event.params.nodeId));
  if (session == null || lane == null) return;
  const burnedUsd6 = event.params.burnedUsd6;
  session.putInUsd6 = session.putInUsd6.minus(burnedUsd6);
  session.save();
  lane.allotmentUsd6 = lane.allotmentUsd6.minus(burnedUsd6);
  lane.burnedUsd6 = lane.burnedUsd6.plus(burnedUsd6);
  lane.save();
  const payer = loadAccount(Address.fromBytes(session.payer));
  payer.heldUsd6 = payer.heldUsd6.minus(burnedUsd6);
  payer.save();
  recordFloor(event, session.id, event.params.nodeId, "FloorBurned", burnedUsd6);
}

export function handleFloorClaimEnded(event: FloorClaimEnded): void {
  recordFloor(event, event.params.sessionId, event.params.nodeId, "FloorClaimEnded", ZERO);
}

function recordFloor(event: ethereum.Event, sessionId: Bytes, nodeId: BigInt, kind: string, amountUsd6: BigInt): void {
  const lane = Lane.load(laneId(sessionId, nodeId));
  if (lane == null) return;
  const row = newSessionEvent(event, sessionId, kind);
  row.node = lane.node;
  row.amountUsd6 = amountUsd6;
  row.save();
}
