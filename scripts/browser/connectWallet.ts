/** Connects the injected wallet as a person does: the button in the header, then the wallet in RainbowKit's dialog. */
import type { Page } from "playwright-core";
import type { InjectedWallet } from "./injectedWallet.ts";

export async function connectWallet(page: Page, wallet: InjectedWallet): Promise<void> {
  const header = page.getByRole("banner");
  await header.getByRole("button", { name: "Connect wallet" }).click();
  await page.getByRole("dialog").getByRole("button", { name: wallet.name }).click();
  await header.getByRole("button", { name: /^Account 0x/ }).waitFor();
}
