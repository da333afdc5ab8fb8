/**
 * Wallet state lives in a cookie, so that the server renders a connected page at once. Safe on the server and in the
 * browser.
 */
import { cookieStorage, createConfig, createStorage, http, type Config } from "wagmi";
import { chainOf } from "./chain.ts";
import type { RuntimeConfig } from "./runtimeConfig.ts";

export const walletStorage = createStorage({ storage: cookieStorage });

/** Only for reading the cookie on the server: it knows no wallets. */
export function serverWagmiConfig(runtime: RuntimeConfig): Config {
  const chain = chainOf(runtime);
  return createConfig({
    chains: [chain],
    transports: { [chain.id]: http(runtime.rpcUrl) },
    storage: walletStorage,
    ssr: true,
  });
}
