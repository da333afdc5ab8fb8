/**
 * Bad days in the dApp, in a real Chromium: the wrong chain, refusals, files that do not fit, too little money, nobody
 * to serve, torn images, a wrong clock, a silent index, a stale price. Each says what happened, what it cost and what
 * to do, and no money is lost on any of them.
 */
import { mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { deployments } from "@ngpu/protocol/generated/deployments";
import { taskEscrowAbi } from "@ngpu/protocol/generated/abi/taskEscrow";
import { taskStatus } from "@ngpu/protocol/taskStatus";
import { expect } from "chai";
import type { Browser, Locator, Page } from "playwright-core";
import { createTestClient, http, parseEther, type Hex, type PublicClient, type TestClient } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { hardhat } from "viem/chains";
import { connectWallet } from "../../scripts/browser/connectWallet.ts";
import { createInjectedWallet, type InjectedWallet } from "../../scripts/browser/injectedWallet.ts";
import { launchBrowser, openSession, type BrowserSession } from "../../scripts/browser/openBrowser.ts";
import { localAccounts } from "../../scripts/stack/accounts.ts";
import { localClient } from "../../scripts/stack/chain.ts";
import { formatUsd6 } from "../../scripts/stack/formatUsd6.ts";
import { paths } from "../../scripts/stack/paths.ts";
import { temporaryFolder } from "../../scripts/stack/temporaryFolder.ts";
import { findChromium } from "../../scripts/targets/testing/chromium.ts";
import { seriousViolations } from "./support/accessibility.ts";
import { settlementOf, wealthOf } from "./support/ledger.ts";
import { startLine, type Line } from "./support/startLine.ts";

const escrow = { address: deployments[31337].taskEscrow, abi: taskEscrowAbi } as const;
const artefacts = join(paths.root, "test/artefacts");
const desktop = { colorScheme: "light", width: 1280, height: 900 } as const;
const sample = join(paths.root, "app/public/samples/text/03-parcel-label.png");
const payer = localAccounts.payer.account;
const taskWithinMs = 45_000;
const hourMs = 3_600_000;
const permitLifetimeS = 1_200;

describe("the dApp on a bad day", () => {
  let line: Line;
  let chain: PublicClient;
  let time: TestClient;
  let browser: Browser;
  let wallet: InjectedWallet;
  let session: BrowserSession;
  let page: Page;
  let dapp: string;
  let quote: Locator;

  before(async () => {
    mkdirSync(artefacts, { recursive: true });
    const executablePath = findChromium();
    if (!executablePath)
      throw new Error("There is no Chromium: run `npm test`, which installs it, or set NGPU_CHROMIUM.");
    line = await startLine({ agents: 2, dapp: true });
    dapp = line.stack.urls.dapp ?? "";
    chain = localClient(line.stack.urls.rpc);
    time = createTestClient({ mode: "hardhat", chain: hardhat, transport: http(line.stack.urls.rpc) });
    browser = await launchBrowser({ executablePath });
    wallet = createInjectedWallet({ account: payer, rpcUrl: line.stack.urls.rpc });
    session = await openSession({ browser, look: desktop, wallet });
    await session.context.addInitScript(walletOfAnotherChain);
    await session.context.addInitScript(clockAhead, hourMs);
    page = session.page;
    page.setDefaultTimeout(20_000);
    quote = page.getByRole("region", { name: "Quote" });
  });
  after(async () => {
    await browser?.close();
    await line?.stop();
  });

  it("names each file that does not fit, keeps those that do, and reads no huge one", async () => {
    await page.goto(`${dapp}/post`);
    await page.getByRole("button", { name: "Connect a wallet" }).or(quote.getByText("Choose images")).first().waitFor();
    const huge = `${temporaryFolder("huge")}.png`;
    writeFileSync(huge, "");
    truncateSync(huge, 100 * 1_048_576);
    const files = page.locator("input[type=file]");
    const input = page.getByRole("region", { name: "Input" });
    try {
      await files.setInputFiles([huge, sample]);
      await input.getByText("100.0 MiB").waitFor();
    } finally {
      rmSync(huge);
    }
    await files.setInputFiles({ name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("hello") });
    await input.getByText("notes.txt was left out").waitFor();
    await input.getByText("nothing was spent").waitFor();
    const buffer = readFileSync(sample);
    const many = Array.from({ length: 65 }, (_, index) => ({ name: `p${index}.png`, mimeType: "image/png", buffer }));
    await files.setInputFiles(many);
    await input.getByText("2 files were left out").waitFor();
    expect(await pictures(page)).to.equal(64);
    await input.getByRole("button", { name: "Remove all" }).click();
    expect(await input.getByRole("status").count()).to.equal(0);
  });

  it("asks to switch a wallet that is on another chain, and a refusal leaves the form as it was", async () => {
    await page.locator("input[type=file]").setInputFiles(sample);
    await connectWallet(page, wallet);
    await moveWalletTo(page, 1);
    const change = quote.getByRole("button", { name: "Switch to NGPU local" });
    await change.waitFor();
    await refuseSwitch(page);
    await change.click();
    await quote.getByRole("status").filter({ hasText: "Declined in the wallet" }).waitFor();
    expect(await pictures(page)).to.equal(1);
    await change.click();
    await quote.getByRole("button", { name: /^Sign permit/ }).waitFor();
  });

  it("says how much money and gas is missing, to the last digit, and has an expired permit signed again", async () => {
    const poor = privateKeyToAccount(generatePrivateKey());
    await time.setBalance({ address: poor.address, value: parseEther("1") });
    const theirWallet = createInjectedWallet({ account: poor, rpcUrl: line.stack.urls.rpc });
    const theirs = await openSession({ browser, look: desktop, wallet: theirWallet });
    try {
      const post = theirs.page;
      post.setDefaultTimeout(20_000);
      await post.goto(`${dapp}/post`);
      await post.locator("input[type=file]").setInputFiles(sample);
      await connectWallet(post, theirWallet);
      const card = post.getByRole("region", { name: "Quote" });
      await card.getByRole("button", { name: "Get test money" }).waitFor();
      const most = await card.locator("[data-exact]").first().getAttribute("data-exact");
      await card.getByText(`this task needs ${most} USD: ${most} USD are missing.`).waitFor();
      await card.getByRole("button", { name: "Get test money" }).click();
      await card.getByRole("button", { name: /^Sign permit/ }).click();
      const send = card.getByRole("button", { name: "Post", exact: true });
      await send.waitFor();
      await time.setBalance({ address: poor.address, value: 1n });
      await send.click();
      const alert = card.getByText("too little of the chain's own coin");
      await alert.waitFor();
      await card
        .getByText(/It holds 0\.000000000000000001 ETH; this needs up to 0\.\d+ ETH: 0\.\d+ ETH are missing/)
        .waitFor();
      expect(sentBy(theirWallet)).to.equal(1);
      await send.waitFor();
      await time.increaseTime({ seconds: permitLifetimeS });
      await time.mine({ blocks: 1 });
      await card.getByRole("button", { name: /^Sign permit/ }).waitFor();
      expect(await pictures(post)).to.equal(1);
    } finally {
      await theirs.close();
    }
  });

  it("ends a task that no node can execute calmly: reason, refund, and the way to post again", async () => {
    const wealthUsd6 = await wealthOf(chain, payer.address);
    const torn = Buffer.from(readFileSync(sample));
    torn.fill(0x55, 60, torn.length - 60);
    await page.getByRole("button", { name: "Remove all" }).click();
    await page.locator("input[type=file]").setInputFiles({ name: "torn.png", mimeType: "image/png", buffer: torn });
    const taskId = await postTask();
    const outcome = page.getByTestId("outcome");
    await outcome.getByText("Refunded: no assigned node could execute it").waitFor({ timeout: taskWithinMs });
    expect(await outcome.innerText()).to.match(/node-\d: .+; node-\d: .+Nothing was billed/s);
    expect(await outcome.getByRole("alert").count()).to.equal(0);
    expect(await page.locator('[data-stage="running"]').getAttribute("data-state")).to.equal("ended");
    expect(await statusOf(taskId)).to.equal(taskStatus.refunded);
    expect(await wealthOf(chain, payer.address)).to.equal(wealthUsd6);
    await outcome.getByRole("link", { name: "Post again" }).click();
    await page.waitForURL(`**/post?model=*&again=${taskId}`);
    await page.getByRole("img", { name: "torn.png" }).waitFor();
  });

  it("hands over its input although this device's clock is an hour ahead", async () => {
    expect(await page.evaluate(() => Date.now())).to.be.above(Date.now() + hourMs / 2);
    await page.getByRole("button", { name: "Remove all" }).click();
    await page.locator("input[type=file]").setInputFiles(sample);
    await postTask();
    await page.locator('[data-stage="settled"][data-state^="done"]').waitFor({ timeout: taskWithinMs });
    await page.getByRole("list", { name: "Recognised text" }).waitFor();
  });

  it("demands an output that it cannot get, is told what that costs, and opens it once keepers have answered", async () => {
    // Neither over a link nor over HTTP.
    await page.routeWebSocket(/\/v1\/coded$/, (socket) => socket.close());
    const blobs = `${line.stack.urls.gateway}/v1/blobs/**`;
    await page.route(blobs, (route) => (route.request().method() === "GET" ? route.abort() : route.continue()));
    await page.goto(`${dapp}/post`);
    await page.locator("input[type=file]").setInputFiles(sample);
    const taskId = await postTask();
    const window = page.getByTestId("payer-window");
    await window.getByText(/you can say so for another \d+ s/).waitFor({ timeout: taskWithinMs });
    const settled = await settlementOf(chain, taskId);
    const { amountUsd6 = 0n } = settled?.args ?? {};
    const bondUsd6 = await chain.readContract({ ...escrow, functionName: "demandBondOf", args: [amountUsd6] });
    const wealthUsd6 = await wealthOf(chain, payer.address);
    const asked = window.getByRole("button", { name: "I cannot get the output" });
    expect(await asked.getAttribute("aria-expanded")).to.equal("false");
    await asked.press("Enter");
    await window
      .locator(`[data-exact="${formatUsd6(bondUsd6).replace(/\.?0+$/, "")}"]`)
      .first()
      .waitFor();
    expect(await seriousViolations(page)).to.deep.equal([]);
    await page.screenshot({ path: join(artefacts, "demand-light.png"), fullPage: true });
    const allow = window.getByRole("button", { name: "Allow the bond" });
    const demand = window.getByRole("button", { name: "Demand the output" });
    await allow.or(demand).first().waitFor();
    if (await allow.isVisible()) await allow.click();
    await demand.click();
    await page.locator('[data-stage="demanded"][data-state^="done"]').waitFor({ timeout: taskWithinMs });
    await page.locator('[data-stage="delivered"][data-state^="done"]').waitFor({ timeout: taskWithinMs });
    await page.unroute(blobs);
    await window.getByRole("button", { name: "Open the output again" }).click();
    await page.getByRole("list", { name: "Recognised text" }).waitFor();
    await page.locator('[data-stage="indexed"][data-state^="done"]').waitFor({ timeout: taskWithinMs });
    await page.emulateMedia({ colorScheme: "dark", reducedMotion: "reduce" });
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await seriousViolations(page)).to.deep.equal([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).to.equal(390);
    await page.screenshot({ path: join(artefacts, "delivered-dark-phone.png"), fullPage: true });
    await page.emulateMedia({ colorScheme: "light" });
    await page.setViewportSize({ width: desktop.width, height: desktop.height });
    expect(await statusOf(taskId)).to.equal(taskStatus.delivered);
    expect(await wealthOf(chain, payer.address)).to.equal(wealthUsd6 - bondUsd6);
    await page.goto(`${dapp}/billing`);
    const row = page.getByRole("row").filter({ has: page.locator(`a[href="/tasks/${taskId}"]`) });
    await row.getByText("delivered on demand, bond lost").waitFor();
  });

  it("says that nobody serves before posting, and gives everything back when the task is taken back", async () => {
    for (const { service } of line.stack.nodes) await service.stop();
    const wealthUsd6 = await wealthOf(chain, payer.address);
    await page.goto(`${dapp}/post`);
    const nobody = page.getByText("No node that is online serves this model.");
    await nobody.waitFor();
    await page.locator("input[type=file]").setInputFiles(sample);
    const taskId = await postTask();
    await nobody.waitFor();
    await page.getByText(/everything comes back in \d+ min/).waitFor();
    await page.getByRole("button", { name: "Take the task back" }).click();
    await page.getByTestId("outcome").getByText("Taken back", { exact: true }).waitFor();
    expect(await statusOf(taskId)).to.equal(taskStatus.cancelled);
    expect(await wealthOf(chain, payer.address)).to.equal(wealthUsd6);
  });

  it("goes on without the index, and without a price lets nobody post", async () => {
    const subgraph = line.stack.urls.subgraph ?? "";
    await page.route(subgraph, (route) => route.abort());
    await page.goto(`${dapp}/billing`);
    await page.getByText("The index does not answer").waitFor();
    // What gates it is the contract's word, which needs no index.
    await page.locator("button:enabled", { hasText: "Withdraw all" }).waitFor();
    await page.unroute(subgraph);
    await page.goto(`${dapp}/post`);
    await page.locator("input[type=file]").setInputFiles(sample);
    await quote.locator("[data-exact]").first().waitFor();
    await time.increaseTime({ seconds: 2 * 86_400 });
    await time.mine({ blocks: 1 });
    await quote.getByRole("button", { name: "No price can be quoted now" }).waitFor({ timeout: taskWithinMs });
    await page.getByText("Open tasks are not touched.").first().waitFor();
    expect(await quote.locator("dl [data-exact]").count()).to.equal(0);
    expect(await pictures(page)).to.equal(1);
  });

  it("asked nobody outside of this machine and never failed to draw", () => {
    expect(session.problems.filter((problem) => !problem.startsWith("console error")).join("\n")).to.equal("");
    expect(line.lost).to.deep.equal([]);
  });

  /** From a form with images to the task's page, through the permit where the balance does not cover it. */
  async function postTask(): Promise<Hex> {
    const sign = quote.getByRole("button", { name: /^Sign permit/ });
    const send = quote.getByRole("button", { name: "Post", exact: true });
    await sign.or(send).first().waitFor();
    if (await sign.isVisible()) await sign.click();
    await send.click();
    await page.waitForURL("**/tasks/0x*");
    return page.url().split("/").at(-1) as Hex;
  }

  async function statusOf(taskId: Hex): Promise<number> {
    return (await chain.readContract({ ...escrow, functionName: "stateOf", args: [taskId] })).status;
  }
});

function pictures(page: Page): Promise<number> {
  return page.getByRole("list", { name: "Chosen images" }).getByRole("listitem").count();
}

function sentBy({ requests }: InjectedWallet): number {
  return requests.filter(({ method }) => method === "eth_sendTransaction").length;
}

type WalletWindow = Window & {
  ngpuWalletRequest: (request: { method: string; params?: { chainId?: string }[] }) => Promise<object>;
  ngpuWalletChain?: { move: (chainId: number) => void; refuseSwitch: () => void };
};

/** In the page, before its scripts: lets the wallet be on another chain and refuse one request to change it. */
function walletOfAnotherChain(): void {
  const here = window as unknown as WalletWindow;
  const ask = here.ngpuWalletRequest;
  const listeners: ((chainId: string) => void)[] = [];
  let chainId: string | undefined;
  let refuses = false;
  here.ngpuWalletRequest = async (request) => {
    if (request.method === "eth_chainId" && chainId !== undefined) return { result: chainId };
    if (request.method !== "wallet_switchEthereumChain") return ask(request);
    if (refuses) {
      refuses = false;
      return { error: { code: 4001, message: "User rejected the request." } };
    }
    chainId = request.params?.[0]?.chainId;
    return { result: null, event: ["chainChanged", chainId] };
  };
  window.addEventListener(
    "eip6963:announceProvider",
    (event) => {
      const { provider } = (event as CustomEvent<{ provider: { on: (name: string, act: never) => unknown } }>).detail;
      const listen = provider.on;
      provider.on = (name, act) => {
        if (name === "chainChanged") listeners.push(act);
        return listen(name, act);
      };
    },
    { capture: true, once: true },
  );
  here.ngpuWalletChain = {
    move(next) {
      chainId = `0x${next.toString(16)}`;
      for (const act of listeners) act(chainId);
    },
    refuseSwitch() {
      refuses = true;
    },
  };
}

/** In the page, before its scripts. */
function clockAhead(aheadMs: number): void {
  const Right = Date;
  window.Date = class extends Right {
    constructor(...given: [] | [number]) {
      super(given.length === 0 ? Right.now() + aheadMs : given[0]);
    }
    static override now(): number {
      return Right.now() + aheadMs;
    }
  } as DateConstructor;
}

function moveWalletTo(page: Page, chainId: number): Promise<void> {
  return page.evaluate((next) => (window as unknown as WalletWindow).ngpuWalletChain?.move(next), chainId);
}

function refuseSwitch(page: Page): Promise<void> {
  return page.evaluate(() => (window as unknown as WalletWindow).ngpuWalletChain?.refuseSwitch());
}
