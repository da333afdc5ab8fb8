/** IP addresses between text and their 4 or 16 bytes. */
const groups = 8;

/** Undefined when it is no address. One of version 4 that is mapped into version 6 is of version 4. */
export function parseAddress(address: string): Uint8Array | undefined {
  const [plain = ""] = address.toLowerCase().split("%");
  const mapped = plain.startsWith("::ffff:") && plain.includes(".") ? plain.slice(7) : plain;
  return mapped.includes(":") ? six(mapped) : four(mapped);
}

/** Of 4 or 16 bytes; version 6 in full, without leading zeros. */
export function formatAddress(bytes: Uint8Array): string {
  if (bytes.length === 4) return bytes.join(".");
  return Array.from({ length: groups }, (_, at) => ((bytes[2 * at]! << 8) | bytes[2 * at + 1]!).toString(16)).join(":");
}

/** False for what is nobody's or many's: nothing is sent there on somebody's word. */
export function isUnicast(bytes: Uint8Array): boolean {
  if (bytes.length === 4) return bytes[0] !== 0 && bytes[0]! < 224;
  return bytes[0] !== 0xff && bytes.some((byte) => byte !== 0);
}

function four(address: string): Uint8Array | undefined {
  const parts = address.split(".").map((part) => (/^\d{1,3}$/.test(part) ? Number(part) : 256));
  if (parts.length !== 4 || parts.some((part) => part > 255)) return undefined;
  return Uint8Array.from(parts);
}

function six(address: string): Uint8Array | undefined {
  const halves = address.split("::");
  const [head, tail] = [halves[0] ?? "", halves[1] ?? ""].map((half) => (half === "" ? [] : half.split(":")));
  const missing = groups - head!.length - tail!.length;
  if (halves.length > 2 || (halves.length === 2 ? missing < 1 : missing !== 0)) return undefined;
  const words = [...head!, ...Array.from({ length: missing }, () => "0"), ...tail!];
  if (!words.every((word) => /^[0-9a-f]{1,4}$/.test(word))) return undefined;
  return Uint8Array.from(words.flatMap((word) => [parseInt(word, 16) >> 8, parseInt(word, 16) & 0xff]));
}
