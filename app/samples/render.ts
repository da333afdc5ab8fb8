/**
 * Renders the sample documents to app/public/samples/text with the system's Chromium and writes samples.json. Run by
 * hand when a document changes (`node app/samples/render.ts`); the images are committed, so nothing else needs
 * Chromium.
 */
import { mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import sharp from "sharp";
import { documents, type SampleDocument } from "./documents.ts";

const target = join(dirname(fileURLToPath(import.meta.url)), "../public/samples");
/** Printed fragments that stand alone: what text detection will see as lines. */
const countLines = `[...document.querySelectorAll("p, h1, h2, th, td")]
  .flatMap((element) => element.classList.contains("row") ? [...element.children] : [element])
  .filter((element) => element.textContent.trim() !== "").length`;
const modules = join(target, "../../../node_modules");
const faces = await Promise.all([
  fontFace("Inter", "@fontsource-variable/inter/files/inter-latin-wght-normal.woff2"),
  fontFace("JetBrains Mono", "@fontsource/jetbrains-mono/files/jetbrains-mono-latin-400-normal.woff2"),
]);
const browser = await chromium.launch({
  executablePath: process.env.NGPU_CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"],
});
try {
  await mkdir(join(target, "text"), { recursive: true });
  const page = await browser.newPage();
  const linesOf = new Map<string, number>();
  for (const document of documents) {
    await page.setViewportSize({ width: document.width, height: document.height });
    await page.setContent(htmlOf(document));
    await page.evaluate("document.fonts.ready");
    linesOf.set(document.file, await page.evaluate<number>(countLines));
    const shot = await page.screenshot({ type: "png" });
    const png = await sharp(shot)
      .grayscale()
      .png({ palette: true, colours: 16, compressionLevel: 9, effort: 10 })
      .toBuffer();
    await writeFile(join(target, "text", document.file), png);
    process.stdout.write(`${document.file} ${png.length} bytes\n`);
  }
  await writeFile(join(target, "samples.json"), `${JSON.stringify(await listing(linesOf), null, 2)}\n`);
} finally {
  await browser.close();
}

function htmlOf({ style, body, degrees }: SampleDocument): string {
  return `<!doctype html><meta charset="utf-8"><style>${faces.join("")}
    * { box-sizing: border-box; margin: 0; }
    html { background: #e9e9e7; }
    body { background: #fcfcfa; color: #1b1b1b; min-height: 100vh; transform: rotate(${degrees}deg) scale(0.985); }
    main { ${style} }
    h1, h2 { line-height: 1.3; } h2 { font-size: 1.15em; margin-top: 16px; }
    hr { border: 0; border-top: 2px solid #777; margin: 14px 0; }
    table { width: 100%; border-collapse: collapse; margin: 22px 0; }
    th, td { text-align: left; padding: 7px 8px; border-bottom: 1px solid #aaa; font-weight: normal; }
    th { font-weight: bold; } td:not(:first-child), th:not(:first-child) { text-align: right; }
    .c { text-align: center; } .row { display: flex; justify-content: space-between; gap: 40px; }
  </style><body><main>${body}</main></body>`;
}

/** The document is loaded from memory, so its fonts travel inside it. */
async function fontFace(family: string, file: string): Promise<string> {
  const bytes = await readFile(join(modules, file));
  const source = `url(data:font/woff2;base64,${bytes.toString("base64")})`;
  return `@font-face { font-family: "${family}"; font-weight: 100 900; src: ${source}; }`;
}

async function listing(linesOf: Map<string, number>): Promise<object> {
  const text = documents.map(({ file, title, width, height }) => ({
    file: `text/${file}`,
    title,
    width,
    height,
    lines: linesOf.get(file),
  }));
  return { text, faces: await faceSamples() };
}

/**
 * Faces are copied from a package when the project is generated; they are listed here, not stored in the repository.
 */
async function faceSamples(): Promise<object[]> {
  const titles = [
    "Three at a bar",
    "Three on a sofa",
    "Two and a friend",
    "Four in a row",
    "Five on the stairs",
    "Four by the window",
  ];
  const folder = join(modules, "@vladmandic/face-api/demo");
  const files = (await readdir(folder)).filter((name) => /^sample\d\.jpg$/.test(name)).sort();
  return Promise.all(
    files.map(async (name, index) => {
      const { width, height } = await sharp(join(folder, name)).metadata();
      return { file: `faces/${name}`, title: titles[index] ?? name, width, height };
    }),
  );
}
