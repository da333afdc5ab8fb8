/**
 * A person's way through the dApp, in a real Chromium with a wallet that sits in this process: prices, a wallet, a
 * task, its bill, a reload, billing, nodes, a session, and a machine of one's own. Everything the pages say about money is
 * compared with the chain.
 */
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { measureInput } from "@ngpu/client/measureInput";
import { quoteTask } from "@ngpu/client/quote";
import { deployments } from "@ngpu/protocol/generated/deployments";
import { paymentVaultAbi } from "@ngpu/protocol/generated/abi/paymentVault";
import { priceOracleAbi } from "@ngpu/protocol/generated/abi/priceOracle";
import { nodeRegistryAbi } from "@ngpu/protocol/generated/abi/nodeRegistry";
import { stakeVaultAbi } from "@ngpu/protocol/generated/abi/stakeVault";
import { taskEscrowAbi } from "@ngpu/protocol/generated/abi/taskEscrow";
import { expect } from "chai";
import type { Browser, Locator, Page } from "playwright-core";
import type { Hex, PublicClient } from "viem";
import { generatePrivateKey } from "viem/accounts";
import { connectWallet } from "../../scripts/browser/connectWallet.ts";
import { createInjectedWallet, type InjectedWallet } from "../../scripts/browser/injectedWallet.ts";
import { launchBrowser, openSession, type BrowserSession } from "../../scripts/browser/openBrowser.ts";
import { localAccounts } from "../../scripts/stack/accounts.ts";
import { billInSubgraph } from "../../scripts/stack/billInSubgraph.ts";
import { localClient } from "../../scripts/stack/chain.ts";
import { formatUsd6 } from "../../scripts/stack/formatUsd6.ts";
import { sampleInput, textModel } from "../../scripts/stack/sampleTask.ts";
import { paths } from "../../scripts/stack/paths.ts";
import { openSampleSession, smallPhotos } from "../../scripts/stack/sampleSession.ts";
import { untilSessionBilled } from "../../scripts/stack/sessionBill.ts";
import { sessionInSubgraph } from "../../scripts/stack/sessionInSubgraph.ts";
import { findChromium } from "../../scripts/targets/testing/chromium.ts";
import { taskOf } from "../harness/taskOf.ts";
import { seriousViolations } from "./support/accessibility.ts";
import { parseCsv } from "./support/csv.ts";
import { firstLoadBytes } from "./support/firstLoad.ts";
import { layoutShiftOf, watchLayout } from "./support/layoutShift.ts";
import { settlementOf } from "./support/ledger.ts";
import { startLine, type Line } from "./support/startLine.ts";

const contracts = deployments[31337];
const artefacts = join(paths.root, "test/artefacts");
const desktop = { colorScheme: "light", width: 1280, height: 900 } as const;
const looks = {
  light: desktop,
  dark: { ...desktop, colorScheme: "dark" },
  phone: { colorScheme: "light", width: 390, height: 844 },
} as const;
const payer = localAccounts.payer.account;
const newcomer = localAccounts.newcomer.account;
const sampleTitle = "Bakery receipt";
const declaredLines = 40;
const taskWithinMs = 60_000;
const sessionTasks = 60;
const mostShift = 0.02;
const mostScriptBytes = 400_000;

describe("the dApp", () => {
  let line: Line;
  let chain: PublicClient;
  let browser: Browser;
  let wallet: InjectedWallet;
  let session: BrowserSession;
  let page: Page;
  let dapp: string;
  let posted: Hex | undefined;
  let billedSession: Hex | undefined;
  /** WebSockets that the page opened, by path, and requests for blobs over HTTP, by method. */
  const carriers: string[] = [];

  before(async () => {
    mkdirSync(artefacts, { recursive: true });
    const executablePath = findChromium();
    if (!executablePath)
      throw new Error("There is no Chromium: run `npm test`, which installs it, or set NGPU_CHROMIUM.");
    line = await startLine({ agents: 3, dapp: true });
    dapp = line.stack.urls.dapp ?? "";
    chain = localClient(line.stack.urls.rpc);
    browser = await launchBrowser({ executablePath });
    wallet = createInjectedWallet({ account: payer, rpcUrl: line.stack.urls.rpc });
    session = await openSession({ browser, look: desktop, wallet });
    await watchLayout(session.context);
    page = session.page;
    page.setDefaultTimeout(20_000);
    page.on("websocket", (socket) => carriers.push(new URL(socket.url()).pathname));
    page.on("request", (request) => {
      if (request.url().includes("/v1/blobs/")) carriers.push(request.method());
    });
  });
  after(async () => {
    await browser?.close();
    await line?.stop();
  });

  it("shows what computing costs before any wallet is connected", async () => {
    await page.goto(`${dapp}/models`);
    const card = page.getByRole("region", { name: textModel().manifest.title });
    await card.getByText("One image costs").waitFor();
    expect(Number(await exactOf(card))).to.be.above(0);
    await page.getByRole("banner").getByRole("button", { name: "Connect wallet" }).waitFor();
    expect(wallet.requests.map(({ method }) => method)).to.not.include("eth_requestAccounts");
  });

  it("connects a wallet through RainbowKit", async () => {
    await connectWallet(page, wallet);
    const account = page.getByRole("banner").getByRole("button", { name: /^Account 0x/ });
    expect(await account.getAttribute("title")).to.equal(payer.address);
  });

  it("quotes the maximum, survives a refusal in the wallet, and posts the task", async () => {
    const { modelId } = textModel();
    await page.getByRole("link", { name: "Use this model" }).first().click();
    await page.waitForURL(`**/post?model=${modelId}`);
    await page.getByRole("button", { name: `Add sample ${sampleTitle}` }).click();
    await page.getByRole("spinbutton", { name: "Lines of text, at most" }).fill(String(declaredLines));
    const quote = page.getByRole("region", { name: "Quote" });
    const backups = page.getByRole("combobox", { name: "Backups" });
    const two = await expectedQuote(2);
    await backups.selectOption("2");
    await quote.locator(`[data-exact="${exactText(two.likelyStandbyUsd6)}"]`).waitFor();
    expect(await backups.locator("option:checked").innerText()).to.contain(exactText(two.likelyStandbyUsd6));
    await quote
      .locator(`[data-exact="${exactText(two.maxAmountUsd6)}"]`)
      .first()
      .waitFor();
    await page.screenshot({ path: join(artefacts, "post-quote-light.png"), fullPage: true });
    await backups.selectOption("1");
    const expected = await expectedQuote(1);
    await quote
      .locator(`[data-exact="${exactText(expected.maxAmountUsd6)}"]`)
      .first()
      .waitFor();

    const next = quote.getByRole("button", { name: /^Sign permit/ });
    await next.waitFor();
    expect(await next.innerText()).to.contain(exactText(expected.maxAmountUsd6));
    wallet.refuseNext("eth_signTypedData_v4");
    await next.click();
    const note = quote.getByRole("status").filter({ hasText: "Declined in the wallet" });
    await note.waitFor();
    expect(await page.getByRole("list", { name: "Chosen images" }).getByRole("listitem").count()).to.equal(1);
    expect(await quote.getByRole("alert").count()).to.equal(0);

    await next.click();
    const post = quote.getByRole("button", { name: "Post", exact: true });
    await post.waitFor();
    wallet.refuseNext("eth_sendTransaction");
    await post.click();
    await note.waitFor();
    await post.click();
    await page.waitForURL("**/tasks/0x*", { timeout: taskWithinMs });
    const taskId = page.url().split("/").at(-1) as Hex;
    posted = taskId;
    const { terms } = await taskOf({ client: chain, deployment: contracts }, taskId);
    const escrow = { address: contracts.taskEscrow, abi: taskEscrowAbi } as const;
    expect(terms.payer).to.equal(payer.address);
    expect(await chain.readContract({ ...escrow, functionName: "maxAmountOf", args: [terms] })).to.equal(
      expected.maxAmountUsd6,
    );
  });

  /** What follows needs the task; without one it fails at once instead of waiting for it. */
  const theTask = (): Hex => {
    if (!posted) throw new Error("no task was posted");
    return posted;
  };

  it("follows the task through to the index and draws its result", async () => {
    theTask();
    for (const stage of ["posted", "assigned", "wrapped", "accepted", "running", "result", "settled", "indexed"]) {
      await page.locator(`[data-stage="${stage}"][data-state^="done"]`).waitFor({ timeout: taskWithinMs });
    }
    const result = page.getByRole("region", { name: "Result" });
    const text = result.getByRole("list", { name: "Recognised text" });
    await text.getByText("KORNBLUM BAKERY").waitFor();
    const lines = await text.getByRole("listitem").count();
    expect(lines).to.be.above(20);
    expect(await result.locator("polygon").count()).to.equal(lines);
    // Input and output went over the coded link.
    expect(carriers).to.include("/v1/coded").and.not.include("PUT").and.not.include("GET");
  });

  it("shows the bill that the chain and the subgraph have, and verifies it", async () => {
    const taskId = theTask();
    const settled = await settlementOf(chain, taskId);
    if (!settled) throw new Error("the page shows a bill, the chain has none");
    const { amountUsd6, standbyUsd6, refundUsd6, powerCu, durationMs } = settled.args;
    const bill = page.getByRole("region", { name: "Bill" });
    expect(await exactOf(bill)).to.equal(exactText(amountUsd6 + standbyUsd6));
    expect(standbyUsd6, "the backup held the input ready").to.equal(amountUsd6 / 10n);
    const standby = bill.getByRole("list", { name: "Standby" });
    expect(await standby.locator("li > [data-exact]").getAttribute("data-exact")).to.equal(exactText(standbyUsd6));
    await bill
      .locator(`[data-exact="${exactText(refundUsd6)}"]`)
      .first()
      .waitFor();
    expect(await bill.innerText()).to.contain(`${durationMs.toLocaleString("en-GB")} ms`);
    expect(await bill.innerText()).to.contain(`${powerCu.toLocaleString("en-GB")} CU`);
    const indexed = await billInSubgraph({ subgraphUrl: line.stack.urls.subgraph ?? "", taskId, timeoutMs: 20_000 });
    expect(indexed).to.deep.include({ amountUsd6, standbyUsd6, refundUsd6 });
    await bill.getByRole("button", { name: "Verify" }).click();
    await bill.getByText(/^Verified:/).waitFor();
  });

  it("is still connected after a reload and still has the result", async () => {
    theTask();
    await page.reload();
    await page
      .getByRole("banner")
      .getByRole("button", { name: /^Account 0x/ })
      .waitFor();
    await page.getByRole("list", { name: "Recognised text" }).getByText("KORNBLUM BAKERY").waitFor();
  });

  it("lists the bill on the billing page, with totals and a file that say the same", async () => {
    const taskId = theTask();
    await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Billing" }).click();
    const bills = page.getByRole("table", { name: "Bills" });
    const row = bills.getByRole("row").filter({ has: page.locator(`a[href="/tasks/${taskId}"]`) });
    await row.waitFor();
    const settled = await settlementOf(chain, taskId);
    const { amountUsd6 = 0n, standbyUsd6 = 0n, refundUsd6 = 0n } = settled?.args ?? {};
    expect(await cellOf(row, "Amount, USD").locator("[data-exact]").getAttribute("data-exact")).to.equal(
      exactText(amountUsd6),
    );
    expect(await exactOf(cellOf(row, "Standby, USD"))).to.equal(exactText(standbyUsd6));
    expect(await cellOf(row, "Returned, USD").locator("[data-exact]").getAttribute("data-exact")).to.equal(
      exactText(refundUsd6),
    );

    const lines = await bills
      .locator('tbody td[data-title="Amount, USD"] [data-exact]')
      .evaluateAll((cells) => cells.map((cell) => cell.getAttribute("data-exact") ?? ""));
    const total = await bills.getByTestId("total-amount").locator("[data-exact]").getAttribute("data-exact");
    expect(sumUsd6(lines)).to.equal(sumUsd6([total ?? ""]));

    const downloading = page.waitForEvent("download");
    await page.getByRole("button", { name: /CSV/ }).click();
    const csv = parseCsv(readFileSync(await (await downloading).path(), "utf8"));
    const listed = csv.find((entry) => entry.task === taskId);
    expect(listed).to.deep.include({
      amount_usd: exactText(amountUsd6),
      standby_usd: exactText(standbyUsd6),
      bond_lost_usd: "0",
      refund_usd: exactText(refundUsd6),
      transaction: settled?.transactionHash,
    });
    expect(sumUsd6(csv.map((entry) => entry.amount_usd ?? ""))).to.equal(sumUsd6(lines));
  });

  it("shows the same amounts of the task in list, detail, overview and node, and of the account on both its pages", async () => {
    const taskId = theTask();
    const settled = await settlementOf(chain, taskId);
    const { amountUsd6 = 0n, standbyUsd6 = 0n, nodeId = 0 } = settled?.args ?? {};
    const totalUsd6 = amountUsd6 + standbyUsd6;
    const rows: Record<string, [table: Locator, usd6: bigint]> = {
      [`/tasks`]: [page.getByRole("table", { name: "Tasks" }), totalUsd6],
      [`/`]: [page.getByRole("table", { name: "Latest bills" }), totalUsd6],
      [`/nodes/${nodeId}`]: [page.getByRole("table", { name: "Latest bills of this node" }), amountUsd6],
    };
    for (const [path, [table, usd6]] of Object.entries(rows)) {
      await page.goto(`${dapp}${path}`);
      const row = table.getByRole("row").filter({ has: page.locator(`a[href="/tasks/${taskId}"]`) });
      expect(await exactOf(cellOf(row, "Amount")), path).to.equal(exactText(usd6));
    }
    await page.goto(`${dapp}/tasks/${taskId}`);
    expect(await exactOf(page.getByRole("region", { name: "Bill" }))).to.equal(exactText(totalUsd6));

    const vault = { address: contracts.paymentVault, abi: paymentVaultAbi } as const;
    const held = await chain.readContract({ ...vault, functionName: "accountOf", args: [payer.address] });
    const balances: Record<string, Record<string, bigint>> = {
      "/billing": { Available: held.availableUsd6, Reserved: held.reservedUsd6 },
      "/": { "In my balance": held.availableUsd6, "Reserved for open tasks": held.reservedUsd6 },
    };
    for (const [path, figures] of Object.entries(balances)) {
      await page.goto(`${dapp}${path}`);
      for (const [label, value] of Object.entries(figures)) {
        const figure = page
          .locator("dt", { hasText: new RegExp(`^${label}$`) })
          .locator("xpath=following-sibling::dd[1]");
        expect(await exactOf(figure), `${path}, ${label}`).to.equal(exactText(value));
      }
    }
  });

  it("shows the three staked nodes", async () => {
    await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Nodes" }).click();
    const nodes = page.getByRole("table", { name: "Registered nodes" });
    await nodes.waitFor();
    expect(await nodes.locator("tbody tr").count()).to.equal(3);
    for (const { nodeId = 0 } of line.stack.nodes) {
      const row = nodes
        .getByRole("row")
        .filter({ has: page.getByRole("link", { name: `node-${nodeId}`, exact: true }) });
      const stake = await chain.readContract({
        address: contracts.stakeVault,
        abi: stakeVaultAbi,
        functionName: "activeStakeOf",
        args: [nodeId],
      });
      expect(stake > 0n).to.equal(true);
      expect(await cellOf(row, "Stake").locator("[data-exact]").getAttribute("data-exact")).to.equal(
        String(stake / 10n ** 18n),
      );
    }
  });

  it("shows a session: its bills, one of them recomputed, and its sum in list, detail and billing", async () => {
    const { urls } = line.stack;
    const opened = await openSampleSession({
      ...{ urls, payer, signerKey: generatePrivateKey(), dataDir: join(line.dataDir, "session") },
      spendCapUsd6: 1_000_000n,
    });
    const photos = await smallPhotos(sessionTasks);
    await Promise.all(photos.map((photo) => opened.run(photo)));
    const closing = await opened.close();
    const records = closing.lanes.reduce((sum, { nextSeq }) => sum + Number(nextSeq) - 1, 0);
    const { sessionId } = opened;
    const bill = await untilSessionBilled({ chain, sessionId, records, timeoutMs: taskWithinMs });
    await sessionInSubgraph({ subgraphUrl: urls.subgraph ?? "", sessionId, bills: records, timeoutMs: taskWithinMs });
    billedSession = sessionId;

    await page.goto(`${dapp}/sessions`);
    const row = page
      .getByRole("table", { name: "Sessions" })
      .getByRole("row")
      .filter({ has: page.locator(`a[href="/sessions/${sessionId}"]`) });
    expect(await exactOf(cellOf(row, "Spent of cap"))).to.equal(exactText(bill.paidUsd6));
    expect(await cellOf(row, "Bills").textContent()).to.equal(String(records));
    await row.locator("a").click();

    const bills = page.getByRole("table", { name: "Bills of this lane" });
    await bills.waitFor();
    const billed = page.locator("dt", { hasText: /^Billed$/ }).locator("xpath=following-sibling::dd[1]");
    expect(await exactOf(billed)).to.equal(exactText(bill.amountUsd6));
    await bills
      .getByRole("button", { name: /^Verify the bill of record/ })
      .first()
      .click();
    await page.getByText("Verified: the bill is exactly what the chain's events give").waitFor();
    await page.screenshot({ path: join(artefacts, "session-verified-light.png"), fullPage: true });

    const downloading = page.waitForEvent("download");
    await page.getByRole("button", { name: "Export CSV" }).click();
    const csv = parseCsv(readFileSync(await (await downloading).path(), "utf8"));
    expect(csv.length).to.equal(records);
    expect(sumUsd6(csv.map((entry) => entry.amount_usd ?? ""))).to.equal(bill.amountUsd6);

    await page.goto(`${dapp}/billing`);
    const lines = page
      .getByRole("table", { name: "Bills" })
      .getByRole("row")
      .filter({ has: page.locator(`a[href="/sessions/${sessionId}"]`) });
    await lines.first().waitFor();
    const amounts = await lines
      .locator('td[data-title="Amount, USD"] [data-exact]')
      .evaluateAll((cells) => cells.map((cell) => cell.getAttribute("data-exact") ?? ""));
    expect(sumUsd6(amounts)).to.equal(bill.amountUsd6);
  });

  it("is legible in light, in dark and on a phone, on every page; nothing moves on load, and what is disabled says why", async () => {
    const taskId = theTask();
    const settled = await settlementOf(chain, taskId);
    const pages = {
      overview: "/",
      models: "/models",
      post: "/post",
      tasks: "/tasks",
      sessions: "/sessions",
      session: `/sessions/${billedSession}`,
      task: `/tasks/${taskId}`,
      billing: "/billing",
      nodes: "/nodes",
      node: "/nodes/1",
      earn: "/earn",
      transaction: `/tx/${settled?.transactionHash}`,
    };
    const found: string[] = [];
    for (const [look, { colorScheme, width, height }] of Object.entries(looks)) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await page.setViewportSize({ width, height });
      for (const [name, path] of Object.entries(pages)) {
        await page.goto(`${dapp}${path}`);
        await page.getByRole("main").getByRole("heading", { level: 1 }).waitFor();
        await page.locator('main [class*="skeleton"]').first().waitFor({ state: "hidden" });
        if (name === "task") await page.locator('[data-stage="indexed"][data-state^="done"]').waitFor();
        await page.screenshot({ path: join(artefacts, `${name}-${look}.png`), fullPage: true });
        found.push(...(await seriousViolations(page)).map((violation) => `${name}, ${look}: ${violation}`));
        const overflow = await page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        );
        const shift = await layoutShiftOf(page);
        if (shift.score >= mostShift) found.push(`${name}, ${look}: moved by ${shift.score.toFixed(3)}: ${shift.what}`);
        found.push(
          ...(await unexplained(page)).map((button) => `${name}, ${look}: disabled without a reason: ${button}`),
        );
        if (overflow > 0) found.push(`${name}, ${look}: ${overflow} px wider than the screen`);
      }
    }
    expect(found.join("\n")).to.equal("");
  });

  it("needs at most 400 KB of script before a page works", async (context) => {
    const taskId = theTask();
    const settled = await settlementOf(chain, taskId);
    const own = [`/tasks/${taskId}`, "/nodes/1", `/tx/${settled?.transactionHash}`, `/sessions/${billedSession}`];
    let most = 0;
    for (const path of ["/", "/models", "/post", "/tasks", "/sessions", "/billing", "/nodes", "/earn", ...own]) {
      const bytes = await firstLoadBytes(`${dapp}${path}`);
      expect(bytes, path).to.be.within(1, mostScriptBytes);
      most = Math.max(most, bytes);
    }
    context.diagnostic(`the heaviest page needs ${most} bytes`);
  });

  it("lets a newcomer register a machine with the code its agent printed, and stake for it", async () => {
    const agent = await line.stack.addAgent({ name: "agent-4", owner: localAccounts.newcomer });
    const owner = createInjectedWallet({ account: newcomer, rpcUrl: line.stack.urls.rpc });
    const theirs = await openSession({ browser, look: desktop, wallet: owner });
    try {
      const earn = theirs.page;
      earn.setDefaultTimeout(20_000);
      await earn.goto(`${dapp}/earn`);
      await connectWallet(earn, owner);
      const register = earn.getByRole("region", { name: "2. Register it" });
      const code = register.getByRole("textbox", { name: "Registration code" });
      await code.fill(`${agent.registration.slice(0, -8)}AAAAAAAA`);
      await register.getByText("The code cannot be used.").waitFor();
      await code.fill(agent.registration);
      await register.getByRole("button", { name: "Register", exact: true }).click();
      await register.getByText("Registered as node-4").waitFor();

      const mine = earn.getByRole("region", { name: "node-4" });
      await mine.getByRole("button", { name: /^Sign permit \(100 NGPU\)/ }).click();
      await mine.getByRole("button", { name: "Stake 100 NGPU" }).click();
      await mine.getByText("Ready", { exact: true }).waitFor({ timeout: 30_000 });
      await earn.screenshot({ path: join(artefacts, "earn-registered-light.png"), fullPage: true });

      const registry = { address: contracts.nodeRegistry, abi: nodeRegistryAbi } as const;
      expect((await chain.readContract({ ...registry, functionName: "node", args: [4] })).owner).to.equal(
        newcomer.address,
      );
      expect(await chain.readContract({ ...registry, functionName: "isEligible", args: [4] })).to.equal(true);
      expect(theirs.problems.join("\n")).to.equal("");
    } finally {
      await theirs.close();
    }
  });

  it("asked nobody outside of this machine and logged no error on the way", () => {
    expect(session.problems.join("\n")).to.equal("");
    expect(line.lost).to.deep.equal([]);
  });

  async function expectedQuote(backups: number) {
    const { manifest } = textModel();
    const { dimensions } = measureInput({
      manifest,
      parts: sampleInput({ images: 1 }).parts,
      declared: { lines: declaredLines },
    });
    const oracle = { address: contracts.priceOracle, abi: priceOracleAbi } as const;
    return quoteTask({
      manifest,
      dimensions,
      priceUsd6PerGcums: await chain.readContract({ ...oracle, functionName: "priceUsd6PerGcums" }),
      backups,
    });
  }
});

/** The largest amount of a region, by its exact value. */
async function exactOf(region: Locator): Promise<string> {
  return (await region.locator("[data-exact]").first().getAttribute("data-exact")) ?? "";
}

/** Disabled buttons that neither a text nor a title explains. */
function unexplained(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>("button:disabled")]
      .filter(
        (button) => button.title === "" && !document.getElementById(button.getAttribute("aria-describedby") ?? ""),
      )
      .map((button) => button.outerHTML.slice(0, 120)),
  );
}

function cellOf(row: Locator, title: string): Locator {
  return row.locator(`td[data-title="${title}"]`);
}

/** As the dApp writes an exact amount: no zeros at the end. */
function exactText(usd6: bigint): string {
  return formatUsd6(usd6).replace(/\.?0+$/, "");
}

function sumUsd6(amounts: readonly string[]): bigint {
  return amounts.reduce((sum, text) => {
    const [whole = "0", fraction = ""] = text.split(".");
    return sum + BigInt(whole) * 1_000_000n + BigInt(fraction.padEnd(6, "0") || "0");
  }, 0n);
}
