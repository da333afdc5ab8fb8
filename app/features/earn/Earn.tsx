"use client";
/** For owners of machines: what they earn, how to begin, and everything about stake and exit. */
import type { Address } from "viem";
import { NeedsWallet } from "../../components/NeedsWallet.tsx";
import { Columns, Page } from "../../components/Page.tsx";
import { EarningsEstimate } from "./EarningsEstimate.tsx";
import { MyNodes } from "./MyNodes.tsx";
import { RegisterNode } from "./RegisterNode.tsx";
import { StartAgent } from "./StartAgent.tsx";

export function Earn() {
  return (
    <Page
      title="Earn"
      lead="Lend a machine: register it, stake for it, and be paid for power × duration of every task it serves."
    >
      <EarningsEstimate />
      <NeedsWallet why="Connect the account that shall own the machine: it registers, stakes and withdraws.">
        {(account) => <Owner account={account} />}
      </NeedsWallet>
    </Page>
  );
}

function Owner({ account }: { account: Address }) {
  return (
    <>
      <MyNodes account={account} />
      <Columns>
        <StartAgent account={account} />
        <RegisterNode account={account} />
      </Columns>
    </>
  );
}
