"use client";
/** The connected account, or the way to one. */
import { ConnectButton } from "@rainbow-me/rainbowkit";
import { useHydrated } from "../hooks/useHydrated.ts";
import { shortHash } from "../lib/format.ts";
import { AccountAvatar } from "./AccountAvatar.tsx";
import { Button } from "./Button.tsx";

export function AccountButton() {
  const hydrated = useHydrated();
  return (
    <ConnectButton.Custom>
      {({ account, chain, openAccountModal, openChainModal, openConnectModal }) => {
        if (account === undefined || chain === undefined) {
          return (
            <Button onClick={openConnectModal} disabled={!hydrated} data-starting={hydrated ? undefined : ""}>
              Connect wallet
            </Button>
          );
        }
        if (chain.unsupported === true) return <Button onClick={openChainModal}>Wrong network</Button>;
        return (
          <Button
            onClick={openAccountModal}
            aria-label={`Account ${shortHash(account.address)}`}
            title={account.address}
          >
            <AccountAvatar address={account.address} size={16} />
            <code>{shortHash(account.address)}</code>
          </Button>
        );
      }}
    </ConnectButton.Custom>
  );
}
