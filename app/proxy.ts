/**
 * Gives every page a content security policy with a fresh nonce. Only the chain, the gateway and the subgraph that the
 * operator configured can be talked to; they are read at run time, so one build serves any addresses.
 */
import { NextResponse, type NextRequest } from "next/server";
import { contentSecurityPolicy } from "./lib/contentSecurityPolicy.ts";
import { readRuntimeConfig } from "./lib/runtimeConfig.ts";

export function proxy(request: NextRequest): NextResponse {
  const nonce = Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString("base64");
  const development = process.env.NODE_ENV === "development";
  const policy = contentSecurityPolicy({ nonce, development, runtime: readRuntimeConfig(process.env) });
  const headers = new Headers(request.headers);
  headers.set("content-security-policy", policy);
  const response = NextResponse.next({ request: { headers } });
  response.headers.set("content-security-policy", policy);
  return response;
}

export const config = { matcher: "/((?!_next/static|samples/|icon.svg).*)" };
