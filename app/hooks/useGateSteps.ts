"use client";
/** The two steps before anything can be signed: a connected wallet, and the right chain. */
import { useConnectModal } from "@rainbow-me/rainbowkit";
import { useAccount, useSwitchChain } from "wagmi";
import { chainOf } from "../lib/chain.ts";
import type { Step } from "../components/StepButton.tsx";
import { useRuntime } from "./useRuntime.tsx";

export function useGateSteps(): Step[] {
  const runtime = useRuntime();
  const account = useAccount();
  const { openConnectModal } = useConnectModal();
  const { switchChainAsync } = useSwitchChain();
  const chain = chainOf(runtime);
  return [
    {
      id: "connect",
      label: "Connect a wallet",
      done: account.address !== undefined,
      run: async () => openConnectModal?.(),
    },
    {
      id: "switch",
      label: `Switch to ${chain.name}`,
      done: account.chainId === chain.id,
      run: async () => {
        await switchChainAsync({ chainId: chain.id });
      },
    },
  ];
}
