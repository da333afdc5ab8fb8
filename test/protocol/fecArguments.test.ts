/** What the erasure codec is given, may be given and must refuse; what it holds; what it needs of an engine. */
import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { join } from "node:path";
import { describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { NgpuError } from "@ngpu/protocol/errors";
import { fecKernels } from "@ngpu/protocol/generated/fecKernels";
import { createErasureCodec } from "@ngpu/protocol/wire/fec/createErasureCodec";
import type { EncodingSymbol, ErasureCodec } from "@ngpu/protocol/wire/fec/erasureCodec";
import { expect } from "chai";
import { codeThrownBy } from "../harness/codeThrownBy.ts";
import { aBlock, everyBuild, randomOf, seed, symbolsOf, type Random } from "./support/fecBlocks.ts";
import { aNonsense } from "./support/nonsense.ts";

type Method = "encode" | "recover" | "decode";
type Binaryen = { default: { readBinary(wasm: Uint8Array): { emitText(): string; dispose(): void } } };

const root = join(import.meta.dirname, "../..");
/** A nightly run asks for 1,000,000. */
const fuzzCalls = Number(process.env.NGPU_FUZZ_CALLS ?? 10_000);
const memoryBlocks = 100_000;
const codec = createErasureCodec();

describe("arguments of the erasure codec", () => {
  const block = aBlock(randomOf("arguments"), { k: 6, symbolBytes: 64 });
  type Three = [EncodingSymbol, EncodingSymbol, EncodingSymbol];
  const [first, second, third] = symbolsOf(codec, block, [6, 7, 250]) as Three;
  const invalid = "FEC_ARGUMENT_INVALID";

  it("may not make a block of no or over 255 symbols, nor of a size that is no multiple of 64 up to 65,536", () => {
    for (const k of [0, 256, -1, 1.5, Number.NaN]) {
      expect(codeThrownBy(() => codec.encode({ ...block, k, firstEsi: 255, count: 1 })), `${k}`).to.equal(invalid);
    }
    for (const symbolBytes of [0, 32, 65, 1_200, 65_600, -64]) {
      const source = new Uint8Array(Math.max(0, 6 * symbolBytes));
      const encode = (): unknown => codec.encode({ k: 6, symbolBytes, source, firstEsi: 6, count: 1 });
      expect(codeThrownBy(encode), `${symbolBytes}`).to.equal(invalid);
    }
  });

  it("may not ask for symbols that are no repair symbols, nor for room that overlaps the block", () => {
    const outside = [[5, 1], [256, 1], [6, 0], [6, 251], [255, 2]] as const;
    for (const [firstEsi, count] of outside) {
      expect(codeThrownBy(() => codec.encode({ ...block, firstEsi, count })), `${firstEsi} ${count}`).to.equal(invalid);
    }
    const around = new Uint8Array(6 * 64 + 64);
    const source = around.subarray(0, 6 * 64);
    const encode = (into: Uint8Array): string =>
      codeThrownBy(() => codec.encode({ k: 6, symbolBytes: 64, source, firstEsi: 6, count: 1, into }));
    expect(encode(around.subarray(6 * 64 - 1))).to.equal(invalid);
    expect(encode(around.subarray(6 * 64))).to.equal("nothing thrown");
    expect(encode(new Uint8Array(63))).to.equal(invalid);
  });

  it("may not name a symbol twice or of another length, and leave the block as it was when they are refused", () => {
    const source = block.source.slice();
    const recover = (lost: number[], repair: EncodingSymbol[]): string =>
      codeThrownBy(() => codec.recover({ ...block, source, lost, repair }));
    expect(recover([1, 1], [first, second])).to.equal(invalid);
    expect(recover([6], [first])).to.equal(invalid);
    expect(recover([1, 2], [first, first])).to.equal(invalid);
    expect(recover([1], [{ esi: 5, bytes: first.bytes }])).to.equal(invalid);
    expect(recover([1], [{ esi: 7, bytes: first.bytes.subarray(1) }])).to.equal(invalid);
    expect(recover([1], [{ esi: 7, bytes: source.subarray(0, 64) }])).to.equal(invalid);
    expect(recover([1, 2], [first])).to.equal("FEC_SYMBOLS_SHORT");
    expect(recover([0, 1, 2, 3], [first, second, third])).to.equal("FEC_SYMBOLS_SHORT");
    expect(Buffer.compare(source, block.source)).to.equal(0);
    const symbols = symbolsOf(codec, block, [0, 1, 2, 3, 9]);
    const decode = (given: EncodingSymbol[]): string => codeThrownBy(() => codec.decode({ ...block, symbols: given }));
    expect(decode(symbols)).to.equal("FEC_SYMBOLS_SHORT");
    expect(decode([...symbols, ...symbols.slice(0, 1)])).to.equal(invalid);
  });

  it("may come from another realm, as a Buffer or in shared memory", () => {
    const expected = codec.encode({ ...block, firstEsi: 6, count: 3 });
    const foreign = runInNewContext("Uint8Array.from(bytes)", { bytes: [...block.source] }) as Uint8Array;
    const shared = new Uint8Array(new SharedArrayBuffer(block.source.length));
    shared.set(block.source);
    for (const source of [foreign, Buffer.from(block.source), shared]) {
      expect(Buffer.compare(codec.encode({ ...block, source, firstEsi: 6, count: 3 }), expected)).to.equal(0);
    }
  });

  it(`throw a code and nothing else, and write nothing, in ${fuzzCalls} calls with nonsense`, (test) => {
    test.diagnostic(`SEED=${seed}`);
    const random = randomOf("fuzz");
    const codecs = everyBuild();
    const tally: Record<string, number> = {};
    for (let call = 0; call < fuzzCalls; call++) {
      const method = (["encode", "recover", "decode"] as const)[random(3)] ?? "encode";
      const source = block.source.slice();
      const request = spoiled(random, method, source);
      const used = codecs[call % codecs.length] ?? codec;
      const code = outcomeOf(used, method, request);
      tally[code] = (tally[code] ?? 0) + 1;
      if (code !== "taken" && Buffer.compare(source, block.source) !== 0) expect.fail(`call ${call} wrote`);
    }
    const known = ["FEC_ARGUMENT_INVALID", "FEC_SYMBOLS_SHORT", "taken"];
    expect(Object.keys(tally).sort()).to.deep.equal(known);
    // Most calls are refused, and a few were right after all.
    expect(tally.FEC_ARGUMENT_INVALID ?? 0).to.be.above(fuzzCalls / 2);
    for (const used of codecs) {
      expect(Buffer.compare(used.encode({ ...block, firstEsi: 250, count: 1 }), third.bytes), used.build).to.equal(0);
    }
  });

  /** A right request with one to three of its fields, or of its symbols' fields, replaced. */
  function spoiled(random: Random, method: Method, source: Uint8Array): unknown {
    if (random(50) === 0) return aNonsense(random);
    const symbols = [first, second, third].map((symbol) => ({ ...symbol }) as Record<string, unknown>);
    const right: Record<Method, Record<string, unknown>> = {
      encode: { ...block, source, firstEsi: 6 + random(200), count: 1 + random(9), into: new Uint8Array(9 * 64) },
      recover: { ...block, source, lost: [1, 4], repair: symbols },
      decode: { ...block, symbols: [...symbols, ...symbolsOf(codec, block, [0, 1, 2])] },
    };
    const request = { ...right[method] };
    for (let changes = random(3); changes >= 0; changes--) {
      const target = method !== "encode" && random(3) === 0 ? (symbols[random(3)] ?? request) : request;
      const keys = Object.keys(target);
      const key = keys[random(keys.length)] ?? "k";
      const spoilt = aNonsense(random);
      if (random(20) === 0) {
        Object.defineProperty(target, key, { get: () => aNonsense(random) });
        break;
      }
      const list = right[method][key];
      const isList = target[key] === list && ["lost", "repair", "symbols"].includes(key);
      const lengthens = isList && random(2) === 0;
      target[key] = lengthens ? [...(list as unknown[]), spoilt] : spoilt;
    }
    return request;
  }

  function outcomeOf(used: ErasureCodec, method: Method, request: unknown): string {
    try {
      const result: unknown = used[method](request as never);
      if (method !== "recover" && !(result instanceof Uint8Array)) return "no bytes";
      return "taken";
    } catch (error) {
      return error instanceof NgpuError ? error.code : `other: ${String(error)}`;
    }
  }
});

describe("a codec", () => {
  const partial = Object.values(fecKernels).includes("") && "builds were left out of this tree on purpose";

  it(`holds what it held at first after ${memoryBlocks.toLocaleString("en")} blocks of changing shape`, () => {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    const random = randomOf("memory");
    const block = aBlock(random, { k: 20, symbolBytes: 192 });
    const expected = codec.encode({ ...block, firstEsi: 20, count: 4 });
    const held = (): number => {
      collect();
      const { heapUsed, external } = process.memoryUsage();
      return heapUsed + external;
    };
    const serve = (count: number): void => {
      for (let served = 0; served < count; served++) {
        const k = 1 + (served % 20);
        const source = block.source.subarray(0, k * 192);
        const bytes = codec.encode({ k, symbolBytes: 192, source, firstEsi: k, count: 1 });
        codec.recover({ k, symbolBytes: 192, source, lost: [served % k], repair: [{ esi: k, bytes }] });
      }
    };
    serve(2_000);
    const before = held();
    serve(memoryBlocks);
    expect(held() - before).to.be.below(512 * 1_024);
    expect(Buffer.compare(codec.encode({ ...block, firstEsi: 20, count: 4 }), expected)).to.equal(0);
  });

  it("runs in a kernel whose memory is 19 pages from the first to the last byte, and has no import", () => {
    for (const [name, text] of Object.entries(fecKernels).filter(([, base64]) => base64 !== "")) {
      const module = new WebAssembly.Module(Buffer.from(text, "base64"));
      expect(WebAssembly.Module.imports(module), name).to.deep.equal([]);
      const { memory } = new WebAssembly.Instance(module).exports as { memory: WebAssembly.Memory };
      expect(memory.buffer.byteLength, name).to.equal(19 * 65_536);
      expect(() => memory.grow(1), name).to.throw(RangeError);
      // Some engines compile no more than this on their main thread.
      expect(Buffer.from(text, "base64").length, name).to.be.below(4_096);
    }
  });

  it("has no byte shuffle in the portable builds, and nothing but scalars in the last", { skip: partial }, async () => {
    const resolved = createRequire(join(root, "protocol/package.json")).resolve("binaryen");
    const { default: binaryen } = (await import(pathToFileURL(resolved).href)) as Binaryen;
    const shuffles = /swizzle|shuffle|i8x16|i16x8/;
    const text = Object.fromEntries(
      Object.entries(fecKernels).map(([name, base64]) => {
        const module = binaryen.readBinary(Buffer.from(base64, "base64"));
        return [name, module.emitText()];
      }),
    );
    expect(text.shuffledRelaxed).to.match(/i8x16\.relaxed_swizzle/);
    expect(text.shuffled).to.match(/i8x16\.swizzle/).and.not.match(/relaxed/);
    expect(text.sliced128).to.match(/v128\.xor/).and.not.match(shuffles);
    expect(text.sliced64).to.match(/i64\.xor/).and.not.match(/v128|x16|x8|x4|x2/);
  });

  it("takes the best build that the engine can run, and says so when it can run none", { skip: partial }, () => {
    const lacking = (...names: (keyof typeof fecKernels)[]) => {
      const missing = names.map((name) => fecKernels[name]);
      return (wasm: Uint8Array) => !missing.includes(Buffer.from(wasm).toString("base64"));
    };
    const buildOf = (kernel: "simd" | "portable", supports: (wasm: Uint8Array) => boolean): string => {
      const made = createErasureCodec({ kernel, supports });
      return `${made.kernel} ${made.build}`;
    };
    expect(buildOf("simd", lacking())).to.equal("simd shuffledRelaxed");
    expect(buildOf("simd", lacking("shuffledRelaxed"))).to.equal("simd shuffled");
    expect(buildOf("simd", lacking("shuffledRelaxed", "shuffled"))).to.equal("portable sliced128");
    expect(buildOf("portable", lacking())).to.equal("portable sliced128");
    expect(buildOf("portable", lacking("shuffledRelaxed", "shuffled", "sliced128"))).to.equal("portable sliced64");
    expect(codeThrownBy(() => createErasureCodec({ supports: () => false }))).to.equal("FEC_UNAVAILABLE");
    expect(codeThrownBy(() => createErasureCodec({ kernel: "gpu" as "simd" }))).to.equal("FEC_ARGUMENT_INVALID");
  });

  const skip = process.arch !== "x64" && "the flag that takes SIMD away is one of x64";
  it("runs without SIMD on a processor that has none", { skip }, () => {
    const file = join(root, "protocol/src/wire/fec/createErasureCodec.ts");
    const script = `
      import { createErasureCodec } from ${JSON.stringify(pathToFileURL(file).href)};
      const codec = createErasureCodec();
      const source = Uint8Array.from({ length: 128 }, (_, i) => i);
      const sum = codec.encode({ k: 2, symbolBytes: 64, source, firstEsi: 2, count: 1 });
      console.log(codec.build, sum.every((byte) => byte === 64));`;
    const flags = ["--no-enable-sse4-1", "--input-type=module", "--eval", script];
    const { stdout } = spawnSync(process.execPath, flags, { encoding: "utf8" });
    expect(stdout.trim()).to.equal("sliced64 true");
  });
});
