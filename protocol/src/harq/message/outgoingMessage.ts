/**
 * One message that is being sent. Groups of blocks go out symbol by symbol in turn; what the receiver lacks goes
 * before what it has not been sent yet; the END with the hash goes along as soon as the last block has been read.
 */
import { interleaveDepth } from "../redundancy/interleaveDepth.ts";
import type { Partition } from "../redundancy/partition.ts";
import type { Deficit, MissingSymbols } from "../wire/frames.ts";
import { messageLimits } from "./messageLimits.ts";
import { createOutgoingBlock, type BlockSymbol, type OutgoingBlock } from "./outgoingBlock.ts";
import { planRepair } from "./planRepair.ts";
import type { MessagePorts } from "./ports.ts";
import type { Priority } from "./priority.ts";
import type { SendingConditions } from "./sendingConditions.ts";

/** Bytes of a message, pulled when they are needed. What it returned must not change before the message is done. */
export interface MessageSource {
  readonly length: number;
  read(offset: number, length: number): Uint8Array;
  /** Where it is known beforehand. */
  readonly sha256?: Uint8Array;
}

export interface OutgoingSymbol extends BlockSymbol {
  readonly block: OutgoingBlock;
}

/** What has to be known of a symbol that was sent, once its fate is. */
export interface SentSymbol {
  readonly message: OutgoingMessage;
  readonly block: OutgoingBlock;
  readonly isRepeated: boolean;
}

/** `revived`: given up before, arrived after all. */
export type Fate = "arrived" | "lost" | "revived";

export interface OutgoingMessage {
  readonly id: number;
  readonly priority: Priority;
  readonly parts: Partition;
  /** What to send next; undefined when that is nothing for the moment. */
  next(conditions: SendingConditions): OutgoingSymbol | undefined;
  hasNext(): boolean;
  /** A new symbol of the block that needs most, whatever is under way; undefined when nothing was begun. */
  probe(): OutgoingSymbol | undefined;
  /** True when an END is due by itself. */
  wantsEnd(): boolean;
  onEndSent(): void;
  onEndFate(): void;
  /** Known from the moment that the last block is read. */
  sha256(): Uint8Array | undefined;
  onFate(symbol: SentSymbol, fate: Fate): void;
  onDeficits(deficits: readonly Deficit[], missing: readonly MissingSymbols[]): void;
  /** Looks anew at what each open block needs; after every report. */
  plan(conditions: SendingConditions): void;
  /** The receiver says what it has after the connection broke; nothing is under way any more. */
  resume(deficits: readonly Deficit[]): void;
  queuedBytes(): number;
  openBytes(): number;
}

export interface OutgoingMessageOptions extends MessagePorts {
  readonly id: number;
  readonly priority: Priority;
  readonly parts: Partition;
  readonly source: MessageSource;
}

const endEvery = 16;

export function createOutgoingMessage(options: OutgoingMessageOptions): OutgoingMessage {
  const { id, priority, parts, source, codec, createHasher } = options;
  const isInteractive = priority === "interactive";
  const hasher = source.sha256 === undefined ? createHasher() : undefined;
  let sha256 = source.sha256;
  const open = new Map<number, OutgoingBlock>();
  /** Blocks before this are complete at the receiver. */
  let firstIncomplete = 0;
  let nextBlock = 0;
  let group: OutgoingBlock[] = [];
  let turn = 0;
  const repairs: OutgoingBlock[] = [];
  let queuedBytes = parts.length;
  let endsWanted = 0;
  let endsOutstanding = 0;
  let endsPlanned = false;
  let sinceEnd = endEvery;

  const windowBlocks = Math.max(1, Math.floor(messageLimits.windowBytes / (parts.symbolBytes * parts.k(0))));
  const readBlock = (index: number): OutgoingBlock => {
    const bytes = source.read(parts.firstSymbol(index) * parts.symbolBytes, parts.blockBytes(index));
    hasher?.update(bytes);
    if (index === parts.blocks - 1) sha256 ??= hasher?.digest();
    const padded = parts.k(index) * parts.symbolBytes;
    const whole = bytes.length === padded ? bytes : new Uint8Array(padded);
    if (whole !== bytes) whole.set(bytes);
    const block = createOutgoingBlock({ index, parts, source: whole, codec });
    open.set(index, block);
    return block;
  };
  const depthUnder = ({ meanBurst, rttUs, bytesPerSecond }: SendingConditions): number => {
    const blocksPerRoundTrip = (rttUs * bytesPerSecond) / 1e6 / (parts.k(nextBlock) * parts.symbolBytes);
    return interleaveDepth({ meanBurstPackets: meanBurst, blocksPerRoundTrip });
  };
  const openGroup = (conditions: SendingConditions): void => {
    const depth = conditions.profile === "framed" ? 1 : depthUnder(conditions);
    const end = Math.min(parts.blocks, nextBlock + depth, firstIncomplete + windowBlocks);
    group = [];
    turn = 0;
    while (nextBlock < end) group.push(readBlock(nextBlock++));
  };
  const planBlock = (block: OutgoingBlock, conditions: SendingConditions): void => {
    if (block.sourceLeft() > 0) return;
    const before = block.wanted;
    block.wanted = planRepair({ block, symbolBytes: parts.symbolBytes, isInteractive, conditions });
    if (before === 0 && block.wanted > 0) repairs.push(block);
  };
  const nextOfGroup = (conditions: SendingConditions): OutgoingSymbol | undefined => {
    if (group.length === 0) openGroup(conditions);
    const block = group[turn % Math.max(1, group.length)];
    if (block === undefined) return undefined;
    const symbol = block.nextSource()!;
    queuedBytes -= symbol.bytes.length;
    if (block.sourceLeft() > 0) turn += 1;
    else {
      group.splice(group.indexOf(block), 1);
      block.outstanding += 1;
      planBlock(block, { ...conditions, queuedBytes: conditions.queuedBytes - symbol.bytes.length });
      block.outstanding -= 1;
    }
    return { ...symbol, block };
  };
  const nextRepair = (): OutgoingSymbol | undefined => {
    while (repairs.length > 0) {
      const block = repairs[0]!;
      if (block.wanted > 0) {
        block.wanted -= 1;
        if (repairs.length > 1) repairs.push(repairs.shift()!);
        return { ...block.nextRepair(), block };
      }
      repairs.shift();
    }
    return undefined;
  };
  const wantsRepair = (): boolean => repairs.some((block) => block.wanted > 0);
  const complete = (block: OutgoingBlock): void => {
    block.tell(0);
    block.wanted = 0;
    while (block.sourceLeft() > 0) queuedBytes -= block.nextSource()!.bytes.length;
    if (group.includes(block)) group.splice(group.indexOf(block), 1);
    open.delete(block.index);
  };
  const completeBelow = (index: number): void => {
    for (const block of open.values()) if (block.index < index) complete(block);
    firstIncomplete = Math.max(firstIncomplete, Math.min(index, nextBlock));
  };
  /** What the receiver lacks; `isFresh`: of a connection that knows of no packet before it. */
  const hear = (deficits: readonly Deficit[], isFresh: boolean): void => {
    const first = deficits[0];
    if (first !== undefined) completeBelow(first.block);
    for (const { block: index, deficit } of deficits) {
      const block = open.get(index);
      if (block === undefined) continue;
      if (deficit === 0) complete(block);
      else block.tell(deficit, isFresh);
    }
  };
  const take = (symbol: OutgoingSymbol | undefined): OutgoingSymbol | undefined => {
    if (symbol === undefined) return undefined;
    symbol.block.outstanding += 1;
    sinceEnd += 1;
    return symbol;
  };
  const planEnds = (loss: number): void => {
    if (endsPlanned || sha256 === undefined || nextBlock < parts.blocks) return;
    endsPlanned = true;
    endsWanted = Math.max(1, Math.ceil(Math.log(1e-4) / Math.log(loss)));
  };

  return {
    id,
    priority,
    parts,
    next(conditions) {
      const symbol = take(nextRepair() ?? nextOfGroup(conditions));
      planEnds(conditions.profile === "framed" ? 1e-4 : conditions.loss);
      return symbol;
    },
    hasNext: () =>
      wantsRepair() || group.length > 0 || (nextBlock < parts.blocks && nextBlock < firstIncomplete + windowBlocks),
    probe() {
      const neediest = [...open.values()].reduce<OutgoingBlock | undefined>(
        (most, block) => (most === undefined || block.deficit() > most.deficit() ? block : most),
        undefined,
      );
      if (neediest === undefined) return undefined;
      return take({ ...neediest.nextRepair(), block: neediest });
    },
    wantsEnd: () => endsWanted > 0 && (sinceEnd >= endEvery || (queuedBytes === 0 && !wantsRepair())),
    onEndSent() {
      endsWanted = Math.max(0, endsWanted - 1);
      endsOutstanding += 1;
      sinceEnd = 0;
    },
    onEndFate() {
      endsOutstanding -= 1;
    },
    sha256: () => sha256,
    onFate({ block, isRepeated }, fate) {
      if (fate !== "revived") block.outstanding -= 1;
      if (fate !== "lost") block.arrived(isRepeated);
    },
    onDeficits(deficits, missing) {
      hear(deficits, false);
      for (const { block, bitmap } of missing) open.get(block)?.setMissing(bitmap);
    },
    plan(conditions) {
      for (const block of open.values()) planBlock(block, conditions);
      if (open.size === 0 && nextBlock === parts.blocks && endsWanted === 0 && endsOutstanding === 0) endsWanted = 2;
    },
    resume(deficits) {
      for (const block of open.values()) block.tell(block.k, true);
      endsWanted = Math.max(endsWanted, sha256 === undefined ? 0 : 1);
      hear(deficits, true);
    },
    queuedBytes: () => queuedBytes,
    openBytes: () => [...open.values()].reduce((total, block) => total + block.k * parts.symbolBytes, 0),
  };
}
