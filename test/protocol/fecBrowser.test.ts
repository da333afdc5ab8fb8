/** The erasure code in a browser: the same modules, unbundled, in a headless Chromium. */
import { createHash } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { createErasureCodec } from "@ngpu/protocol/wire/fec/createErasureCodec";
import type { Browser } from "playwright-core";
import { expect } from "chai";
import { launchBrowser } from "../../scripts/browser/openBrowser.ts";
import { serveModules, type ModuleServer } from "../../scripts/browser/serveModules.ts";
import { createProgress } from "../../scripts/stack/progress.ts";
import { requireChromium } from "../../scripts/targets/testing/chromium.ts";

const shape = { k: 24, symbolBytes: 1_152, firstEsi: 24, count: 9 };

describe("the erasure code in a browser", () => {
  let modules: ModuleServer;
  let browser: Browser;

  before(async () => {
    modules = await serveModules({ folder: "protocol/src" });
    browser = await launchBrowser({ executablePath: await requireChromium(createProgress()) });
  });
  after(async () => {
    await browser?.close();
    await modules?.close();
  });

  it("makes the bytes that Node makes with both kernels, and recovers what is lost", async () => {
    const page = await browser.newPage();
    await page.goto(modules.url);
    const found = await page.evaluate(async (given) => {
      type Module = typeof import("@ngpu/protocol/wire/fec/createErasureCodec");
      const path = "/protocol/src/wire/fec/createErasureCodec.ts";
      const { createErasureCodec: create } = (await import(path)) as Module;
      const { k, symbolBytes } = given;
      const source = Uint8Array.from({ length: k * symbolBytes }, (_, index) => index * 7 + (index >> 8));
      return Promise.all(
        (["simd", "portable"] as const).map(async (kernel) => {
          const codec = create({ kernel });
          const made = codec.encode({ ...given, source });
          const lost = [0, 23, 11];
          const repair = lost.map((_, index) => ({
            esi: k + index * 4,
            bytes: made.slice(index * 4 * symbolBytes, (index * 4 + 1) * symbolBytes),
          }));
          const damaged = source.slice();
          for (const esi of lost) damaged.fill(0, esi * symbolBytes, (esi + 1) * symbolBytes);
          codec.recover({ k, symbolBytes, source: damaged, lost, repair });
          const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", made.slice()));
          return {
            build: codec.build,
            sha256: [...hash].map((byte) => byte.toString(16).padStart(2, "0")).join(""),
            isRecovered: damaged.every((byte, index) => byte === source[index]),
          };
        }),
      );
    }, shape);
    const source = Uint8Array.from({ length: shape.k * shape.symbolBytes }, (_, index) => index * 7 + (index >> 8));
    const sha256 = createHash("sha256").update(createErasureCodec().encode({ ...shape, source })).digest("hex");
    const builds = (["simd", "portable"] as const).map((kernel) => createErasureCodec({ kernel }).build);
    expect(found).to.deep.equal(builds.map((build) => ({ build, sha256, isRecovered: true })));
  });
});
