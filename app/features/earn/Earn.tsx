"use client";
/** For owners of machines: what they earn, how to begin, and everything about stake and exit. */
import { lazy, Suspense } from "react";
import { Card } from "../../components/Card.tsx";
import { NeedsWallet } from "../../components/NeedsWallet.tsx";
import { Page } from "../../components/Page.tsx";
import { SkeletonRows } from "../../components/Skeleton.tsx";
import { EarningsEstimate } from "./EarningsEstimate.tsx";

/** Fetched once there is a wallet that could own a machine. */
const Owner = lazy(async () => ({ default: (await import("./Owner.tsx")).Owner }));

export function Earn() {
  return (
    <Page
      title="Earn"
      lead="Lend a machine: register it, stake for it, and be paid for power × duration of every task it serves."
    >
      <EarningsEstimate />
      <NeedsWallet why="Connect the account that shall own the machine: it registers, stakes and withdraws.">
        {(account) => (
          <Suspense fallback={<OwnerToCome />}>
            <Owner account={account} />
          </Suspense>
        )}
      </NeedsWallet>
    </Page>
  );
}

function OwnerToCome() {
  return (
    <Card title="My machines">
      <SkeletonRows rows={3} />
    </Card>
  );
}
