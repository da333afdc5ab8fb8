"use client";
/** For how many seconds something has been waited for on this page; 0 while nothing is. Moves with the page's polls. */
import { useRef } from "react";

export function useWaitedS(waiting: boolean): number {
  const sinceMs = useRef<number | undefined>(undefined);
  if (!waiting) sinceMs.current = undefined;
  else sinceMs.current ??= performance.now();
  return sinceMs.current === undefined ? 0 : Math.floor((performance.now() - sinceMs.current) / 1_000);
}
