/** One block to code, over and over, by our codec and by the package of npm that it is measured against. */
import { readFileSync } from "node:fs";
import { createErasureCodec } from "@ngpu/protocol/wire/fec/createErasureCodec";
import type { ErasureKernel } from "@ngpu/protocol/wire/fec/erasureCodec";
import { fecLimits } from "@ngpu/protocol/wire/fec/fecLimits";
import { ReedSolomonErasure } from "@digitaldefiance/reed-solomon-erasure.wasm";
import { seededRandom } from "../failover/seededRandom.ts";

// Its own loader for Node does not work from an ES module.
const peerEntry = import.meta.resolve("@digitaldefiance/reed-solomon-erasure.wasm");
const peerWasm = readFileSync(new URL("reed_solomon_erasure_bg.wasm", peerEntry));

export interface Shape {
  k: number;
  m: number;
  /** Source symbols to recover; nothing is recovered but repair symbols made where it is left out. */
  erased?: number;
}

export interface Contender {
  act: () => void;
  /** Source data that one act codes. */
  bytes: number;
}

export function ours(block: Shape & { kernel: ErasureKernel; payloadBytes: number }): Contender {
  const { k, m, erased, kernel, payloadBytes } = block;
  const step = fecLimits.symbolStepBytes;
  const symbolBytes = Math.ceil(payloadBytes / step) * step;
  const codec = createErasureCodec({ kernel });
  const source = noise(k * symbolBytes);
  const into = new Uint8Array(m * symbolBytes);
  const encode = (): Uint8Array => codec.encode({ k, symbolBytes, source, firstEsi: k, count: m, into });
  const bytes = k * payloadBytes;
  if (erased === undefined) return { act: encode, bytes };
  const made = encode().slice();
  const repair = Array.from({ length: erased }, (_, row) => ({
    esi: k + row,
    bytes: made.subarray(row * symbolBytes, (row + 1) * symbolBytes),
  }));
  const lost = Array.from({ length: erased }, (_, index) => index);
  const expected = source.slice();
  const act = (): void => {
    source.fill(0, 0, erased * symbolBytes);
    codec.recover({ k, symbolBytes, source, lost, repair });
  };
  act();
  requireEqual(source, expected);
  return { act, bytes };
}

export function peer({ k, m, erased, payloadBytes }: Shape & { payloadBytes: number }): Contender {
  const codec = ReedSolomonErasure.fromBytes(peerWasm);
  const shards = noise((k + m) * payloadBytes);
  const encode = (): void => succeed(codec.encode(shards, k, m));
  const bytes = k * payloadBytes;
  if (erased === undefined) return { act: encode, bytes };
  encode();
  const available = Array.from({ length: k + m }, (_, index) => index >= erased);
  const expected = shards.slice();
  const act = (): void => {
    shards.fill(0, 0, erased * payloadBytes);
    succeed(codec.reconstruct(shards, k, m, available));
  };
  act();
  requireEqual(shards, expected);
  return { act, bytes };
}

function noise(length: number): Uint8Array {
  const random = seededRandom(length);
  return Uint8Array.from({ length }, () => Math.floor(random() * 256));
}

function succeed(result: number): void {
  if (result !== ReedSolomonErasure.RESULT_OK) throw new Error(ReedSolomonErasure.getResultMessage(result));
}

function requireEqual(found: Uint8Array, expected: Uint8Array): void {
  if (Buffer.compare(found, expected) !== 0) throw new Error("a contender does not recover what was erased");
}
