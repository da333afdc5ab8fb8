"use client";
/** Everything that lives as long as the page: addresses, wallet, query cache, theme. */
import "@rainbow-me/rainbowkit/styles.css";
import { RainbowKitProvider } from "@rainbow-me/rainbowkit";
import { QueryClientProvider } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { WagmiProvider, type State } from "wagmi";
import { AccountAvatar } from "../components/AccountAvatar.tsx";
import { RuntimeProvider } from "../hooks/useRuntime.tsx";
import { ThemeProvider, useTheme, type ThemeChoice } from "../hooks/useTheme.tsx";
import { createQueryClient } from "../lib/queryClient.ts";
import { walletTheme } from "../lib/walletTheme.ts";
import type { RuntimeConfig } from "../lib/runtimeConfig.ts";
import { wagmiConfig } from "../lib/wagmiConfig.ts";

export function Providers(props: {
  runtime: RuntimeConfig;
  initialState: State | undefined;
  initialTheme: ThemeChoice;
  children: ReactNode;
}) {
  const [config] = useState(() => wagmiConfig(props.runtime));
  const [queryClient] = useState(createQueryClient);
  return (
    <RuntimeProvider runtime={props.runtime}>
      <ThemeProvider initial={props.initialTheme}>
        <WagmiProvider
          config={config}
          {...(props.initialState === undefined ? {} : { initialState: props.initialState })}
        >
          <QueryClientProvider client={queryClient}>
            <WalletDialog>{props.children}</WalletDialog>
          </QueryClientProvider>
        </WagmiProvider>
      </ThemeProvider>
    </RuntimeProvider>
  );
}

function WalletDialog({ children }: { children: ReactNode }) {
  const { choice } = useTheme();
  return (
    <RainbowKitProvider
      theme={walletTheme(choice)}
      avatar={AccountAvatar}
      modalSize="compact"
      locale="en-US"
      appInfo={{ appName: "NGPU" }}
    >
      {children}
    </RainbowKitProvider>
  );
}
