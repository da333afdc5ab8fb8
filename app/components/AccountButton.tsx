"use client";
/** The connected account, or the way to one. */
import { ConnectButton } from "@rainbow-me/rainbowkit";
import { shortHash } from "../lib/format.ts";
import { AccountAvatar } from "./AccountAvatar.tsx";
import { Button } from "./Button.tsx";

export function AccountButton() {
  return (
    <ConnectButton.Custom>
      {({ account, chain, openAccountModal, openChainModal, openConnectModal }) => {
        if (account === undefined || chain === undefined) {
          return <Button onClick={openConnectModal}>Connect wallet</Button>;
        }
        if (chain.unsupported === true) return <Button onClick={openChainModal}>Wrong network</Button>;
        return (
          <Button onClick={openAccountModal} aria-label={`Account ${account.address}`}>
            <AccountAvatar address={account.address} size={16} />
            <code>{shortHash(account.address)}</code>
          </Button>
        );
      }}
    </ConnectButton.Custom>
  );
}
