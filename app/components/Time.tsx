"use client";
/**
 * A moment of chain time as the reader's clock has it; the exact time with its zone and UTC is in the title and on the
 * clipboard.
 */
import type { ClipboardEvent } from "react";
import { exactTime, formatDateTime, formatTime } from "../lib/format.ts";

export function Time({ at, style = "full" }: { at: bigint | number; style?: "full" | "clock" }) {
  const utc = new Date(Number(at) * 1_000).toISOString();
  const copyExact = (event: ClipboardEvent<HTMLTimeElement>): void => {
    if (window.getSelection()?.toString().trim() !== event.currentTarget.textContent?.trim()) return;
    event.clipboardData.setData("text/plain", utc);
    event.preventDefault();
  };
  return (
    <time dateTime={utc} title={exactTime(at)} onCopy={copyExact}>
      {style === "clock" ? formatTime(at) : formatDateTime(at)}
    </time>
  );
}
