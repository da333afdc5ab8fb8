/** The nonce of a datagram: its direction's salt with path id and packet number xored into the last 7 bytes. */
import type { DatagramHeader } from "./datagramHeader.ts";

export function nonceOf(salt: Uint8Array, { path, packetNumber }: Pick<DatagramHeader, "path" | "packetNumber">) {
  const nonce = salt.slice();
  nonce[5]! ^= path;
  let rest = packetNumber;
  for (let at = 11; at > 5; at -= 1) {
    nonce[at]! ^= rest % 256;
    rest = Math.floor(rest / 256);
  }
  return nonce;
}
