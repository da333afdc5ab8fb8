"use client";
/** A small button that copies `text`. */
import { useCopy } from "../hooks/useCopy.ts";
import { Button } from "./Button.tsx";

export function CopyButton({ text, children }: { text: string; children: string }) {
  const { copied, copy } = useCopy(text);
  return (
    <Button small onClick={copy}>
      {copied ? "Copied" : children}
    </Button>
  );
}
