"use client";
/** Addresses of the run and of the chain's contracts, for everything below the layout. */
import { createContext, useContext, useMemo, type ReactNode } from "react";
import { appDeployment, type AppDeployment } from "../lib/deployment.ts";
import type { RuntimeConfig } from "../lib/runtimeConfig.ts";

interface Runtime extends RuntimeConfig {
  deployment: AppDeployment;
}

const RuntimeContext = createContext<Runtime | undefined>(undefined);

export function RuntimeProvider({ runtime, children }: { runtime: RuntimeConfig; children: ReactNode }) {
  const value = useMemo(() => ({ ...runtime, deployment: appDeployment(runtime.chainId) }), [runtime]);
  return <RuntimeContext.Provider value={value}>{children}</RuntimeContext.Provider>;
}

export function useRuntime(): Runtime {
  const runtime = useContext(RuntimeContext);
  if (runtime === undefined) throw new Error("useRuntime belongs below RuntimeProvider.");
  return runtime;
}
