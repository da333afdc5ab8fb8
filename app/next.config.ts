import { join } from "node:path";
import type { NextConfig } from "next";

/**
 * Wallets are found in the browser by EIP-6963. The vendor SDKs that wagmi's connectors import lazily are not
 * installed; whatever asks for one gets a part that fails loudly.
 */
const absentWallets = [
  "@base-org/account",
  "@coinbase/wallet-sdk",
  "@gemini-wallet/core",
  "@metamask/sdk",
  "@safe-global/safe-apps-provider",
  "@safe-global/safe-apps-sdk",
  "@walletconnect/ethereum-provider",
  "cbw-sdk",
  "porto",
  "porto/internal",
];

const config: NextConfig = {
  reactStrictMode: true,
  poweredByHeader: false,
  transpilePackages: ["@ngpu/client", "@ngpu/protocol"],
  turbopack: {
    root: join(import.meta.dirname, ".."),
    resolveAlias: Object.fromEntries(absentWallets.map((name) => [name, "absent-wallet"])),
  },
  headers: async () => [
    {
      source: "/:path*",
      headers: [
        { key: "X-Content-Type-Options", value: "nosniff" },
        { key: "X-Frame-Options", value: "DENY" },
        { key: "Referrer-Policy", value: "no-referrer" },
        { key: "Permissions-Policy", value: "camera=(), microphone=(), geolocation=(), payment=(), usb=()" },
        { key: "Cross-Origin-Opener-Policy", value: "same-origin" },
      ],
    },
  ],
};

export default config;
