/** The billing page of one payer, open in a real browser, asked when a bill becomes visible. */
import type { Hex, LocalAccount } from "viem";
import { connectWallet } from "../../browser/connectWallet.ts";
import { createInjectedWallet } from "../../browser/injectedWallet.ts";
import { launchBrowser, openSession } from "../../browser/openBrowser.ts";

export interface BillingPage {
  /** Resolves when the line of this task is drawn. */
  untilShown(options: { taskId: Hex; timeoutMs: number }): Promise<void>;
  close(): Promise<void>;
}

export async function openBillingPage(options: {
  chromium: string;
  dappUrl: string;
  rpcUrl: string;
  payer: LocalAccount;
}): Promise<BillingPage> {
  const { chromium, dappUrl, rpcUrl, payer } = options;
  const browser = await launchBrowser({ executablePath: chromium });
  try {
    const wallet = createInjectedWallet({ account: payer, rpcUrl });
    const { page } = await openSession({ browser, look: { colorScheme: "light", width: 1280, height: 900 }, wallet });
    await page.goto(`${dappUrl}/billing`);
    await connectWallet(page, wallet);
    const bills = page.getByRole("table", { name: "Bills" });
    await bills.waitFor();
    return {
      untilShown: ({ taskId, timeoutMs }) =>
        bills.locator(`a[href="/tasks/${taskId}"]`).waitFor({ timeout: timeoutMs }),
      close: () => browser.close(),
    };
  } catch (error) {
    await browser.close();
    throw error;
  }
}
