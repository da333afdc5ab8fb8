"use client";
/** Switches between light and dark. */
import { useTheme } from "../hooks/useTheme.tsx";
import { Button } from "./Button.tsx";

export function ThemeToggle() {
  const { toggle } = useTheme();
  return (
    <Button tone="quiet" onClick={toggle} aria-label="Switch between light and dark">
      <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
        <circle cx="8" cy="8" r="5.5" fill="none" stroke="currentColor" strokeWidth="1.4" />
        <path d="M8 2.5a5.5 5.5 0 0 1 0 11z" fill="currentColor" />
      </svg>
    </Button>
  );
}
