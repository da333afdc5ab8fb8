/**
 * The erasure code: any k symbols give the block back, every build of both kernels makes the same bytes, and these are
 * the bytes of the definition, which support/slowErasureCode.ts computes on its own.
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { createErasureCodec } from "@ngpu/protocol/wire/fec/createErasureCodec";
import { expect } from "chai";
import { aBlock, everyBuild, randomOf, seed, someOf, symbolsOf } from "./support/fecBlocks.ts";
import { coefficient, slowDecode, slowEncode } from "./support/slowErasureCode.ts";

interface Vector {
  k: number;
  symbolBytes: number;
  /** Byte i of the source is (i × i × 31 + i × 7 + seed) mod 251. */
  seed: number;
  repair: { esi: number; sha256: string; firstBytes: string }[];
}

const vectors = JSON.parse(
  readFileSync(join(import.meta.dirname, "../../protocol/vectors/fec.json"), "utf8"),
) as Vector[];
const builds = everyBuild();

describe("the erasure code", () => {
  it("gives a block back from any k of its symbols, for every shape of a grid, in every build", (test) => {
    test.diagnostic(`SEED=${seed}`);
    const random = randomOf("grid");
    for (const k of [1, 2, 3, 4, 5, 7, 8, 15, 16, 31, 32, 33, 64, 65, 96, 127, 128, 129, 192, 254, 255]) {
      for (const m of [1, 2, 3, 4, 5, 8, 16, 31, 64, 128].filter((count) => k + count <= 256)) {
        const block = aBlock(random, { k, symbolBytes: 64 * (1 + random(3)) });
        for (const codec of builds) {
          const symbols = symbolsOf(codec, block, someOf(random, { first: 0, end: k + m, count: k }));
          const decoded = codec.decode({ ...block, symbols });
          expect(Buffer.compare(decoded, block.source), `${codec.build} ${k}+${m}`).to.equal(0);
        }
      }
    }
  });

  it("is MDS: every choice of k out of k + m symbols decodes, for all k + m up to 11", () => {
    const random = randomOf("mds");
    let choices = 0;
    for (let n = 2; n <= 11; n++) {
      for (let k = 1; k < n; k++) {
        const block = aBlock(random, { k, symbolBytes: 64 });
        const all = symbolsOf(builds[0] ?? createErasureCodec(), block, [...Array(n).keys()]);
        for (let chosen = 0; chosen < 2 ** n; chosen++) {
          const symbols = all.filter((_, index) => (chosen >> index) & 1);
          if (symbols.length !== k) continue;
          choices++;
          const codec = builds[choices % builds.length] ?? createErasureCodec();
          const decoded = codec.decode({ ...block, symbols });
          if (Buffer.compare(decoded, block.source) !== 0) expect.fail(`${k}+${n - k}, choice ${chosen}`);
        }
      }
    }
    expect(choices).to.equal(4_072);
  });

  it("makes the same bytes in all builds for random shapes, symbols of several slices included", () => {
    const random = randomOf("identical");
    for (const symbolBytes of [64, 128, 192, 1_152, 1_216, 1_344, 2_048, 2_112, 6_208, 65_536]) {
      const k = 1 + random(symbolBytes > 6_208 ? 12 : 250);
      const block = aBlock(random, { k, symbolBytes });
      const count = 1 + random(Math.min(256 - k, 40));
      const request = { ...block, firstEsi: k + random(256 - k - count + 1), count };
      const lost = someOf(random, { first: 0, end: k, count: 1 + random(Math.min(k, 256 - k)) });
      const repair = symbolsOf(createErasureCodec(), block, someOf(random, { first: k, end: 256, count: lost.length }));
      const [expected] = builds.map((codec) => codec.encode(request));
      for (const codec of builds) {
        expect(Buffer.compare(codec.encode(request), expected ?? Buffer.of()), `${codec.build} ${k}`).to.equal(0);
        const damaged = block.source.slice();
        for (const esi of lost) damaged.fill(0xee, esi * symbolBytes, (esi + 1) * symbolBytes);
        codec.recover({ ...block, source: damaged, lost, repair });
        expect(Buffer.compare(damaged, block.source), `${codec.build} ${k} − ${lost.length}`).to.equal(0);
      }
    }
  });

  it("makes and reads the symbols of the definition", () => {
    const random = randomOf("definition");
    for (const k of [1, 2, 5, 12, 40, 255]) {
      const block = aBlock(random, { k, symbolBytes: 64 });
      for (const codec of builds) {
        const esi = k + random(256 - k);
        const made = codec.encode({ ...block, firstEsi: esi, count: 1 });
        expect(Buffer.compare(made, slowEncode({ ...block, esi })), `${codec.build} ${k} ${esi}`).to.equal(0);
        if (k > 40) continue;
        const esis = someOf(random, { first: 0, end: 256, count: k });
        const slow = esis.map((id) => ({ esi: id, bytes: slowEncode({ ...block, esi: id }) }));
        expect(Buffer.compare(codec.decode({ ...block, symbols: slow }), block.source)).to.equal(0);
        const symbols = symbolsOf(codec, block, esis);
        expect(Buffer.compare(slowDecode({ k, symbols }) ?? Buffer.of(), block.source)).to.equal(0);
      }
    }
  });

  it("has the coefficients of the definition in every row and column that exists", () => {
    const symbolBytes = 64;
    for (const k of [1, 7, 100, 128, 255]) {
      // The source is a unit matrix, so that byte c of a repair symbol is its coefficient for source symbol c.
      const blocks = Math.ceil(k / symbolBytes);
      for (let part = 0; part < blocks; part++) {
        const source = new Uint8Array(k * symbolBytes);
        for (let c = part * symbolBytes; c < Math.min(k, (part + 1) * symbolBytes); c++) {
          source[c * symbolBytes + (c % symbolBytes)] = 1;
        }
        for (const codec of builds) {
          const made = codec.encode({ k, symbolBytes, source, firstEsi: k, count: 256 - k });
          for (let row = 0; row < 256 - k; row += 1 + (row % 5)) {
            for (let c = part * symbolBytes; c < Math.min(k, (part + 1) * symbolBytes); c++) {
              const found = made[row * symbolBytes + (c % symbolBytes)];
              if (found !== coefficient(k, k + row, c)) expect.fail(`${codec.build}: k ${k}, row ${row}, column ${c}`);
            }
          }
        }
      }
    }
  });

  it("makes a repair symbol the same alone, in any range and all at once; the first one is the plain sum", () => {
    const random = randomOf("lazy");
    const block = aBlock(random, { k: 37, symbolBytes: 320 });
    const { k, symbolBytes, source } = block;
    for (const codec of builds) {
      const eager = codec.encode({ ...block, firstEsi: k, count: 256 - k });
      for (let firstEsi = k; firstEsi < 256; ) {
        const count = 1 + random(Math.min(9, 256 - firstEsi));
        const into = new Uint8Array(count * symbolBytes + 5).fill(7);
        const lazy = codec.encode({ ...block, firstEsi, count, into });
        const at = (firstEsi - k) * symbolBytes;
        expect(Buffer.compare(lazy, eager.subarray(at, at + count * symbolBytes)), `${firstEsi}`).to.equal(0);
        expect(lazy.buffer).to.equal(into.buffer);
        expect([...into.subarray(count * symbolBytes)]).to.deep.equal([7, 7, 7, 7, 7]);
        firstEsi += count;
      }
      const sum = new Uint8Array(symbolBytes);
      source.forEach((byte, index) => (sum[index % symbolBytes] = (sum[index % symbolBytes] ?? 0) ^ byte));
      expect([...eager.subarray(0, symbolBytes)]).to.deep.equal([...sum]);
    }
  });

  it("fills in what is lost and touches nothing else", () => {
    const random = randomOf("untouched");
    const block = aBlock(random, { k: 20, symbolBytes: 192 });
    const { k, symbolBytes, source } = block;
    for (const codec of builds) {
      const repair = symbolsOf(codec, block, [200, 21, 255]);
      const around = new Uint8Array(source.length + 128).fill(0xaa);
      const damaged = around.subarray(64, 64 + source.length);
      damaged.set(source);
      damaged.fill(0, 3 * symbolBytes, 5 * symbolBytes);
      codec.recover({ k, symbolBytes, source: damaged, lost: [4, 3], repair });
      expect(Buffer.compare(damaged, source)).to.equal(0);
      expect(around.filter((byte, index) => byte !== 0xaa && (index < 64 || index >= 64 + source.length))).to.be.empty;
      // What is said not to be lost is taken as it is.
      const untouched = damaged.slice().fill(9);
      codec.recover({ k, symbolBytes, source: untouched, lost: [], repair });
      expect(untouched.every((byte) => byte === 9)).to.equal(true);
    }
  });

  it("agrees with its committed vectors, as does the definition", () => {
    expect(vectors).to.have.length.above(5);
    for (const { k, symbolBytes, seed, repair } of vectors) {
      const source = Uint8Array.from({ length: k * symbolBytes }, (_, i) => (i * i * 31 + i * 7 + seed) % 251);
      const last = repair.at(-1);
      for (const { esi, sha256, firstBytes } of repair) {
        const made = builds.map((codec) => codec.encode({ k, symbolBytes, source, firstEsi: esi, count: 1 }));
        if (esi === last?.esi) made.push(slowEncode({ k, symbolBytes, source, esi }));
        for (const symbol of made) {
          expect(Buffer.from(symbol.subarray(0, 8)).toString("hex"), `${k} ${esi}`).to.equal(firstBytes);
          expect(createHash("sha256").update(symbol).digest("hex"), `${k} ${esi}`).to.equal(sha256);
        }
      }
    }
  });
});
