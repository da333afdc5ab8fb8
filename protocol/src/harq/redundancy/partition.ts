/**
 * How a message is cut: T source symbols in B blocks of at most kmax, the first T mod B of them one symbol longer
 * (RFC 5052). Offsets and lengths are in symbols unless they say bytes.
 */
export interface Partition {
  readonly length: number;
  readonly symbolBytes: number;
  readonly kmax: number;
  readonly symbols: number;
  readonly blocks: number;
  /** Source symbols of a block. */
  k(block: number): number;
  firstSymbol(block: number): number;
  /** Bytes of the message in this block, padding not counted. */
  blockBytes(block: number): number;
  /** Bytes of this source symbol as it travels: only the message's last one may be short. */
  sourceBytes(block: number, esi: number): number;
}

export interface Cut {
  readonly length: number;
  readonly symbolBytes: number;
  readonly kmax: number;
}

export function partition({ length, symbolBytes, kmax }: Cut): Partition {
  const symbols = Math.ceil(length / symbolBytes);
  const blocks = Math.ceil(symbols / kmax);
  const short = Math.floor(symbols / blocks);
  const longBlocks = symbols % blocks;
  const k = (block: number): number => (block < longBlocks ? short + 1 : short);
  const firstSymbol = (block: number): number => block * short + Math.min(block, longBlocks);
  const bytesBetween = (first: number, end: number): number =>
    Math.min(length, end * symbolBytes) - first * symbolBytes;
  return {
    length,
    symbolBytes,
    kmax,
    symbols,
    blocks,
    k,
    firstSymbol,
    blockBytes: (block) => bytesBetween(firstSymbol(block), firstSymbol(block) + k(block)),
    sourceBytes: (block, esi) => bytesBetween(firstSymbol(block) + esi, firstSymbol(block) + esi + 1),
  };
}

/** The more is lost the smaller a block must be for its repair symbols to fit 256 ids. */
export function kmaxFor(loss: number): number {
  if (loss <= 0.13) return 128;
  return loss <= 0.3 ? 96 : 64;
}
