"use client";
/** For pages about one's own things: asks for a wallet, and shows the rest once there is one. */
import { useAccount } from "wagmi";
import type { ReactNode } from "react";
import type { Address } from "viem";
import { useGateSteps } from "../hooks/useGateSteps.ts";
import { Card } from "./Card.tsx";
import { EmptyState } from "./EmptyState.tsx";
import { SkeletonRows } from "./Skeleton.tsx";
import { StepButton } from "./StepButton.tsx";

export function NeedsWallet({ why, children }: { why: string; children: (account: Address) => ReactNode }) {
  const { address, isConnecting, isReconnecting } = useAccount();
  const [connect] = useGateSteps();
  if (address !== undefined) return children(address);
  return (
    <Card>
      {isConnecting || isReconnecting ? (
        <SkeletonRows rows={3} />
      ) : (
        <EmptyState
          title="No wallet is connected"
          action={connect === undefined ? null : <StepButton steps={[connect]} wide={false} />}
        >
          {why}
        </EmptyState>
      )}
    </Card>
  );
}
