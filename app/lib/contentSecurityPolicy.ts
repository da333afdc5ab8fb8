/** The content security policy of one page. Styles stay inline because the wallet dialog sets its theme that way. */
import type { RuntimeConfig } from "./runtimeConfig.ts";

export function contentSecurityPolicy(options: {
  nonce: string;
  development: boolean;
  runtime: RuntimeConfig;
}): string {
  const { nonce, development, runtime } = options;
  const gateway = new URL(runtime.gatewayUrl);
  const socket = `${gateway.protocol === "https:" ? "wss:" : "ws:"}//${gateway.host}`;
  const connect = [
    "'self'",
    new URL(runtime.rpcUrl).origin,
    gateway.origin,
    socket,
    new URL(runtime.subgraphUrl).origin,
  ];
  // The erasure code is WebAssembly, which this lets run and nothing else.
  const wasm = "'wasm-unsafe-eval'";
  const scripts = ["'self'", `'nonce-${nonce}'`, "'strict-dynamic'", wasm, ...(development ? ["'unsafe-eval'"] : [])];
  const directives = {
    "default-src": ["'self'"],
    "script-src": scripts,
    "style-src": ["'self'", "'unsafe-inline'"],
    "img-src": ["'self'", "blob:", "data:"],
    "font-src": ["'self'"],
    "connect-src": [...new Set(connect)],
    "object-src": ["'none'"],
    "base-uri": ["'none'"],
    "form-action": ["'self'"],
    "frame-ancestors": ["'none'"],
  };
  return Object.entries(directives)
    .map(([name, sources]) => `${name} ${sources.join(" ")}`)
    .join("; ");
}
