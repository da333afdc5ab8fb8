/**
 * The frame of every page. Reads the run's addresses and the wallet's cookie on the server, so the first paint is
 * already right.
 */
import "@fontsource-variable/inter/wght.css";
import "@fontsource/jetbrains-mono/latin-400.css";
import "@fontsource/jetbrains-mono/latin-500.css";
import "./globals.css";
import type { Metadata, Viewport } from "next";
import { cookies, headers } from "next/headers";
import type { ReactNode } from "react";
import { cookieToInitialState } from "wagmi";
import { Shell } from "../components/Shell.tsx";
import { readRuntimeConfig } from "../lib/runtimeConfig.ts";
import { serverWagmiConfig } from "../lib/walletStorage.ts";
import { Providers } from "./providers.tsx";

export const metadata: Metadata = {
  title: { default: "NGPU", template: "%s · NGPU" },
  description: "Post an inference task from a wallet, pay for exactly power × duration, verify the bill yourself.",
};

export const viewport: Viewport = { width: "device-width", initialScale: 1 };

export default async function Layout({ children }: { children: ReactNode }) {
  const runtime = readRuntimeConfig(process.env);
  const initialState = cookieToInitialState(serverWagmiConfig(runtime), (await headers()).get("cookie"));
  const stored = (await cookies()).get("theme")?.value;
  const theme = stored === "light" || stored === "dark" ? stored : "system";
  return (
    <html lang="en" {...(theme === "system" ? {} : { "data-theme": theme })}>
      <body>
        <Providers runtime={runtime} initialState={initialState} initialTheme={theme}>
          <Shell>{children}</Shell>
        </Providers>
      </body>
    </html>
  );
}
