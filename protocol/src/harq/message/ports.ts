/** What messages need from outside: a code for their blocks and a hash over their bytes. */
import type { ErasureCodec } from "../../wire/fec/erasureCodec.ts";

export type BlockCodec = Pick<ErasureCodec, "encode" | "recover">;

export interface Hasher {
  update(bytes: Uint8Array): void;
  /** SHA-256 of all that was given; called once. */
  digest(): Uint8Array;
}

export interface MessagePorts {
  readonly codec: BlockCodec;
  readonly createHasher: () => Hasher;
}

/** Code id on the wire of the Cauchy Reed–Solomon code. */
export const cauchyCodec = 0;
