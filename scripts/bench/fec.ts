/**
 * `npm run bench:fec -- --json`: how fast the erasure code makes and recovers symbols, in GB of source data a second,
 * through its public interface (copies in and out included). A second is one of CPU time, so that a machine that is busy
 * with other things measures the same; in the browser it is one of the clock. `baseline` is the fastest package of npm
 * that has such a code, doing the same block in turns with ours in the same run; `ratio` is the median of the ratios of
 * each turn.
 */
import os from "node:os";
import { median } from "@ngpu/protocol/selection/median";
import type { ErasureKernel } from "@ngpu/protocol/wire/fec/erasureCodec";
import { findChromium } from "../targets/testing/chromium.ts";
import { inBrowser } from "./fec/inBrowser.ts";
import { ours, peer, type Contender, type Shape } from "./fec/contenders.ts";

interface Row {
  name: string;
  value: number;
  unit: "GB/s";
  min: number;
  max: number;
  n: number;
  baseline?: number;
  ratio?: number;
}

/** What is counted of a symbol; the peer codes 1,200 bytes, ours the next multiple of 64. */
const payloadBytes = 1_200;
const turns = 31;
const turnMs = 20;

const rows: Row[] = [
  compare("encode_32_16", { k: 32, m: 16 }),
  compare("decode_32_16_erased16", { k: 32, m: 16, erased: 16 }),
  compare("portable_encode_32_16", { k: 32, m: 16 }, "portable"),
  compare("portable_decode_32_16_erased16", { k: 32, m: 16, erased: 16 }, "portable"),
  compare("decode_32_16_erased4", { k: 32, m: 16, erased: 4 }),
  compare("encode_64_32", { k: 64, m: 32 }),
  compare("decode_64_32_erased32", { k: 64, m: 32, erased: 32 }),
  compare("encode_128_64", { k: 128, m: 64 }),
  compare("decode_128_64_erased64", { k: 128, m: 64, erased: 64 }),
  alone("encode_32_4", { k: 32, m: 4 }),
  alone("encode_32_1", { k: 32, m: 1 }),
];
const chromium = findChromium();
if (chromium === undefined) process.stderr.write("· no Chromium: the rows of a browser are left out\n");
else {
  const measured = await inBrowser({ chromium, payloadBytes, turns, turnMs });
  rows.push(row("browser_encode_32_16", measured.simd), row("browser_portable_encode_32_16", measured.portable));
}
print();

/** Ours and the peer in turns; what the neighbours of this machine do hits both. */
function compare(name: string, shape: Shape, kernel: ErasureKernel = "simd"): Row {
  const own = ours({ ...shape, kernel, payloadBytes });
  const other = peer({ ...shape, payloadBytes });
  const speeds = { own: [] as number[], other: [] as number[], ratio: [] as number[] };
  for (let turn = -3; turn < turns; turn++) {
    const [ownSpeed, otherSpeed] = [speedOf(own), speedOf(other)];
    // The first turns only warm up.
    if (turn < 0) continue;
    speeds.own.push(ownSpeed);
    speeds.other.push(otherSpeed);
    speeds.ratio.push(ownSpeed / otherSpeed);
  }
  return { ...row(name, speeds.own), baseline: rounded(median(speeds.other)), ratio: rounded(median(speeds.ratio)) };
}

function alone(name: string, shape: Shape): Row {
  const own = ours({ ...shape, kernel: "simd", payloadBytes });
  const speeds = Array.from({ length: turns + 3 }, () => speedOf(own)).slice(3);
  return row(name, speeds);
}

/** GB/s of source data over one turn. The clock is read after twice as many acts each time: reading it costs too. */
function speedOf({ act, bytes }: Contender): number {
  const before = process.cpuUsage();
  let done = 0;
  let spentUs = 0;
  for (let batch = 1; spentUs < turnMs * 1_000; batch *= 2) {
    for (let index = 0; index < batch; index++) act();
    done += batch;
    const { user, system } = process.cpuUsage(before);
    spentUs = user + system;
  }
  return (done * bytes) / spentUs / 1e3;
}

function row(name: string, speeds: readonly number[]): Row {
  const [min, max] = [Math.min(...speeds), Math.max(...speeds)];
  return { name, value: rounded(median(speeds)), unit: "GB/s", min: rounded(min), max: rounded(max), n: speeds.length };
}

function rounded(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}

function print(): void {
  const cpus = os.cpus();
  const machine = { cpu: cpus[0]?.model ?? "unknown", cores: cpus.length, node: process.version };
  if (process.argv.includes("--json")) console.log(JSON.stringify({ bench: "fec", machine, rows }, undefined, 2));
  else console.table(Object.fromEntries(rows.map(({ name, unit: _unit, ...figures }) => [`${name} (GB/s)`, figures])));
}
