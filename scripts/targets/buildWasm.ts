/**
 * Builds the kernels of the erasure code from protocol/wasm and writes them as a module that needs no fetch. The same
 * sources give the same bytes on every machine.
 *
 *   npm run build:wasm                          all builds
 *   npm run build:wasm -- --without-shuffle     without the builds that shuffle bytes (docs/decisions/0008)
 *   npm run build:wasm -- --without-simd        without any build that uses SIMD
 *   npm run build:wasm -- --check               writes nothing; fails if what is committed is stale
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, relative } from "node:path";
import { toBase64 } from "@ngpu/protocol/base64";
import { paths } from "../stack/paths.ts";
import { runTool } from "../stack/process/runTool.ts";
import { temporaryFolder } from "../stack/temporaryFolder.ts";
import { runTarget } from "./runTarget.ts";

interface Build {
  name: string;
  entry: string;
  features: readonly string[];
  /** The switches that leave it out. */
  uses: readonly ("shuffle" | "simd")[];
}

const simd = ["--enable", "simd"];
const relaxed = [...simd, "--enable", "relaxed-simd"];
const builds: readonly Build[] = [
  { name: "shuffledRelaxed", entry: "shuffled", features: relaxed, uses: ["shuffle", "simd"] },
  { name: "shuffled", entry: "shuffled", features: simd, uses: ["shuffle", "simd"] },
  { name: "sliced128", entry: "sliced128", features: simd, uses: ["simd"] },
  { name: "sliced64", entry: "sliced64", features: ["--disable", "simd"], uses: [] },
];
/** Fixed memory, no runtime, no checks that the TypeScript side has made. */
const pages = "19";
const options = ["-O3", "--converge", "--noAssert", "--runtime", "stub", "--memoryBase", "0"];
const memory = ["--initialMemory", pages, "--maximumMemory", pages];

const file = join(paths.root, "protocol/src/generated/fecKernels.ts");
const compiler = createRequire(join(paths.root, "protocol/package.json")).resolve("assemblyscript/bin/asc.js");
const committed = existsSync(file) ? readFileSync(file, "utf8") : "";
const isCheck = process.argv.includes("--check");

await runTarget(async () => {
  const folder = temporaryFolder("wasm");
  mkdirSync(folder, { recursive: true });
  try {
    const built = await Promise.all(
      builds.map(async (build) => {
        const text = isLeftOut(build) ? "" : await compile(build, folder);
        return { name: build.name, text };
      }),
    );
    finish(moduleOf(built));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

/** A tree that leaves builds out on purpose is not stale for that. */
function isLeftOut({ name, uses }: Build): boolean {
  if (isCheck) return new RegExp(`\\b${name}:\\s+""`).test(committed);
  return uses.some((feature) => process.argv.includes(`--without-${feature}`));
}

async function compile({ name, entry, features }: Build, folder: string): Promise<string> {
  const wasm = join(folder, `${name}.wasm`);
  const source = join("protocol/wasm/fec", `${entry}.ts`);
  await runTool({
    name: `asc ${name}`,
    command: [process.execPath, compiler, source, "--outFile", wasm, ...options, ...memory, ...features],
    cwd: paths.root,
    logFile: join(folder, `${name}.log`),
    timeoutMs: 2 * 60_000,
  });
  return toBase64(readFileSync(wasm));
}

function moduleOf(built: readonly { name: string; text: string }[]): string {
  return `/** The kernels of the erasure code as base64, written by scripts/targets/buildWasm.ts from protocol/wasm; do not edit. */
export const fecKernels = {
${built.map(({ name, text }) => `  ${name}:\n    "${text}",`).join("\n")}
};
`;
}

function finish(text: string): void {
  const name = relative(paths.root, file);
  const isStale = committed !== text;
  if (isCheck) {
    if (isStale) console.error(`stale: ${name} (run: npm run build:wasm)`);
    process.exitCode = isStale ? 1 : 0;
  } else {
    if (isStale) writeFileSync(file, text);
    console.log(`${name}: ${isStale ? "written" : "up to date"}`);
  }
}
