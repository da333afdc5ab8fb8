/**
 * Figures as people read them. Nothing here rounds up: an amount that is cut is cut towards zero and marked as such.
 */

export interface FormattedAmount {
  /** What is shown. */
  text: string;
  /** Every digit, without separators, for copying and for the title. */
  exact: string;
  /** True when `text` says less than `exact`. */
  truncated: boolean;
}

export function formatUnitsExact(value: bigint, decimals: number): string {
  const negative = value < 0n;
  const digits = String(negative ? -value : value).padStart(decimals + 1, "0");
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, "");
  return `${negative ? "-" : ""}${whole}${fraction === "" ? "" : `.${fraction}`}`;
}

export function formatAmount(options: {
  value: bigint;
  decimals: number;
  /** Decimals to show at least. */
  least?: number;
  /** Decimals to show at most. */
  most?: number;
}): FormattedAmount {
  const { value, decimals, least = 2, most = 6 } = options;
  const exact = formatUnitsExact(value, decimals);
  const [whole = "0", fraction = ""] = exact.split(".");
  const kept = fraction.slice(0, most).padEnd(least, "0");
  const truncated = fraction.length > most;
  const text = `${groupThousands(whole)}${kept === "" ? "" : `.${kept}`}`;
  const vanished = truncated && value !== 0n && /^-?0(\.0*)?$/.test(text);
  return { text: vanished ? `< ${smallest(most)}` : text, exact, truncated };
}

/** An amount in base units of the payment token, for a sentence. */
export function formatUsd(value: bigint): string {
  return `${formatAmount({ value, decimals: 6 }).text} USD`;
}

export function groupThousands(digits: string): string {
  return digits.replace(/\B(?=(\d{3})+(?!\d))/g, ",");
}

export function formatInteger(value: bigint | number): string {
  return groupThousands(String(value));
}

/** A measured duration: 420 ms, 4.2 s, 3 min 20 s. */
export function formatMs(ms: number): string {
  if (ms < 1_000) return `${Math.floor(ms)} ms`;
  if (ms < 60_000) return `${(Math.floor(ms / 100) / 10).toFixed(1)} s`;
  return formatSeconds(Math.floor(ms / 1_000));
}

/** A waiting time in the largest two units. */
export function formatSeconds(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const parts = [
    [Math.floor(whole / 86_400), "d"],
    [Math.floor((whole % 86_400) / 3_600), "h"],
    [Math.floor((whole % 3_600) / 60), "min"],
    [whole % 60, "s"],
  ] as const;
  const first = parts.findIndex(([count]) => count > 0);
  if (first === -1) return "0 s";
  return parts
    .slice(first, first + 2)
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(" ");
}

export function formatBytes(bytes: number): string {
  if (bytes < 1_024) return `${bytes} B`;
  if (bytes < 1_048_576) return `${Math.round(bytes / 1_024)} KiB`;
  return `${(bytes / 1_048_576).toFixed(1)} MiB`;
}

/** 12:01:07 in the reader's time zone. */
export function formatTime(seconds: bigint | number): string {
  return new Date(Number(seconds) * 1_000).toLocaleTimeString("en-GB");
}

/** 30 Nov 2026, 12:01 in the reader's time zone. */
export function formatDateTime(seconds: bigint | number): string {
  const date = new Date(Number(seconds) * 1_000);
  const day = date.toLocaleDateString("en-GB", { day: "numeric", month: "short", year: "numeric" });
  return `${day}, ${date.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" })}`;
}

/** 30/11/2026, 12:01:07 CET · 2026-11-30 11:01:07 UTC */
export function exactTime(seconds: bigint | number): string {
  const date = new Date(Number(seconds) * 1_000);
  const local = date.toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "long" });
  return `${local} · ${date.toISOString().slice(0, 19).replace("T", " ")} UTC`;
}

export function shortHash(hash: string): string {
  return hash.length > 14 ? `${hash.slice(0, 6)}…${hash.slice(-4)}` : hash;
}

function smallest(decimals: number): string {
  return `0.${"0".repeat(decimals - 1)}1`;
}
