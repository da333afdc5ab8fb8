/**
 * A primary that is killed, frozen or cut off while it executes a batch of several seconds. In the browser it is killed
 * the moment the page says that it has started; nothing in the product knows of any of this.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { expect } from "chai";
import type { Hex, PublicClient } from "viem";
import { isOnlyBill, readBooks, type Books } from "../../scripts/bench/failover/books.ts";
import { openGatewayFront, type GatewayFront } from "../../scripts/bench/failover/gatewayFront.ts";
import { injectFault, type Fault } from "../../scripts/bench/failover/injectFault.ts";
import { refusalOfLateReceipt } from "../../scripts/bench/failover/lateReceipt.ts";
import { untilIdle } from "../../scripts/bench/failover/untilIdle.ts";
import { connectWallet } from "../../scripts/browser/connectWallet.ts";
import { createInjectedWallet } from "../../scripts/browser/injectedWallet.ts";
import { launchBrowser, openSession } from "../../scripts/browser/openBrowser.ts";
import { localAccounts } from "../../scripts/stack/accounts.ts";
import { localClient } from "../../scripts/stack/chain.ts";
import { paths } from "../../scripts/stack/paths.ts";
import { freePorts } from "../../scripts/stack/ports.ts";
import { groupOf, identityOf } from "../../scripts/stack/process/identity.ts";
import { runSampleTask, sampleCount, textModel } from "../../scripts/stack/sampleTask.ts";
import type { StackNode } from "../../scripts/stack/stack.ts";
import { findChromium } from "../../scripts/targets/testing/chromium.ts";
import { settlementOf } from "./support/ledger.ts";
import { startLine, type Line } from "./support/startLine.ts";
import { until } from "./support/until.ts";

const payer = localAccounts.payer.account;
const artefacts = join(paths.root, "test/artefacts");
const taskWithinMs = 60_000;
const leastRunMs = 5_000;

describe("failover", () => {
  let front: GatewayFront;
  let line: Line;
  let chain: PublicClient;
  before(async () => {
    mkdirSync(artefacts, { recursive: true });
    front = await openGatewayFront();
    const ports = await freePorts();
    front.forwardTo(ports.gateway);
    const detours = { gateway: `http://127.0.0.1:${front.port}` };
    line = await startLine({ agents: 3, dapp: true, ports, detours });
    chain = localClient(line.stack.urls.rpc);
  });
  after(async () => {
    await line?.stop();
    await front?.close();
  });

  const nodeOf = (nodeId: number): StackNode => {
    const node = line.stack.nodes.find((candidate) => candidate.nodeId === nodeId);
    if (!node) throw new Error(`no agent serves node ${nodeId}`);
    return node;
  };
  const booksOf = (): Promise<Books> => readBooks({ chain, stack: line.stack, payer: payer.address });
  /** The only bill of the task is the backup's, to the address of its owner, for all of a real run. */
  const expectBillOf = async (backup: number, { taskId, before }: { taskId: Hex; before: Books }): Promise<void> => {
    const settled = await settlementOf(chain, taskId);
    if (!settled) throw new Error("the task has no bill");
    const { nodeId, payout, amountUsd6, standbyUsd6, durationMs } = settled.args;
    expect({ nodeId, payout }).to.deep.equal({ nodeId: backup, payout: nodeOf(backup).owner.account.address });
    expect(durationMs).to.be.above(leastRunMs);
    // The primary forfeits: it was asked and did not deliver, and nobody sits behind the backup.
    expect(standbyUsd6).to.equal(0n);
    const bill = { nodeId: backup, amountUsd6, standbyUsd6 };
    const parties = { chain, stack: line.stack, payer: payer.address };
    expect(await isOnlyBill({ ...parties, before, taskId, bill })).to.equal(true);
  };

  it("shows in the browser how the backup takes over from an agent that is killed when it has started", async () => {
    const executablePath = findChromium();
    if (!executablePath)
      throw new Error("There is no Chromium: run `npm test`, which installs it, or set NGPU_CHROMIUM.");
    const browser = await launchBrowser({ executablePath });
    try {
      const wallet = createInjectedWallet({ account: payer, rpcUrl: line.stack.urls.rpc });
      const look = { colorScheme: "light", width: 1280, height: 900 } as const;
      const session = await openSession({ browser, look, wallet });
      const { page } = session;
      page.setDefaultTimeout(20_000);
      await page.goto(`${line.stack.urls.dapp}/post?model=${textModel().modelId}`);
      await connectWallet(page, wallet);
      const before = await booksOf();
      await page.getByRole("button", { name: `Use the ${sampleCount()}-page batch` }).click();
      const quote = page.getByRole("region", { name: "Quote" });
      await quote.getByRole("button", { name: /^Sign permit/ }).click();
      await quote.getByRole("button", { name: "Post", exact: true }).click();
      await page.waitForURL("**/tasks/0x*", { timeout: taskWithinMs });
      const taskId = page.url().split("/").at(-1) as Hex;

      const running = page.locator('[data-stage="running"]');
      await running.getByRole("progressbar").waitFor({ timeout: taskWithinMs });
      const primary = idOf(await running.getByRole("link", { name: /^node-\d+$/ }).first().innerText());
      const { name, service } = nodeOf(primary);
      const agent = identityOf(service.pid);
      if (!agent || line.stack.pids()[name] !== agent.pid) throw new Error(`the record has no ${name}`);
      process.kill(agent.pid, "SIGKILL");

      await running.getByText(/took over in \d/).waitFor();
      await page.screenshot({ path: join(artefacts, "failover-light.png"), fullPage: true });
      const shown = await running.getByText(/went silent/).innerText();
      const [, silent, tookOver = ""] = /(node-\d+) went silent.*→\s+(node-\d+) took over in/.exec(shown) ?? [];
      expect(silent).to.equal(`node-${primary}`);
      const backup = idOf(tookOver);
      expect(backup).to.not.equal(primary);
      // What the agent had started does not go on without it.
      await until("the killed agent's runners have ended", taskWithinMs, () =>
        groupOf(agent).length === 0 ? true : undefined,
      );

      await page.locator('[data-stage="indexed"][data-state^="done"]').waitFor({ timeout: taskWithinMs });
      const result = page.getByRole("region", { name: "Result" });
      await result.getByText("KORNBLUM BAKERY").first().waitFor();
      const bill = page.getByRole("region", { name: "Bill" });
      await bill.getByText(`power of node-${backup}`).waitFor();
      await bill.getByRole("button", { name: "Verify" }).click();
      await bill.getByText(/^Verified:/).waitFor();
      await expectBillOf(backup, { taskId, before });
      expect(session.problems.join("\n")).to.equal("");
    } finally {
      await browser.close();
    }
  });

  for (const [kind, title] of [
    ["sigstop", "is paid once, to the backup, when the primary is frozen while it executes and wakes up afterwards"],
    ["halfopen", "is paid once, to the backup, when the primary is cut off while it executes and comes back"],
  ] as const) {
    it(title, async () => {
      await restartLost();
      await untilIdle(line.stack, AbortSignal.timeout(taskWithinMs));
      const before = await booksOf();
      let primary: StackNode | undefined;
      let fault: Fault | undefined;
      try {
        const { taskId, receipt, bill, json } = await runSampleTask({
          urls: line.stack.urls,
          payer,
          images: sampleCount(),
          onEvent: (event) => {
            if (event.kind !== "progress" || fault) return;
            primary = nodeOf(event.nodeId);
            fault = injectFault({ kind, node: primary, stack: line.stack, front });
          },
        });
        if (!primary) throw new Error("no progress was seen");
        expect(receipt.message.attempt).to.equal(1);
        expect(JSON.stringify(json)).to.contain("KORNBLUM BAKERY");
        expect(bill.nodeId).to.not.equal(primary.nodeId);
        await expectBillOf(bill.nodeId, { taskId, before });

        await fault?.revive();
        fault = undefined;
        await untilIdle(line.stack, AbortSignal.timeout(taskWithinMs));
        const late = { chain, dataDir: line.dataDir, primary, paid: receipt, sender: payer.address };
        expect(await refusalOfLateReceipt(late)).to.equal("TaskWrongStatus");
        await expectBillOf(bill.nodeId, { taskId, before });
      } finally {
        await fault?.revive();
      }
    });
  }

  /** Agents that a test before has killed. */
  async function restartLost(): Promise<void> {
    for (const name of line.lost.splice(0)) {
      const node = line.stack.nodes.find((candidate) => candidate.name === name);
      if (!node) throw new Error(`${name} has ended`);
      await line.stack.restartAgent(node);
    }
  }
});

function idOf(name: string): number {
  const id = Number(/^node-(\d+)$/.exec(name.trim())?.[1]);
  if (!Number.isInteger(id)) throw new Error(`${name} names no node`);
  return id;
}
