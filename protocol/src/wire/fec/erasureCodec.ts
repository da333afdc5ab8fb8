/**
 * The erasure code of the transport, as the rest of the protocol sees it: a systematic Cauchy Reed–Solomon code over
 * GF(2⁸). A block is k source symbols of one size; repair symbols are made from it as they are needed; any k distinct
 * encoding symbols give the block back. An encoding symbol id (ESI) below k is that source symbol itself, one from k to
 * 255 is a repair symbol, and ESI k is the plain sum (XOR) of the block. docs/PROTOCOL.md §10 is the grammar.
 */

/** `simd` multiplies by shuffling bytes; `portable` uses no shuffle and gives the same bytes (docs/decisions/0008). */
export type ErasureKernel = "simd" | "portable";

export interface BlockShape {
  /** Source symbols: 1 to 255. With m repair symbols k + m is at most 256. */
  k: number;
  /** Size of every symbol: a multiple of 64, at most 65,536. */
  symbolBytes: number;
}

export interface EncodingSymbol {
  esi: number;
  bytes: Uint8Array;
}

export interface RepairRequest extends BlockShape {
  /** The k source symbols, one after the other. */
  source: Uint8Array;
  /** First repair symbol to make, from k on. Groups of four cost the least per symbol. */
  firstEsi: number;
  count: number;
  /** Where to write them instead of into a new array; it must not overlap `source`. */
  into?: Uint8Array;
}

export interface RecoveryRequest extends BlockShape {
  /** The block, in which the symbols of `lost` are filled in and nothing else is touched. */
  source: Uint8Array;
  /** ESIs of the source symbols that are missing, each once. */
  lost: readonly number[];
  /** At least as many repair symbols; what is beyond that is not used. None may lie within `source`. */
  repair: readonly EncodingSymbol[];
}

export interface DecodeRequest extends BlockShape {
  /** At least k symbols with distinct ESIs. */
  symbols: readonly EncodingSymbol[];
}

/**
 * One codec serves any number of blocks, one call at a time, and keeps nothing of them between calls. It holds 1.2 MiB
 * for good and takes no more. Arguments that break a rule throw FEC_ARGUMENT_INVALID or FEC_SYMBOLS_SHORT before
 * anything is written.
 */
export interface ErasureCodec {
  readonly kernel: ErasureKernel;
  /** Which build of the kernel this engine runs, for logs. */
  readonly build: string;
  /** The repair symbols firstEsi … firstEsi + count − 1, one after the other. */
  encode(request: RepairRequest): Uint8Array;
  /** Fills in the lost symbols of a block in place; what is not lost costs a copy, what is lost k products. */
  recover(request: RecoveryRequest): void;
  /** The k source symbols, one after the other. */
  decode(request: DecodeRequest): Uint8Array;
}
