/**
 * One message that is being received. It takes room for its bytes when its first symbol proved consistent and within
 * the credit; above 16 MiB block by block, and hands the blocks over in order as they are complete.
 */
import type { Partition } from "../redundancy/partition.ts";
import type { Deficit, MissingSymbols, SymbolFrame } from "../wire/frames.ts";
import { createIncomingBlock, type IncomingBlock } from "./incomingBlock.ts";
import { messageLimits } from "./messageLimits.ts";
import type { MessagePorts } from "./ports.ts";

export interface Piece {
  readonly offset: number;
  readonly bytes: Uint8Array;
}

export interface IncomingMessage {
  readonly id: number;
  readonly parts: Partition;
  readonly priority: number;
  /** True when the symbol completes its block. */
  add(frame: SymbolFrame): boolean;
  /** Complete blocks in order that were not handed over yet; none of a message that is handed over whole. */
  takePieces(): Piece[];
  /** The application is through with all pieces before this offset: the window moves on. */
  consumed(offset: number): void;
  setEnd(sha256: Uint8Array): void;
  /** Undefined while something is missing, the END included. */
  isGood(): boolean | undefined;
  /** The whole message; undefined for one that went in pieces. */
  bytes(): Uint8Array | undefined;
  /** From the first block on that is incomplete or not consumed, at most `most`. */
  deficits(most: number): Deficit[];
  missing(most: number): MissingSymbols[];
  /** For RESUME: what there is of each block from the first incomplete one on. */
  progress(): { readonly firstBlock: number; readonly received: Uint8Array };
  sha256(): Uint8Array | undefined;
  heldBytes(): number;
}

export interface IncomingMessageOptions extends MessagePorts {
  readonly id: number;
  readonly parts: Partition;
  readonly priority: number;
}

export function createIncomingMessage(options: IncomingMessageOptions): IncomingMessage {
  const { id, parts, priority, codec, createHasher } = options;
  const { symbolBytes } = parts;
  const isWhole = parts.length <= messageLimits.windowBytes;
  const whole = isWhole ? new Uint8Array(parts.symbols * symbolBytes) : undefined;
  const windowBlocks = Math.ceil(messageLimits.windowBytes / (symbolBytes * parts.k(0)));
  const hasher = createHasher();
  const blocks = new Map<number, { readonly block: IncomingBlock; readonly place: Uint8Array }>();
  const pieces: Piece[] = [];
  let first = 0;
  /** Blocks before this were consumed; of a message that is handed over whole, all complete ones. */
  let taken = 0;
  let highest = -1;
  let expected: Uint8Array | undefined;
  let good: boolean | undefined;

  const openBlock = (index: number): IncomingBlock => {
    const known = blocks.get(index);
    if (known !== undefined) return known.block;
    const k = parts.k(index);
    const from = parts.firstSymbol(index) * symbolBytes;
    const place = whole?.subarray(from, from + k * symbolBytes) ?? new Uint8Array(k * symbolBytes);
    const block = createIncomingBlock({ k, symbolBytes, place, codec });
    blocks.set(index, { block, place });
    highest = Math.max(highest, index);
    return block;
  };
  const closeBlocks = (): void => {
    for (let next = blocks.get(first); next?.block.deficit() === 0; next = blocks.get(first)) {
      const bytes = next.place.subarray(0, parts.blockBytes(first));
      hasher.update(bytes);
      if (!isWhole) pieces.push({ offset: parts.firstSymbol(first) * symbolBytes, bytes });
      blocks.delete(first);
      first += 1;
    }
    if (isWhole) taken = first;
    judge();
  };
  const judge = (): void => {
    if (good !== undefined || expected === undefined || first < parts.blocks) return;
    const digest = hasher.digest();
    const wanted = expected;
    good = digest.length === wanted.length && digest.every((byte, at) => byte === wanted[at]);
  };
  const range = (most: number): number[] => {
    const last = Math.max(Math.min(highest, parts.blocks - 1), first);
    return Array.from({ length: Math.min(most, last - taken + 1) }, (_, at) => taken + at);
  };
  const deficitOf = (index: number): number =>
    index < first || index >= parts.blocks ? 0 : (blocks.get(index)?.block.deficit() ?? parts.k(index));

  return {
    id,
    parts,
    priority,
    add({ block: index, esi, symbol }) {
      if (index < first || index >= taken + windowBlocks) return false;
      const block = openBlock(index);
      if (!block.add(esi, symbol) || block.deficit() > 0) return false;
      closeBlocks();
      return true;
    },
    takePieces: () => pieces.splice(0),
    consumed(offset) {
      while (taken < first && offset >= parts.firstSymbol(taken) * symbolBytes + parts.blockBytes(taken)) taken += 1;
    },
    setEnd(sha256) {
      expected ??= sha256.slice();
      judge();
    },
    isGood: () => good,
    bytes: () => whole?.subarray(0, parts.length),
    deficits: (most) => range(most).map((block) => ({ message: id, block, deficit: deficitOf(block) })),
    missing(most) {
      const found: MissingSymbols[] = [];
      for (const [block, entry] of blocks) {
        if (found.length >= most) break;
        const bitmap = entry.block.missing();
        if (bitmap !== undefined) found.push({ message: id, block, bitmap });
      }
      return found;
    },
    progress: () => ({
      firstBlock: taken,
      received: Uint8Array.from(
        range(255).filter((block) => block < parts.blocks),
        (block) => parts.k(block) - deficitOf(block),
      ),
    }),
    sha256: () => expected,
    heldBytes: () =>
      (whole?.length ?? 0) +
      [...blocks.values()].reduce(
        (total, { block, place }) => total + block.heldBytes() - (isWhole ? place.length : 0),
        0,
      ),
  };
}
