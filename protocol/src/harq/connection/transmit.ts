/** Fills datagrams: control frames first, then symbols of whatever message is next, an END where there is room. */
import type { OutgoingMessage, OutgoingSymbol, SentSymbol } from "../message/outgoingMessage.ts";
import { cauchyCodec } from "../message/ports.ts";
import { priorities } from "../message/priority.ts";
import type { SendingConditions } from "../message/sendingConditions.ts";
import { envelopeBytes, wrapInToken } from "../security/tokenEnvelope.ts";
import type { DatagramType } from "../wire/datagramHeader.ts";
import { encodeFrames } from "../wire/encodeFrames.ts";
import { endBytes, frameBytes, symbolHeaderBytes, symbolLengthBytes } from "../wire/frameBytes.ts";
import type { EndFrame, Frame, SymbolFrame } from "../wire/frames.ts";
import type { Connection } from "./connectionState.ts";
import { streamDatagramBytes } from "./datagramBytes.ts";
import { hasWindow, maySend, pace, stampOf, type PacketContent, type Path } from "./path.ts";
import { bodyBytesOn, nextStripe } from "./pathChoice.ts";
import { overheadBytes } from "./protection.ts";

export interface Packet {
  readonly frames: readonly Frame[];
  readonly type?: DatagramType;
  /** Asks for a report, and what its fate matters to. */
  readonly content?: PacketContent;
  readonly paddedTo?: number;
}

export const noContent: PacketContent = { symbols: [], ends: [], isSizeProbe: false };

/** Bodies are sealed as soon as they are written. */
const bodyBuffer = new Uint8Array(streamDatagramBytes);

/** False when the path may not send that much to an address that has not proved itself. */
export function sendPacket(connection: Connection, path: Path, packet: Packet, nowUs: number): boolean {
  const { frames, type = "data", content, paddedTo } = packet;
  const token = type === "probe" ? path.token : undefined;
  const extraBytes = overheadBytes + (token === undefined ? 0 : envelopeBytes);
  const capacity = (paddedTo ?? path.size.packetBytes()) - extraBytes;
  const body = encodeFrames(frames, { capacity, padded: paddedTo !== undefined, buffer: bodyBuffer });
  const bytes = body.length + extraBytes;
  if (!maySend(path, bytes)) return false;
  const number = path.nextNumber;
  path.nextNumber += 1;
  if (content !== undefined) {
    const stamp = stampOf(path, { number, bytes, nowUs });
    path.book.record({ stamp, content });
    path.askedUs = nowUs;
    path.controller.onSent(stamp, path.book.inFlightBytes());
  }
  pace(path, bytes, nowUs);
  path.sentBytes += bytes;
  path.roomBytes -= bytes;
  connection.counts.sentBytes += bytes;
  connection.counts.sentPackets += 1;
  const inNextPhase = content?.keyPhase !== undefined;
  const datagram = connection.protection.seal({ type, path: path.id, packetNumber: number, body, inNextPhase });
  connection.datagrams.push({ path: path.id, bytes: token === undefined ? datagram : wrapInToken(token, datagram) });
  return true;
}

/** What was put aside for a path, as far as it fits. */
export function takeControl(path: Path, room: number): Frame[] {
  const frames: Frame[] = [];
  let left = room;
  while (path.control.length > 0 && frameBytes(path.control[0]!) <= left) {
    const frame = path.control.shift()!;
    left -= frameBytes(frame);
    frames.push(frame);
  }
  return frames;
}

/** Sends symbols while the path's pace and window allow. True when the path could have sent more than there was. */
export function sendSymbols(connection: Connection, path: Path, conditions: SendingConditions, nowUs: number): boolean {
  let queuedBytes = conditions.queuedBytes;
  while (path.releaseUs <= nowUs && hasWindow(path, path.size.packetBytes(), nowUs)) {
    const before = connection.counts.sourceBytes;
    const packet = fill(connection, path, { ...conditions, queuedBytes });
    if (packet === undefined) {
      path.isPaced = false;
      return true;
    }
    sendPacket(connection, path, packet, nowUs);
    queuedBytes -= connection.counts.sourceBytes - before;
  }
  path.isPaced = path.releaseUs > nowUs && connection.outbox.hasNext();
  return false;
}

/** Sends symbols over several streams, each packet on the one that is the least behind, as windows allow. */
export function sendStripes(
  connection: Connection,
  active: readonly Path[],
  conditions: SendingConditions,
  nowUs: number,
): void {
  let queuedBytes = conditions.queuedBytes;
  for (let path = nextStripe(active, nowUs); path !== undefined; path = nextStripe(active, nowUs)) {
    const before = connection.counts.sourceBytes;
    const packet = fill(connection, path, { ...conditions, queuedBytes });
    if (packet === undefined) break;
    sendPacket(connection, path, packet, nowUs);
    queuedBytes -= connection.counts.sourceBytes - before;
  }
}

function fill(connection: Connection, path: Path, conditions: SendingConditions): Packet | undefined {
  const { outbox } = connection;
  const room = bodyBytesOn(connection, path, conditions.profile);
  const frames: Frame[] = [];
  const symbols: SentSymbol[] = [];
  const ends: OutgoingMessage[] = [];
  let left = room;
  const putEnd = (message: OutgoingMessage, frame: EndFrame): void => {
    frames.push(frame);
    ends.push(message);
    message.onEndSent();
    left -= endBytes;
  };
  for (const message of outbox.open()) {
    const end = message.wantsEnd() ? endOf(message) : undefined;
    if (end !== undefined && left >= endBytes) putEnd(message, end);
  }
  for (let message = outbox.pick(left); message !== undefined; message = outbox.pick(left - symbolLengthBytes)) {
    const symbol = message.next(conditions);
    if (symbol === undefined) break;
    frames.push(frameOf(message, symbol));
    symbols.push({ message, block: symbol.block, isRepeated: symbol.isRepeated });
    left -= symbolHeaderBytes + symbolLengthBytes + symbol.bytes.length;
    outbox.sent(message, symbol.bytes.length);
    count(connection, symbol);
    const end = endOf(message);
    if (end !== undefined && left >= endBytes && !ends.includes(message)) putEnd(message, end);
  }
  if (symbols.length === 0 && ends.length === 0) return undefined;
  frames.push(...takeControl(path, left));
  return { frames: frames.sort(symbolsLast), content: { symbols, ends, isSizeProbe: false } };
}

/** New symbols past the window, `most` of them, of messages in turn; answers how many there were. */
export function probeSymbols(connection: Connection, path: Path, most: number, nowUs: number): number {
  const room = path.size.packetBytes() - overheadBytes;
  const fitting = connection.outbox.open().filter(({ parts }) => parts.symbolBytes + symbolHeaderBytes <= room);
  let sent = 0;
  for (let turn = 0; turn < most * fitting.length && sent < most; turn += 1) {
    const message = fitting[(most * path.silentProbes + turn) % fitting.length]!;
    const symbol = message.probe();
    if (symbol === undefined) continue;
    const frames: Frame[] = [frameOf(message, symbol)];
    const ends: OutgoingMessage[] = [];
    const end = endOf(message);
    if (end !== undefined && frameBytes(frames[0]!) + endBytes <= room) {
      frames.unshift(end);
      ends.push(message);
      message.onEndSent();
    }
    count(connection, symbol);
    const content = {
      symbols: [{ message, block: symbol.block, isRepeated: symbol.isRepeated }],
      ends,
      isSizeProbe: false,
    };
    sendPacket(connection, path, { frames, content }, nowUs);
    sent += 1;
  }
  return sent;
}

function count(connection: Connection, { block, esi, bytes }: OutgoingSymbol): void {
  if (esi < block.k) connection.counts.sourceBytes += bytes.length;
  else connection.counts.repairBytes += bytes.length;
}

function frameOf({ id, parts, priority }: OutgoingMessage, { block, esi, bytes }: OutgoingSymbol): SymbolFrame {
  return {
    type: "symbol",
    message: id,
    block: block.index,
    esi,
    kmax: parts.kmax,
    length: parts.length,
    priority: priorities.indexOf(priority),
    codec: cauchyCodec,
    symbolBytes: parts.symbolBytes,
    symbol: bytes,
  };
}

function endOf(message: OutgoingMessage): EndFrame | undefined {
  const sha256 = message.sha256();
  return sha256 === undefined ? undefined : { type: "end", message: message.id, length: message.parts.length, sha256 };
}

function symbolsLast(one: Frame, other: Frame): number {
  return Number(one.type === "symbol") - Number(other.type === "symbol");
}
