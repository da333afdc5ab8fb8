/** The part of an IP address that a network's users share: 24 bits of version 4, 56 of version 6. */
import { parseAddress } from "./ipAddress.ts";

const prefixBytes = { four: 3, six: 7 };

/** Undefined when it is no address. */
export function addressPrefix(address: string): Uint8Array | undefined {
  const bytes = parseAddress(address);
  return bytes?.slice(0, bytes.length === 4 ? prefixBytes.four : prefixBytes.six);
}
