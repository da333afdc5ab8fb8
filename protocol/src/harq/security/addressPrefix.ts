/** The part of an IP address that a network's users share: 24 bits of version 4, 56 of version 6. */
const prefixBytes = { four: 3, six: 7 };
const groups = 8;

/** Undefined when it is no address. */
export function addressPrefix(address: string): Uint8Array | undefined {
  const [plain = ""] = address.toLowerCase().split("%");
  const mapped = plain.startsWith("::ffff:") && plain.includes(".") ? plain.slice(7) : plain;
  return mapped.includes(":") ? six(mapped) : four(mapped);
}

function four(address: string): Uint8Array | undefined {
  const parts = address.split(".").map((part) => (/^\d{1,3}$/.test(part) ? Number(part) : 256));
  if (parts.length !== 4 || parts.some((part) => part > 255)) return undefined;
  return Uint8Array.from(parts.slice(0, prefixBytes.four));
}

function six(address: string): Uint8Array | undefined {
  const halves = address.split("::");
  const [head, tail] = [halves[0] ?? "", halves[1] ?? ""].map((half) => (half === "" ? [] : half.split(":")));
  const missing = groups - head!.length - tail!.length;
  if (halves.length > 2 || (halves.length === 2 ? missing < 1 : missing !== 0)) return undefined;
  const words = [...head!, ...Array.from({ length: missing }, () => "0"), ...tail!];
  if (!words.every((word) => /^[0-9a-f]{1,4}$/.test(word))) return undefined;
  const bytes = words.flatMap((word) => [parseInt(word, 16) >> 8, parseInt(word, 16) & 0xff]);
  return Uint8Array.from(bytes.slice(0, prefixBytes.six));
}
