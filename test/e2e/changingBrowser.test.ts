/**
 * The dApp while the world around it changes, in a real Chromium: an index that hangs back, stops and comes again, a
 * permit that is used elsewhere, a price feed that goes stale while a task runs, an hour in which nobody looks, and at
 * last another chain under the open page. Each is told; nothing old is shown as if it were true.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { deployments } from "@ngpu/protocol/generated/deployments";
import { localPriceFeedAbi } from "@ngpu/protocol/generated/abi/localPriceFeed";
import { localUsdAbi } from "@ngpu/protocol/generated/abi/localUsd";
import { paymentVaultAbi } from "@ngpu/protocol/generated/abi/paymentVault";
import { priceOracleAbi } from "@ngpu/protocol/generated/abi/priceOracle";
import { taskEscrowAbi } from "@ngpu/protocol/generated/abi/taskEscrow";
import { taskStatus } from "@ngpu/protocol/taskStatus";
import { permitParams, permitTypedData } from "@ngpu/client/permit";
import { expect } from "chai";
import type { Browser, Locator, Page } from "playwright-core";
import { createTestClient, createWalletClient, http, type Hex, type PublicClient, type TestClient } from "viem";
import { hardhat } from "viem/chains";
import { connectWallet } from "../../scripts/browser/connectWallet.ts";
import { createInjectedWallet, type InjectedWallet } from "../../scripts/browser/injectedWallet.ts";
import { launchBrowser, openSession, type BrowserSession } from "../../scripts/browser/openBrowser.ts";
import { localAccounts } from "../../scripts/stack/accounts.ts";
import { localClient } from "../../scripts/stack/chain.ts";
import { formatUsd6 } from "../../scripts/stack/formatUsd6.ts";
import { paths } from "../../scripts/stack/paths.ts";
import { freePorts, type StackPorts } from "../../scripts/stack/ports.ts";
import { findChromium } from "../../scripts/targets/testing/chromium.ts";
import { wealthOf } from "./support/ledger.ts";
import { postTask } from "./support/postTask.ts";
import { startLine, type Line } from "./support/startLine.ts";
import { until } from "./support/until.ts";

const contracts = deployments[31337];
const token = { address: contracts.localUsd, abi: localUsdAbi } as const;
const vault = { address: contracts.paymentVault, abi: paymentVaultAbi } as const;
const desktop = { colorScheme: "light", width: 1280, height: 900 } as const;
const sample = join(paths.root, "app/public/samples/text/03-parcel-label.png");
const payer = localAccounts.payer.account;
const taskWithinMs = 45_000;
const hourS = 3_600;
/** A little less than the longest time that a task may be given. */
const longestS = 3_590;
const leastGapMs = 3_500;

describe("the dApp in a changing world", () => {
  let ports: StackPorts;
  let line: Line;
  let chain: PublicClient;
  let time: TestClient;
  let browser: Browser;
  let wallet: InjectedWallet;
  let session: BrowserSession;
  let page: Page;
  let dapp: string;

  before(async () => {
    // A rate that the keeper notes would stand in for a feed that has gone stale.
    process.env.NGPU_KEEP_RATE = "0";
    const executablePath = findChromium();
    if (!executablePath)
      throw new Error("There is no Chromium: run `npm test`, which installs it, or set NGPU_CHROMIUM.");
    ports = await freePorts();
    line = await startLine({ agents: 2, dapp: true, ports });
    dapp = line.stack.urls.dapp ?? "";
    chain = localClient(line.stack.urls.rpc);
    time = createTestClient({ mode: "hardhat", chain: hardhat, transport: http(line.stack.urls.rpc), cacheTime: 0 });
    browser = await launchBrowser({ executablePath });
    wallet = createInjectedWallet({ account: payer, rpcUrl: line.stack.urls.rpc, remembersNonce: true });
    session = await openSession({ browser, look: desktop, wallet });
    page = session.page;
    page.setDefaultTimeout(20_000);
  });
  after(async () => {
    await browser?.close();
    await line?.stop();
  });

  it("has the account in the first HTML of a reload, and nothing of it is drawn twice", async () => {
    const said: string[] = [];
    page.on("console", (message) => said.push(message.text()));
    await page.goto(`${dapp}/billing`);
    await connectWallet(page, wallet);
    const html = await (await session.context.request.get(`${dapp}/billing`)).text();
    expect(html).to.contain(`title="${payer.address}"`);
    await page.reload();
    await page.getByRole("button", { name: "Export CSV" }).waitFor();
    await page.getByText("No bill in this period").waitFor();
    expect(said.filter((text) => /hydrat|did not match|Minified React error/i.test(text))).to.deep.equal([]);
    expect(session.problems.join("\n")).to.equal("");
  });

  it("asks the chain once in four seconds while nothing happens, and a hidden tab asks nothing", async () => {
    const askedAtMs: number[] = [];
    page.on("request", (request) => {
      if (request.url().startsWith(line.stack.urls.rpc)) askedAtMs.push(performance.now());
    });
    // The first polls come to the common ticks from wherever the page's start put them.
    await until("the page polls", taskWithinMs, () => (askedAtMs.length >= 2 ? true : undefined));
    const first = askedAtMs.length - 1;
    await until("two more polls", taskWithinMs, () => (askedAtMs.length >= first + 3 ? true : undefined));
    const gaps = askedAtMs.slice(first).flatMap((at, index, all) => (index === 0 ? [] : [at - (all[index - 1] ?? 0)]));
    expect(Math.min(...gaps)).to.be.above(leastGapMs);

    await setHidden(page, true);
    const asked = askedAtMs.length;
    const block = await chain.getBlockNumber();
    await until("five more blocks", taskWithinMs, async () =>
      (await chain.getBlockNumber()) >= block + 5n ? true : undefined,
    );
    expect(askedAtMs.length).to.equal(asked);
    await setHidden(page, false);
    await until("the page asks again", taskWithinMs, () => (askedAtMs.length > asked ? true : undefined));
  });

  it("says how many blocks the index is behind, and stops saying so when it has caught up", async () => {
    const subgraph = line.stack.urls.subgraph ?? "";
    const answers = new Map<string, string>();
    // An index that hangs back answers as it did before.
    await page.route(subgraph, async (route) => {
      const question = route.request().postData() ?? "";
      const known = answers.get(question) ?? (await (await route.fetch()).text());
      answers.set(question, known);
      await route.fulfill({ contentType: "application/json", body: known });
    });
    await until("the index was asked", taskWithinMs, () => ([...answers.keys()].some(isMeta) ? true : undefined));
    await time.mine({ blocks: 15 });
    const banner = page.getByText(/^The index is \d+ blocks behind the chain/);
    await banner.waitFor();
    await page.getByText(/Balances and buttons read the chain itself/).waitFor();
    await page.unroute(subgraph);
    await banner.waitFor({ state: "detached" });
  });

  it("posts although the index has failed, and asks for another signature when the permit was used up elsewhere", async () => {
    const subgraph = line.stack.urls.subgraph ?? "";
    const failed = { data: { _meta: null }, errors: [{ message: "indexing_error" }] };
    await page.route(subgraph, (route) => route.fulfill({ json: failed }));
    await page.getByText("The index has stopped").waitFor();
    await openFromMenu(page, "Post");
    await page.locator("input[type=file]").setInputFiles(sample);
    const quote = quoteOf(page);
    const sign = quote.getByRole("button", { name: /^Sign permit/ });
    await sign.click();
    const send = quote.getByRole("button", { name: "Post", exact: true });
    await send.waitFor();
    await useUpPermit(await exactUsd6(quote));
    await send.click();
    await quote
      .getByText(/permit/i)
      .filter({ hasText: /No money was moved/ })
      .waitFor();
    await sign.click();
    await send.click();
    await page.waitForURL("**/tasks/0x*");
    await page.locator('[data-stage="settled"][data-state^="done"]').waitFor({ timeout: taskWithinMs });
    expect(await page.locator('[data-stage="indexed"]').getAttribute("data-state")).to.equal("under way");
    // After 20 s nobody is left waiting for it.
    await page.getByText(/^Still indexing\. The task is over all the same/).waitFor({ timeout: taskWithinMs });
    await page.unroute(subgraph);
    await page.locator('[data-stage="indexed"][data-state^="done"]').waitFor();
    await page.getByText("The index has stopped").waitFor({ state: "detached" });
  });

  it("withdraws all that is available to the last base unit", async () => {
    const deposited = 1_234_567n;
    const approved = { ...token, functionName: "approve", args: [vault.address, deposited] } as const;
    const deposit = { ...vault, functionName: "deposit", args: [payer.address, deposited] } as const;
    const own = walletOf(localAccounts.payer);
    await chain.waitForTransactionReceipt({ hash: await own.writeContract(approved) });
    await chain.waitForTransactionReceipt({ hash: await own.writeContract(deposit) });
    wallet.clearActivity();
    const held = await availableUsd6();
    expect(held >= deposited).to.equal(true);
    await openFromMenu(page, "Billing");
    const shown = page.locator(`[data-exact="${formatUsd6(held).replace(/\.?0+$/, "")}"]`);
    await shown.first().waitFor();
    const before = await chain.readContract({ ...token, functionName: "balanceOf", args: [payer.address] });
    await page.getByRole("button", { name: "Withdraw all" }).click();
    await page.getByText(/^Done/).waitFor();
    expect(await availableUsd6()).to.equal(0n);
    expect(await chain.readContract({ ...token, functionName: "balanceOf", args: [payer.address] })).to.equal(
      before + held,
    );
  });

  it("quotes nothing once the price feed is stale, says since when, and the running task is settled", async () => {
    const feed = { address: contracts.localPriceFeed, abi: localPriceFeedAbi } as const;
    const oracle = { address: contracts.priceOracle, abi: priceOracleAbi } as const;
    const maxAgeS = Number(await chain.readContract({ ...oracle, functionName: "maxAgeSeconds" }));
    process.kill(line.stack.pids().feed ?? 0, "SIGSTOP");
    await time.increaseTime({ seconds: 300 });
    await openFromMenu(page, "Post");
    await page.locator("input[type=file]").setInputFiles(sample);
    await quoteOf(page).locator("[data-exact]").first().waitFor();

    const task = await postTask({ chain, urls: line.stack.urls, payer, images: 4, withinS: longestS });
    const running = Promise.withResolvers<void>();
    const following = task.follow({
      signal: AbortSignal.timeout(taskWithinMs),
      onEvent: ({ kind }) => (kind === "progress" ? running.resolve() : undefined),
    });
    await running.promise;
    const [, , , updatedAt] = await chain.readContract({ ...feed, functionName: "latestRoundData" });
    await time.setNextBlockTimestamp({ timestamp: updatedAt + BigInt(maxAgeS) + 1n });
    await time.mine({ blocks: 1 });
    expect(await statusOf(task.taskId)).to.be.within(taskStatus.assigned, taskStatus.accepted);
    await quoteOf(page).getByRole("button", { name: "No price can be quoted now" }).waitFor();
    const since = await page.evaluate(shownTime, Number(updatedAt));
    await page.getByText(`The price feed has not answered since ${since}`).first().waitFor();
    await page.getByText("Open tasks are not touched. Try again in a few minutes.").first().waitFor();
    expect(await quoteOf(page).locator("dl [data-exact]").count()).to.equal(0);
    await following;
    await until("the task is settled", taskWithinMs, async () =>
      (await statusOf(task.taskId)) === taskStatus.settled ? true : undefined,
    );

    await pushPrice();
    await quoteOf(page)
      .getByRole("button", { name: /^Sign permit|^Post$/ })
      .waitFor();
    expect(await page.getByRole("list", { name: "Chosen images" }).getByRole("listitem").count()).to.equal(1);
  });

  it("shows after an hour alone what has expired: the permit, the price, the task and its countdown", async () => {
    const wealthUsd6 = await wealthOf(chain, payer.address);
    const quote = quoteOf(page);
    // More than what comes back from the other task, so that it takes a permit before and after.
    await page.locator("input[type=file]").setInputFiles([sample, sample, sample, sample]);
    const sign = quote.getByRole("button", { name: /^Sign permit/ });
    await sign.click();
    await quote.getByText(/valid for 1?\d min/).waitFor();
    const { taskId } = await postTask({ chain, urls: line.stack.urls, payer, images: 1, withinS: 600 });
    const other = await session.context.newPage();
    try {
      other.setDefaultTimeout(20_000);
      await other.goto(`${dapp}/tasks/${taskId}`);
      await other.getByText(/everything comes back in \d+ min/).waitFor();
      await time.increaseTime({ seconds: hourS });
      await time.mine({ blocks: 1 });
      await other.getByTestId("outcome").getByText("Refunded: not finished in time").waitFor({ timeout: taskWithinMs });
      await other.getByText(/everything comes back/).waitFor({ state: "detached" });
      expect(await statusOf(taskId)).to.equal(taskStatus.refunded);
      expect(await wealthOf(chain, payer.address)).to.equal(wealthUsd6);
    } finally {
      await other.close();
    }
    await page.bringToFront();
    await pushPrice();
    await sign.waitFor();
    expect(await quote.getByText(/valid for/).count()).to.equal(0);
    process.kill(line.stack.pids().feed ?? 0, "SIGCONT");
  });

  it("tells of a chain that has begun anew under the open page, shows nothing of the old one, and posts on the new", async () => {
    await openFromMenu(page, "Tasks");
    const tasks = page.getByRole("table", { name: "Tasks" });
    await tasks.getByRole("row").nth(2).waitFor();
    await line.stop();
    await page.getByText("The chain does not answer").waitFor();
    line = await startLine({ agents: 2, dapp: true, ports });
    await page.getByText("The chain has begun anew").waitFor({ timeout: taskWithinMs });
    await page.getByText(/tasks and balances of the old one are gone with it/).waitFor();
    await page.getByText("You have not posted a task yet").waitFor({ timeout: taskWithinMs });
    expect(await tasks.count()).to.equal(0);

    await openFromMenu(page, "Post");
    await page.locator("input[type=file]").setInputFiles(sample);
    const quote = quoteOf(page);
    await quote.getByRole("button", { name: /^Sign permit/ }).click();
    const send = quote.getByRole("button", { name: "Post", exact: true });
    await send.click();
    // The wallet goes on counting where it was on the old chain.
    await quote.getByText("The wallet counts its transactions differently from the chain").waitFor();
    wallet.clearActivity();
    await send.click();
    await page.waitForURL("**/tasks/0x*");
    await page.locator('[data-stage="indexed"][data-state^="done"]').waitFor({ timeout: taskWithinMs });
  });

  it("asked nobody outside of this machine, and neither build nor server missed a browser's database", () => {
    expect(session.problems.filter((problem) => !problem.startsWith("console error")).join("\n")).to.equal("");
    const logs = [join(line.dataDir, "logs/dapp.log"), join(paths.state, "logs/dapp.log")];
    for (const log of logs) expect(readFileSync(log, "utf8"), log).to.not.match(/indexedDB|is not defined/i);
    expect(line.lost).to.deep.equal([]);
  });

  function quoteOf(of: Page): Locator {
    return of.getByRole("region", { name: "Quote" });
  }

  async function availableUsd6(): Promise<bigint> {
    return (await chain.readContract({ ...vault, functionName: "accountOf", args: [payer.address] })).availableUsd6;
  }

  async function statusOf(taskId: Hex): Promise<number> {
    const escrow = { address: contracts.taskEscrow, abi: taskEscrowAbi } as const;
    return (await chain.readContract({ ...escrow, functionName: "stateOf", args: [taskId] })).status;
  }

  /** Uses the nonce that the page's permit was signed for, as another page of the same account would. */
  async function useUpPermit(value: bigint): Promise<void> {
    const deployer = walletOf(localAccounts.deployer);
    const owner = payer.address;
    const [nonce, tokenName, { timestamp }] = await Promise.all([
      chain.readContract({ ...token, functionName: "nonces", args: [owner] }),
      chain.readContract({ ...token, functionName: "name" }),
      chain.getBlock(),
    ]);
    const spender = localAccounts.newcomer.account.address;
    const deadline = timestamp + 600n;
    const wanted = { tokenName, tokenVersion: "1", chainId: hardhat.id, owner, spender, value, nonce, deadline };
    const signature = await payer.signTypedData(permitTypedData({ ...wanted, token: token.address }));
    const { v, r, s } = permitParams({ value, deadline, signature });
    const args = [owner, spender, value, deadline, v, r, s] as const;
    const hash = await deployer.writeContract({ ...token, functionName: "permit", args });
    expect((await chain.waitForTransactionReceipt({ hash })).status).to.equal("success");
  }

  async function pushPrice(): Promise<void> {
    const feed = { address: contracts.localPriceFeed, abi: localPriceFeedAbi } as const;
    const [, answer] = await chain.readContract({ ...feed, functionName: "latestRoundData" });
    const hash = await walletOf(localAccounts.deployer).writeContract({
      ...feed,
      functionName: "push",
      args: [answer],
    });
    expect((await chain.waitForTransactionReceipt({ hash })).status).to.equal("success");
  }

  function walletOf({ account }: (typeof localAccounts)["deployer"]) {
    return createWalletClient({ account, chain: hardhat, transport: http(line.stack.urls.rpc), cacheTime: 0 });
  }
});

function isMeta(question: string): boolean {
  return question.includes("{ _meta {");
}

/** Within the open page, without a load. */
async function openFromMenu(page: Page, name: string): Promise<void> {
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name }).click();
  await page.getByRole("heading", { level: 1 }).waitFor();
}

async function exactUsd6(quote: Locator): Promise<bigint> {
  const text = (await quote.locator("[data-exact]").first().getAttribute("data-exact")) ?? "";
  return BigInt(Math.round(Number(text) * 1e6));
}

/** What a browser reports of a tab that lies behind another one. */
function setHidden(page: Page, hidden: boolean): Promise<void> {
  return page.evaluate(
    (state) => {
      Object.defineProperty(document, "visibilityState", { configurable: true, get: () => state });
      document.dispatchEvent(new Event("visibilitychange", { bubbles: true }));
    },
    hidden ? "hidden" : "visible",
  );
}

/** In the page, whose zone it is; as formatDateTime() writes it. */
function shownTime(seconds: number): string {
  const date = new Date(seconds * 1_000);
  const day = date.toLocaleDateString("en-GB", { day: "numeric", month: "short", year: "numeric" });
  return `${day}, ${date.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" })}`;
}
