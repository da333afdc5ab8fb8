/** The 32 + 16 block coded by the same modules in a headless Chromium, for both kernels. */
import { launchBrowser } from "../../browser/openBrowser.ts";
import { serveModules } from "../../browser/serveModules.ts";

export interface BrowserSpeeds {
  /** GB/s per turn. */
  simd: number[];
  portable: number[];
}

export async function inBrowser(options: {
  chromium: string;
  payloadBytes: number;
  turns: number;
  turnMs: number;
}): Promise<BrowserSpeeds> {
  const { chromium, ...given } = options;
  const modules = await serveModules({ folder: "protocol/src" });
  const browser = await launchBrowser({ executablePath: chromium });
  try {
    const page = await browser.newPage();
    await page.goto(modules.url);
    return await page.evaluate(async ({ payloadBytes, turns, turnMs }) => {
      type Module = typeof import("@ngpu/protocol/wire/fec/createErasureCodec");
      const path = "/protocol/src/wire/fec/createErasureCodec.ts";
      const { createErasureCodec } = (await import(path)) as Module;
      const [k, count] = [32, 16];
      const symbolBytes = Math.ceil(payloadBytes / 64) * 64;
      const source = new Uint8Array(k * symbolBytes);
      crypto.getRandomValues(source);
      const into = new Uint8Array(count * symbolBytes);
      const codecs = { simd: createErasureCodec(), portable: createErasureCodec({ kernel: "portable" }) };
      const speeds = { simd: [] as number[], portable: [] as number[] };
      for (let turn = -3; turn < turns; turn++) {
        for (const kernel of ["simd", "portable"] as const) {
          const startedAt = performance.now();
          let done = 0;
          let elapsedMs = 0;
          while (elapsedMs < turnMs) {
            codecs[kernel].encode({ k, symbolBytes, source, firstEsi: k, count, into });
            done += k * payloadBytes;
            elapsedMs = performance.now() - startedAt;
          }
          // The first turns only warm up.
          if (turn >= 0) speeds[kernel].push(done / elapsedMs / 1e6);
        }
      }
      return speeds;
    }, given);
  } finally {
    await browser.close();
    await modules.close();
  }
}
