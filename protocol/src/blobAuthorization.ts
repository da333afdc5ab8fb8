/** The `authorization` header of blob requests: `NGPU base64url(JSON{message, signature})` with a BlobAccess. */
import { NgpuError } from "./errors.ts";
import type { Signed } from "./signed.ts";
import { decodeSigned } from "./wire.ts";
import { wireJson } from "./wireJson.ts";

const scheme = "NGPU ";

export function encodeBlobAuthorization(access: Signed<"blobAccess">): string {
  const json = wireJson(access);
  return scheme + btoa(json).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

export function decodeBlobAuthorization(header: string | undefined): Signed<"blobAccess"> {
  if (header === undefined || !header.startsWith(scheme) || header.length > 4_096) throw new NgpuError("AUTH_REQUIRED");
  try {
    const json = atob(header.slice(scheme.length).replaceAll("-", "+").replaceAll("_", "/"));
    return decodeSigned("blobAccess", JSON.parse(json), "authorization");
  } catch (cause) {
    throw new NgpuError("AUTH_REQUIRED", {}, { cause });
  }
}
