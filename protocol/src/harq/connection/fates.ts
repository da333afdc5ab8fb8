/**
 * What a report says of a path's packets, told to everyone it concerns: round trip, loss, congestion, size, messages.
 */
import type { PacketStamp } from "../congestion/controller.ts";
import type { SentPacket } from "../estimate/packetBook.ts";
import type { Fate } from "../message/outgoingMessage.ts";
import type { StatusFrame } from "../wire/frames.ts";
import type { Connection } from "./connectionState.ts";
import type { PacketContent, Path } from "./path.ts";

/** A stream keeps its order and repairs itself: what is late on it stalls, unless a relay dropped it. */
const stallsUs = { datagram: 0, stream: 5_000_000 };

type Sent = SentPacket<PacketContent>;

export function onFates(connection: Connection, path: Path, status: StatusFrame, nowUs: number): void {
  const { roundTrip, reorder, loss, book, controller } = path;
  const rttUs = roundTrip.smoothedUs();
  const { arrived, lost, revived, settled, newest } = book.report({
    largest: status.largest,
    ranges: status.ranges,
    nowUs,
    patienceUs: Math.max(rttUs, roundTrip.latestUs()) + 4 * roundTrip.variationUs() + stallsUs[path.kind],
    reorderUs: reorder.widthUs(rttUs),
  });
  const isExact = newest !== undefined && newest.stamp.number === status.largest;
  const sampleUs = isExact ? nowUs - newest.stamp.sentUs - status.ageUs : undefined;
  if (sampleUs !== undefined && sampleUs > 0) roundTrip.sample(sampleUs, nowUs);
  if (revived.length > 0) {
    reorder.onSpuriousLoss(nowUs, rttUs);
    loss.revive(revived.length);
  } else {
    reorder.onReport(nowUs, rttUs);
  }
  loss.observe(settled.filter(({ content }) => !content.isSizeProbe).map(({ isLost }) => isLost));

  const late = new Set<Sent>(revived);
  for (const packet of arrived) {
    path.deliveredBytes += packet.stamp.bytes;
    path.flightStartUs = packet.stamp.sentUs;
    // Nobody asks for the window of a path of datagrams, and so nothing of it would be forgotten.
    if (path.kind === "stream") path.stream.onDelivered(packet.stamp.bytes, nowUs);
    tellMessages(packet.content, late.has(packet) || packet.content.isLate === true ? "revived" : "arrived");
    const { keyPhase } = packet.content;
    if (keyPhase !== undefined) connection.protection.phases?.onAcknowledged(keyPhase, nowUs);
  }
  if (arrived.length > 0) {
    path.deliveredUs = nowUs;
    path.silentProbes = 0;
    path.isSuspect = false;
    path.isStalled = false;
  }
  for (const { content } of lost) tellLost(content);
  tellSize(connection, path, { arrived, lost, settled }, nowUs);
  if (arrived.length === 0 && lost.length === 0) return;
  controller.onFeedback({
    nowUs,
    arrived: stamps(arrived),
    lost: stamps(lost.filter(({ content }) => !content.isSizeProbe)),
    rttUs: sampleUs !== undefined && sampleUs > 0 ? sampleUs : undefined,
    smallestRttUs: roundTrip.smallestUs(),
    inFlightBytes: book.inFlightBytes(),
    deliveredBytes: path.deliveredBytes,
  });
}

/** What is under way on a path is no longer counted on. */
export function abandon(path: Path): void {
  for (const { content } of path.book.abandon()) tellLost(content);
  path.size.abandon();
}

/** What is under way on a path may still arrive, and is not waited for. */
export function tellLate(connection: Connection, path: Path): void {
  for (const { content } of path.book.underWay()) {
    if (content.isLate === true || content.symbols.length + content.ends.length === 0) continue;
    tellMessages(content, "lost");
    content.isLate = true;
    connection.mustPlan = true;
  }
}

function tellLost(content: PacketContent): void {
  if (content.isLate !== true) tellMessages(content, "lost");
}

function tellMessages({ symbols, ends }: PacketContent, fate: Fate): void {
  for (const symbol of symbols) symbol.message.onFate(symbol, fate);
  if (fate !== "revived") for (const message of ends) message.onEndFate();
}

interface Told {
  readonly arrived: readonly Sent[];
  readonly lost: readonly Sent[];
  readonly settled: readonly (Sent & { readonly isLost: boolean })[];
}

function tellSize(connection: Connection, path: Path, { arrived, lost, settled }: Told, nowUs: number): void {
  const { size } = path;
  const before = size.packetBytes();
  for (const { stamp, content } of arrived) if (content.isSizeProbe) size.onProbeFate(stamp.bytes, false, nowUs);
  for (const { stamp, content } of lost) if (content.isSizeProbe) size.onProbeFate(stamp.bytes, true, nowUs);
  const loss = path.loss.bound();
  for (const { stamp, content, isLost } of settled) if (!content.isSizeProbe) size.onFate(stamp.bytes, isLost, loss);
  const bytes = size.packetBytes();
  if (bytes !== before) connection.events.push({ type: "packetSize", path: path.id, bytes });
}

function stamps(packets: readonly Sent[]): PacketStamp[] {
  return packets.map(({ stamp }) => stamp);
}
