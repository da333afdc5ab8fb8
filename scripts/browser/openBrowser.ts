/**
 * A headless Chromium that reaches this machine alone, and keeps a list of everything a page did that it should not
 * do.
 */
import { chromium, type Browser, type BrowserContext, type Page } from "playwright-core";
import type { InjectedWallet } from "./injectedWallet.ts";

export interface Look {
  colorScheme: "light" | "dark";
  width: number;
  height: number;
}

export interface BrowserSession {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Errors of console and page, and requests off the machine, in words. */
  readonly problems: readonly string[];
  close(): Promise<void>;
}

const flags = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
];
const local = /^(https?|wss?):\/\/(127\.0\.0\.1|localhost)(:\d+)?(\/|$)|^(data|blob|about):/;

export async function launchBrowser(options: { executablePath: string }): Promise<Browser> {
  return chromium.launch({ executablePath: options.executablePath, args: flags });
}

export async function openSession(options: {
  browser: Browser;
  look: Look;
  wallet?: InjectedWallet;
}): Promise<BrowserSession> {
  const { browser, look, wallet } = options;
  const { width, height, colorScheme } = look;
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme,
    acceptDownloads: true,
    reducedMotion: "reduce",
  });
  await wallet?.install(context);
  const problems: string[] = [];
  context.on("request", (request) => {
    if (!local.test(request.url())) problems.push(`request off the machine: ${request.url()}`);
  });
  context.on("console", (message) => {
    if (message.type() === "error") problems.push(`console error: ${message.text()} (${message.location().url})`);
  });
  context.on("weberror", (error) => problems.push(`page error: ${error.error().message}`));
  const page = await context.newPage();
  return { context, page, problems, close: () => context.close() };
}
