"use client";
/** What the connected account has, spends and has spent, line by line. */
import type { Address } from "viem";
import { NeedsWallet } from "../../components/NeedsWallet.tsx";
import { Page } from "../../components/Page.tsx";
import { Balance } from "./Balance.tsx";
import { Period } from "./Period.tsx";

export function Billing() {
  return (
    <Page title="Billing" lead="Every line can be recomputed from the chain; totals are the sum of the lines shown.">
      <NeedsWallet why="Connect the wallet that pays for your tasks to see its balance and its bills.">
        {(account) => <Account account={account} />}
      </NeedsWallet>
    </Page>
  );
}

function Account({ account }: { account: Address }) {
  return (
    <>
      <Balance account={account} />
      <Period account={account} />
    </>
  );
}
