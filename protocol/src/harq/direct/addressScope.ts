/** How far an IP address reaches: what is sent to somebody's word must not end up in one's own network. */
import { isUnicast, parseAddress } from "../security/ipAddress.ts";

export type AddressScope = "public" | "private" | "loopback" | "none";

type Prefix = readonly [bytes: readonly number[], bits: number];

/** RFC 1918, carriers' shared addresses (RFC 6598), and what only means something on one line (RFC 3927). */
const private4: readonly Prefix[] = [
  [[10], 8],
  [[172, 16], 12],
  [[192, 168], 16],
  [[100, 64], 10],
  [[169, 254], 16],
];
/** Unique local (RFC 4193) and link-local. */
const private6: readonly Prefix[] = [
  [[0xfc], 7],
  [[0xfe, 0x80], 10],
];
/** Reserved, and for protocols alone; nobody is there. */
const nobody4: readonly Prefix[] = [
  [[192, 0, 0], 24],
  [[198, 18], 15],
  [[240], 4],
];
/** Documents, and addresses of version 4 in another dress (NAT64, 6to4): they could mean any of the above. */
const nobody6: readonly Prefix[] = [
  [[0x20, 0x01, 0x0d, 0xb8], 32],
  [[0x00, 0x64, 0xff, 0x9b], 32],
  [[0x20, 0x02], 16],
  [[0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00], 80],
];

/** `none` for what is no address, nobody's, or many people's. */
export function addressScope(address: string): AddressScope {
  const bytes = parseAddress(address);
  if (bytes === undefined || !isUnicast(bytes)) return "none";
  if (bytes.length === 4) {
    if (bytes[0] === 127) return "loopback";
    if (isIn(bytes, nobody4)) return "none";
    return isIn(bytes, private4) ? "private" : "public";
  }
  if (bytes.every((byte, at) => byte === (at === 15 ? 1 : 0))) return "loopback";
  if (isIn(bytes, nobody6)) return "none";
  return isIn(bytes, private6) ? "private" : "public";
}

function isIn(bytes: Uint8Array, prefixes: readonly Prefix[]): boolean {
  return prefixes.some(([start, bits]) => {
    for (let at = 0; at < bits; at += 1) {
      const mask = 0x80 >> (at & 7);
      if (((bytes[at >> 3] ?? 0) & mask) !== ((start[at >> 3] ?? 0) & mask)) return false;
    }
    return true;
  });
}
