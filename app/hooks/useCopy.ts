"use client";
/** Copies a text and says for a moment that it did. */
import { useState } from "react";

const shownMs = 1_500;

export function useCopy(text: string): { copied: boolean; copy: () => void } {
  const [copied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), shownMs);
  };
  return { copied, copy: () => void copy() };
}
