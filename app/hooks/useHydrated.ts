"use client";
/** False in the server's HTML and until React has taken over; a button that is pressed before that would do nothing. */
import { useSyncExternalStore } from "react";

const never = (): (() => void) => () => undefined;

export function useHydrated(): boolean {
  return useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
}
