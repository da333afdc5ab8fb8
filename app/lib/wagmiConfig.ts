/** wagmi in the browser: wallets are found by EIP-6963, reads go to the configured RPC. */
import { connectorsForWallets } from "@rainbow-me/rainbowkit";
import { injectedWallet } from "@rainbow-me/rainbowkit/wallets";
import { createConfig, http, type Config } from "wagmi";
import { chainOf } from "./chain.ts";
import { createPoliteFetch } from "./politeFetch.ts";
import type { RuntimeConfig } from "./runtimeConfig.ts";
import { walletStorage } from "./walletStorage.ts";

export function wagmiConfig(runtime: RuntimeConfig): Config {
  const chain = chainOf(runtime);
  const connectors = connectorsForWallets([{ groupName: "Browser", wallets: [injectedWallet] }], {
    appName: "NGPU",
    projectId: "unused",
  });
  const fetchFn = createPoliteFetch({ fetch: (...asked) => fetch(...asked), nowMs: () => Date.now() });
  return createConfig({
    chains: [chain],
    connectors,
    transports: { [chain.id]: http(runtime.rpcUrl, { retryCount: 2, batch: { wait: 16 }, fetchFn }) },
    pollingInterval: chain.testnet ? 500 : 4_000,
    multiInjectedProviderDiscovery: true,
    storage: walletStorage,
    ssr: true,
  });
}
